#include "overture/study/calibrate/fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "overture/base/check.h"
#include "overture/recording/computed_times.h"

namespace overture::study {
namespace {

using model::Machine;
using recording::Piece;
using recording::Received;
using recording::Recording;
using recording::Sent;

constexpr std::size_t kTerms = kWorkNumbers + 1;  // `each` and what is counted
using Terms = std::array<double, kTerms>;
constexpr double kInterrupted = 2;  // times as long as fitted, and
constexpr double kShort = 1000;     // nanoseconds more
constexpr int kRounds = 4;
constexpr std::size_t kColdPart = 5;  // of a party's events the first fifth: caches and memory are new

Terms terms_of(const Observation& one) { return {1, one.counts[0], one.counts[1], one.counts[2]}; }

double dot(const Terms& a, const Terms& b) {
  double sum = 0;
  for (std::size_t i = 0; i < kTerms; ++i) sum += a[i] * b[i];
  return sum;
}

// Least squares over the terms of `mask` alone: normal equations by elimination. None: they do not determine
// it.
std::optional<Terms> solve(const std::array<Terms, kTerms>& products, const Terms& right, unsigned mask) {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < kTerms; ++i) {
    if ((mask >> i & 1U) != 0) used.push_back(i);
  }
  const std::size_t n = used.size();
  std::array<std::array<double, kTerms + 1>, kTerms> a{};
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) a[r][c] = products[used[r]][used[c]];
    a[r][n] = right[used[r]];
  }
  for (std::size_t p = 0; p < n; ++p) {
    std::size_t best = p;
    for (std::size_t r = p + 1; r < n; ++r) {
      if (std::abs(a[r][p]) > std::abs(a[best][p])) best = r;
    }
    std::swap(a[p], a[best]);
    if (std::abs(a[p][p]) < 1e-9) return std::nullopt;
    for (std::size_t r = 0; r < n; ++r) {
      if (r == p) continue;
      const double factor = a[r][p] / a[p][p];
      for (std::size_t c = p; c <= n; ++c) a[r][c] -= factor * a[p][c];
    }
  }
  Terms result{};
  for (std::size_t r = 0; r < n; ++r) result[used[r]] = a[r][n] / a[r][r];
  return result;
}

// The best of all sets of terms whose coefficients are not negative. There are sixteen: no need to be clever.
Terms non_negative(std::span<const Observation> observations, const Terms& scale) {
  std::array<Terms, kTerms> products{};
  Terms right{};
  double squares = 0;
  for (const Observation& one : observations) {
    Terms x = terms_of(one);
    for (std::size_t i = 0; i < kTerms; ++i) x[i] = scale[i] == 0 ? 0 : x[i] / scale[i];
    const double weight = 1 / std::max(one.value, 1.0);
    for (std::size_t r = 0; r < kTerms; ++r) {
      for (std::size_t c = 0; c < kTerms; ++c) products[r][c] += weight * x[r] * x[c];
      right[r] += weight * x[r] * one.value;
    }
    squares += weight * one.value * one.value;
  }
  Terms best{};
  double least = std::numeric_limits<double>::max();
  for (unsigned mask = 1; mask < 1U << kTerms; ++mask) {
    const std::optional<Terms> found = solve(products, right, mask);
    if (!found || std::ranges::any_of(*found, [](double c) { return c < 0 || !std::isfinite(c); })) continue;
    double error = squares - 2 * dot(*found, right);
    for (std::size_t r = 0; r < kTerms; ++r) error += (*found)[r] * dot(products[r], *found);
    if (error < least * (1 - 1e-6)) {
      least = error;
      best = *found;
    }
  }
  for (std::size_t i = 0; i < kTerms; ++i) best[i] = scale[i] == 0 ? 0 : best[i] / scale[i];
  return best;
}

bool was_interrupted(const Observation& one, const LinearFit& fit) {
  return one.value > kInterrupted * fit.at(one.counts) + kShort;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// All pieces of the recordings, also messages that were sent, and how long each computed.
template <class Visit>
void for_each_piece(std::span<const Recording> recordings, Visit visit) {
  for (const Recording& recording : recordings) {
    for (const recording::PartyRecord& party : recording.parties) {
      const recording::ComputedTimes times(party);
      const auto events = std::span(party.events).subspan(party.events.size() / kColdPart);
      for (const recording::Event& event : events) {
        if (const auto* piece = std::get_if<Piece>(&event)) {
          visit(piece->work, piece->numbers, times.computed(piece->begin, piece->length));
        } else if (const auto* sent = std::get_if<Sent>(&event)) {
          visit(Work::send, WorkNumbers{sent->bytes, 0, 0}, times.computed(sent->begin, sent->length));
        }
      }
    }
  }
}

Duration nanoseconds(double value) { return Duration{std::llround(1000 * value)}; }
// Time for a million of what is counted one by one.
Duration for_a_million(double value) { return nanoseconds(1e6 * value); }

model::WorkCost cost_of(const LinearFit& fit) {
  model::WorkCost cost{.each = nanoseconds(fit.each), .spread = fit.spread, .pieces = fit.kept};
  for (std::size_t i = 0; i < kWorkNumbers; ++i) cost.per_million[i] = for_a_million(fit.per[i]);
  return cost;
}

// The fit says how time depends on what is counted; how much it is, is what the pieces computed together: a
// step is their sum.
void keep_sum(std::span<const Observation> observations, LinearFit& fit) {
  double measured = 0;
  double fitted = 0;
  for (const Observation& one : observations) {
    if (was_interrupted(one, fit)) continue;
    measured += one.value;
    fitted += fit.at(one.counts);
  }
  if (fitted <= 0) return;
  fit.each *= measured / fitted;
  for (double& per : fit.per) per *= measured / fitted;
}

LinearFit fit_with_sum(std::span<const Observation> observations) {
  LinearFit fit = fit_costs(observations);
  keep_sum(observations, fit);
  return fit;
}

// Data is read or made in blocks: most batches cost next to nothing, and some cost all. Only the mean tells.
LinearFit mean_cost(const std::vector<Observation>& observations) {
  LinearFit fit{.kept = observations.size()};
  double lookups = 0;
  double sum = 0;
  for (const Observation& one : observations) {
    lookups += one.counts[1];
    sum += one.value;
  }
  fit.per[1] = lookups <= 0 ? 0 : sum / lookups;
  return fit;
}

using ShapeKey = std::tuple<Work, std::int64_t, std::int64_t>;

// With one batch size alone, time is in proportion to it.
model::ShapeCost shape_cost(const ShapeKey& key, const std::vector<Observation>& observations) {
  const bool one_size = std::ranges::all_of(
      observations, [&](const Observation& one) { return one.counts == observations.front().counts; });
  std::vector<Observation> all = observations;
  if (one_size) all.push_back({.counts = {}, .value = 0});
  LinearFit fit = fit_costs(all);
  if (one_size) fit.each = 0;
  keep_sum(observations, fit);
  return {.work = std::get<0>(key),
          .inputs = static_cast<int>(std::get<1>(key)),
          .outputs = static_cast<int>(std::get<2>(key)),
          .each = nanoseconds(fit.each),
          .per_million_samples = for_a_million(fit.per[0])};
}

// From a send to the receiver's work, where the receiver was waiting already.
std::vector<Observation> deliveries(const Recording& recording) {
  using Key = std::tuple<int, int, std::uint32_t, std::int64_t>;
  std::map<Key, std::vector<const Sent*>> sent;
  for (const recording::PartyRecord& party : recording.parties) {
    for (const recording::Event& event : party.events) {
      if (const auto* one = std::get_if<Sent>(&event))
        sent[{party.head.party, one->to, one->kind, one->step}].push_back(one);
    }
  }
  std::map<Key, std::size_t> taken;
  std::vector<Observation> found;
  for (const recording::PartyRecord& party : recording.parties) {
    for (const recording::Event& event : party.events) {
      const auto* one = std::get_if<Received>(&event);
      if (one == nullptr) continue;
      const Key key{one->from, party.head.party, one->kind, one->step};
      const auto list = sent.find(key);
      const std::size_t number = taken[key]++;
      if (list == sent.end() || number >= list->second.size()) continue;
      const Sent& from = *list->second[number];
      if (one->at - one->waited > from.begin || one->at <= from.begin) continue;
      found.push_back({.counts = {static_cast<double>(one->bytes), 0, 0},
                       .value = static_cast<double>(one->at - from.begin)});
    }
  }
  return found;
}

void fit_messages(std::span<const Recording> recordings, Machine& machine) {
  constexpr std::size_t kEnough = 20;
  constexpr double kTypical = 65'536;  // bytes
  double fastest = std::numeric_limits<double>::max();
  for (const Recording& recording : recordings) {
    const std::vector<Observation> found = deliveries(recording);
    if (found.size() < kEnough) continue;
    const LinearFit fit = fit_costs(found);
    const double time = fit.at({kTypical, 0, 0});
    if (time >= fastest) continue;
    fastest = time;
    machine.message = nanoseconds(fit.each);
    machine.wire = fit.per[0] <= 0 ? Bandwidth{} : Bandwidth::bits_per_second(std::llround(8e9 / fit.per[0]));
  }
}

// What parties' own threads computed while they received a message, where the clocks were read before and
// after.
std::vector<Observation> receives(std::span<const Recording> recordings) {
  std::vector<Observation> found;
  for (const Recording& recording : recordings) {
    for (const recording::PartyRecord& party : recording.parties) {
      for (std::size_t i = 2; i < party.events.size(); ++i) {
        const auto* before = std::get_if<recording::Computed>(&party.events[i - 2]);
        const auto* received = std::get_if<Received>(&party.events[i - 1]);
        const auto* after = std::get_if<recording::Computed>(&party.events[i]);
        if (before == nullptr || received == nullptr || after == nullptr) continue;
        found.push_back({.counts = {static_cast<double>(received->bytes), 0, 0},
                         .value = static_cast<double>(after->thread - before->thread)});
      }
    }
  }
  return found;
}

// To receive a message is part of taking it.
void add_receives(std::span<const Recording> recordings, Machine& machine) {
  auto& take = machine.costs[static_cast<std::size_t>(Work::take)];
  const std::vector<Observation> found = receives(recordings);
  if (!take || found.empty()) return;
  const model::WorkCost more = cost_of(fit_with_sum(found));
  take->each += more.each;
  take->per_million[0] += more.per_million[0];
}

struct Carried {
  double messages = 0;  // that were sent or received
  double bytes = 0;
  double beside = 0;  // nanoseconds that the party's process computed beside the party's own thread
};

// Nothing of parties that share a process or have threads for their own work, and of very few messages.
std::optional<Carried> carried_by(const Recording& recording, const recording::PartyRecord& party) {
  const auto same = [&](const auto& other) { return other.head.process == party.head.process; };
  if (std::ranges::count_if(recording.parties, same) > 1 || party.head.threads > 1) return std::nullopt;
  std::optional<recording::Computed> first;
  recording::Computed last;
  Carried all;
  for (const recording::Event& event : party.events) {
    const auto* sent = std::get_if<Sent>(&event);
    const auto* received = std::get_if<Received>(&event);
    if (const auto* now = std::get_if<recording::Computed>(&event)) {
      if (!first) first = *now;
      last = *now;
    } else if (first && (sent != nullptr || received != nullptr)) {
      all.messages += 1;
      all.bytes += static_cast<double>(sent != nullptr ? sent->bytes : received->bytes);
    }
  }
  constexpr double kEnoughMessages = 20;
  if (all.messages < kEnoughMessages) return std::nullopt;
  all.beside = static_cast<double>((last.process - last.thread) - (first->process - first->thread));
  return all;
}

// A message alone takes no longer than was measured, so both sides compute no more for it; what else they
// computed is that of bytes. Few parties with messages of like sizes tell the two apart badly.
void bound_by_latency(std::span<const Recording> recordings, Machine& machine) {
  const Duration most = std::max(Duration{}, machine.message - machine.time(Work::take, {})) / 2;
  if (machine.message == Duration{} || machine.message_cpu <= most) return;
  machine.message_cpu = most;
  double left = 0;
  double bytes = 0;
  for (const Recording& recording : recordings) {
    for (const recording::PartyRecord& party : recording.parties) {
      const auto one = carried_by(recording, party);
      if (!one) continue;
      left += one->beside - static_cast<double>(most.count()) / 1000 * one->messages;
      bytes += one->bytes;
    }
  }
  machine.message_cpu_per_million = bytes <= 0 ? Duration{} : for_a_million(std::max(0.0, left / bytes));
}

void fit_carrying(std::span<const Recording> recordings, Machine& machine) {
  std::vector<Observation> found;
  for (const Recording& recording : recordings) {
    for (const recording::PartyRecord& party : recording.parties) {
      if (const auto one = carried_by(recording, party))  // of a message of mean size
        found.push_back({.counts = {one->bytes / one->messages, 0, 0}, .value = one->beside / one->messages});
    }
  }
  if (found.size() < 2) return;
  const LinearFit fit = fit_costs(found);
  machine.message_cpu = nanoseconds(fit.each);
  machine.message_cpu_per_million = for_a_million(fit.per[0]);
  bound_by_latency(recordings, machine);
}

// What a trainer's pieces computed more than they cost, for each byte that it sent or received: the others
// compute too little to tell. Not of the beginning, while caches and memory are new.
double computed_more_per_byte(const Machine& machine, const recording::PartyRecord& party) {
  const recording::ComputedTimes times(party);
  double more = 0;
  double bytes = 0;
  bool trains = false;
  for (const recording::Event& event : std::span(party.events).subspan(party.events.size() / kColdPart)) {
    if (const auto* sent = std::get_if<Sent>(&event)) bytes += static_cast<double>(sent->bytes);
    if (const auto* received = std::get_if<Received>(&event)) bytes += static_cast<double>(received->bytes);
    const auto* piece = std::get_if<Piece>(&event);
    if (piece == nullptr || !machine.cost(piece->work)) continue;
    trains = trains || piece->work == Work::forward;
    more += static_cast<double>(times.computed(piece->begin, piece->length)) -
            static_cast<double>(machine.time(piece->work, piece->numbers).count()) / 1000;
  }
  return trains && bytes > 0 ? std::max(0.0, more / bytes) : 0;
}

}  // namespace

Duration interrupts_held_back(const Machine& machine, std::span<const Recording> recordings) {
  double bytes = 0;
  double computed = 0;
  const double each = static_cast<double>(machine.message_cpu.count()) / 1000;
  for (const Recording& recording : recordings) {
    for (const recording::PartyRecord& party : recording.parties) {
      const auto one = carried_by(recording, party);
      if (!one) continue;
      bytes += one->bytes;
      computed += one->beside - each * one->messages + one->bytes * computed_more_per_byte(machine, party);
    }
  }
  const Duration found = bytes <= 0 ? Duration{} : for_a_million(computed / bytes);
  return std::max(Duration{}, found - machine.message_cpu_per_million);
}

void prefer_costs(Machine& machine, const Machine& better) {
  for (std::size_t work = 0; work < kWorks; ++work) {
    if (better.costs[work]) machine.costs[work] = better.costs[work];
  }
  for (const model::ShapeCost& shape : better.shapes) {
    const auto same = [&](const model::ShapeCost& other) {
      return other.work == shape.work && other.inputs == shape.inputs && other.outputs == shape.outputs;
    };
    const auto known = std::ranges::find_if(machine.shapes, same);
    if (known == machine.shapes.end()) {
      machine.shapes.push_back(shape);
    } else {
      *known = shape;
    }
  }
}

double LinearFit::at(const std::array<double, kWorkNumbers>& counts) const {
  return dot({each, per[0], per[1], per[2]}, {1, counts[0], counts[1], counts[2]});
}

LinearFit fit_costs(std::span<const Observation> observations) {
  std::vector<Observation> kept(observations.begin(), observations.end());
  Terms scale{};
  for (const Observation& one : kept) {
    const Terms x = terms_of(one);
    for (std::size_t i = 0; i < kTerms; ++i) scale[i] = std::max(scale[i], x[i]);
  }
  LinearFit fit;
  std::vector<double> errors;
  for (int round = 0; round < kRounds; ++round) {
    const Terms found = non_negative(kept, scale);
    fit.each = found[0];
    fit.per = {found[1], found[2], found[3]};
    std::vector<double> ratios;
    for (const Observation& one : kept) ratios.push_back(one.value / std::max(fit.at(one.counts), 1.0));
    const double usual = median(ratios);
    std::erase_if(kept, [&](const Observation& one) {
      return one.value > kInterrupted * std::max(usual, 0.1) * fit.at(one.counts) + kShort;
    });
  }
  for (const Observation& one : kept) {
    const double fitted = std::max(fit.at(one.counts), 1.0);
    errors.push_back(std::abs(one.value - fitted) / fitted);
  }
  fit.spread = median(std::move(errors));
  fit.kept = kept.size();
  return fit;
}

FittedMachine fit_machine(std::span<const Recording> recordings) {
  check(!recordings.empty(), "a machine is fitted to something");
  std::array<std::vector<Observation>, kWorks> by_work;
  std::map<ShapeKey, std::vector<Observation>> by_shape;
  for_each_piece(recordings, [&](Work work, const WorkNumbers& numbers, std::int64_t length) {
    const auto value = static_cast<double>(length);
    by_work[static_cast<std::size_t>(priced_as(work))].push_back({model::quantities(work, numbers), value});
    if (model::is_product(work))
      by_shape[{work, numbers[1], numbers[2]}].push_back({{static_cast<double>(numbers[0]), 0, 0}, value});
  });
  FittedMachine fitted;
  Machine& machine = fitted.machine;
  const recording::Head& head = recordings.front().head();
  machine.name = head.machine;
  machine.made_by = head.program;
  machine.threads = head.threads;
  for (std::size_t work = 0; work < kWorks; ++work) {
    if (by_work[work].empty()) continue;
    const bool in_blocks = static_cast<Work>(work) == Work::read_data;
    machine.costs[work] = cost_of(in_blocks ? mean_cost(by_work[work]) : fit_with_sum(by_work[work]));
  }
  for (const auto& [key, observations] : by_shape) machine.shapes.push_back(shape_cost(key, observations));
  add_receives(recordings, machine);
  fit_messages(recordings, machine);
  fit_carrying(recordings, machine);
  fitted.residuals = residuals(machine, recordings);
  return fitted;
}

std::vector<Residual> residuals(const Machine& machine, std::span<const Recording> recordings) {
  std::array<Residual, kWorks> sums{};
  std::array<std::vector<double>, kWorks> errors;
  for_each_piece(recordings, [&](Work work, const WorkNumbers& numbers, std::int64_t length) {
    if (!machine.cost(work) || work == Work::take)
      return;  // its cost also holds receiving, which is no piece
    const auto w = static_cast<std::size_t>(priced_as(work));
    const double fitted = static_cast<double>(machine.time(work, numbers).count()) / 1000;
    ++sums[w].pieces;
    sums[w].measured_ms += 1e-6 * static_cast<double>(length);
    sums[w].fitted_ms += 1e-6 * fitted;
    errors[w].push_back(std::abs(static_cast<double>(length) - fitted) / std::max(fitted, 1.0));
  });
  std::vector<Residual> result;
  for (std::size_t w = 0; w < kWorks; ++w) {
    if (sums[w].pieces == 0) continue;
    sums[w].work = static_cast<Work>(w);
    sums[w].median_error = median(std::move(errors[w]));
    result.push_back(sums[w]);
  }
  return result;
}

}  // namespace overture::study
