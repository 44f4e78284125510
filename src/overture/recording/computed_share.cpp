#include "overture/recording/computed_share.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace overture::recording {
namespace {

constexpr double kLeast = 0.01;  // a share is never 0: work that took time has computed

}  // namespace

// Between two readings of the processor's clocks: what the thread computed, of what its pieces took together.
// It also computes while it receives, which is no piece; so the share is at most 1.
ComputedShare::ComputedShare(const PartyRecord& party) {
  std::optional<Computed> before;
  double worked = 0;
  for (const Event& event : party.events) {
    if (const auto* piece = std::get_if<Piece>(&event)) worked += static_cast<double>(piece->length);
    if (const auto* sent = std::get_if<Sent>(&event)) worked += static_cast<double>(sent->length);
    const auto* now = std::get_if<Computed>(&event);
    if (now == nullptr) continue;
    if (before && worked > 0) {
      const auto computed = static_cast<double>(now->thread - before->thread);
      stretches_.push_back({before->at, std::clamp(computed / worked, kLeast, 1.0)});
    }
    before = *now;
    worked = 0;
  }
  if (before) stretches_.push_back({before->at, 1});
}

double ComputedShare::at(std::int64_t moment) const {
  const auto after = std::ranges::upper_bound(stretches_, moment, {}, &Stretch::begin);
  return after == stretches_.begin() ? 1 : std::prev(after)->share;
}

std::int64_t ComputedShare::computed(std::int64_t begin, std::int64_t length) const {
  return std::llround(at(begin) * static_cast<double>(length));
}

}  // namespace overture::recording
