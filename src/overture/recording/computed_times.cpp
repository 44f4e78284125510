#include "overture/recording/computed_times.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

namespace overture::recording {
namespace {

constexpr double kLeast = 0.01;  // of its length: work that took time has computed

// Pieces of one kind: their time is in proportion to the first of their numbers. Linear layers differ by
// their inputs and outputs, messages by kind and receiver.
using Like = std::tuple<int, std::int64_t, std::int64_t>;

Like like(const Piece& piece) {
  const bool layer = piece.work == Work::forward || piece.work == Work::input_gradient ||
                     piece.work == Work::weight_gradient;
  return {static_cast<int>(piece.work), layer ? piece.numbers[1] : 0, layer ? piece.numbers[2] : 0};
}
Like like(const Sent& sent) { return {-1, sent.kind, sent.to}; }

double size_of(const Piece& piece) {
  return static_cast<double>(std::max<std::int64_t>(piece.numbers[0], 1));
}
double size_of(const Sent& /*sent*/) { return 1; }

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Calls `visit` for every piece and every message that was sent.
template <class Visit>
void for_each_timed(const PartyRecord& party, Visit visit) {
  for (const Event& event : party.events) {
    if (const auto* piece = std::get_if<Piece>(&event)) visit(*piece);
    if (const auto* sent = std::get_if<Sent>(&event)) visit(*sent);
  }
}

std::map<Like, double> usual_rates(const PartyRecord& party) {
  std::map<Like, std::vector<double>> rates;
  for_each_timed(party, [&](const auto& one) {
    rates[like(one)].push_back(static_cast<double>(one.length) / size_of(one));
  });
  std::map<Like, double> usual;
  for (auto& [kind, values] : rates) usual[kind] = median(std::move(values));
  return usual;
}

std::int64_t receiving_of(const PartyRecord& party) {
  std::vector<double> found;
  for (std::size_t i = 2; i < party.events.size(); ++i) {
    const auto* before = std::get_if<Computed>(&party.events[i - 2]);
    const auto* after = std::get_if<Computed>(&party.events[i]);
    if (before != nullptr && after != nullptr && std::holds_alternative<Received>(party.events[i - 1]))
      found.push_back(static_cast<double>(after->thread - before->thread));
  }
  return std::llround(median(std::move(found)));
}

}  // namespace

ComputedTimes::ComputedTimes(const PartyRecord& party) : receiving_(receiving_of(party)) {
  const std::map<Like, double> usual = usual_rates(party);
  std::optional<Computed> before;
  std::size_t first = 0;  // since the clocks were read
  std::int64_t received = 0;
  const auto take = [&](const auto& one) {
    timed_.push_back({.begin = one.begin,
                      .length = one.length,
                      .usual = usual.at(like(one)) * size_of(one),
                      .computed = static_cast<double>(one.length)});
  };
  for (const Event& event : party.events) {
    if (const auto* piece = std::get_if<Piece>(&event)) take(*piece);
    if (const auto* sent = std::get_if<Sent>(&event)) take(*sent);
    if (std::holds_alternative<Received>(event)) ++received;
    const auto* now = std::get_if<Computed>(&event);
    if (now == nullptr) continue;
    double worked = 0;
    for (std::size_t i = first; i < timed_.size(); ++i) worked += static_cast<double>(timed_[i].length);
    const double computed =
        before ? static_cast<double>(now->thread - before->thread - received * receiving_) : worked;
    if (computed < worked) take_from(first, worked - std::max(computed, 0.0));
    before = *now;
    first = timed_.size();
    received = 0;
  }
}

// Nanoseconds without a core: first of what pieces took longer than their like, then of all alike.
void ComputedTimes::take_from(std::size_t first, double missing) {
  double more = 0;
  double sum = 0;
  for (std::size_t i = first; i < timed_.size(); ++i) {
    more += std::max(0.0, timed_[i].computed - timed_[i].usual);
    sum += timed_[i].computed;
  }
  const double of_more = more <= 0 ? 0 : std::min(1.0, missing / more);
  const double rest = sum - of_more * more;
  const double of_rest = rest <= 0 ? 0 : std::min(1.0, (missing - of_more * more) / rest);
  for (std::size_t i = first; i < timed_.size(); ++i) {
    Timed& one = timed_[i];
    one.computed -= of_more * std::max(0.0, one.computed - one.usual);
    one.computed = std::max(kLeast * static_cast<double>(one.length), one.computed * (1 - of_rest));
  }
}

std::int64_t ComputedTimes::computed(std::int64_t begin, std::int64_t length) const {
  auto found = std::ranges::lower_bound(timed_, begin, {}, &Timed::begin);
  while (found != timed_.end() && found->begin == begin && found->length != length) ++found;
  return found == timed_.end() || found->begin != begin ? length : std::llround(found->computed);
}

}  // namespace overture::recording
