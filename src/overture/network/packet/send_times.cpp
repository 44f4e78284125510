#include "overture/network/packet/send_times.h"

#include <algorithm>

namespace overture::network::packet {

void SendTimes::clear() {
  runs_.clear();
  first_ = 0;
}

void SendTimes::sent(std::uint64_t begin, std::uint32_t length, std::int64_t now, std::uint32_t segment) {
  if (!empty()) {
    Run& last = runs_.back();
    const bool whole = (last.end - last.begin) % segment == 0;
    if (last.when == now && whole && !last.again) {
      last.end += length;
      return;
    }
  } else {
    clear();
  }
  runs_.push_back({.begin = begin, .end = begin + length, .when = now});
}

// As in ns-3, the segment that contains `begin` is the one that was sent again, and it ends where the packet
// does, even if that holds some of the next one.
void SendTimes::sent_again(std::uint64_t begin, std::uint32_t length, std::uint32_t segment) {
  const auto from = runs_.begin() + static_cast<std::ptrdiff_t>(first_);
  const auto found =
      std::find_if(from, runs_.end(), [&](const Run& run) { return run.begin <= begin && begin < run.end; });
  if (found == runs_.end()) return;
  const Run run = *found;
  const std::uint64_t end = begin + length;
  if (run.again) {
    found->end = end;
    return;
  }
  const std::uint64_t own_begin = begin - (begin - run.begin) % segment;
  const std::uint64_t own_end = std::min(own_begin + segment, run.end);
  *found = {.begin = own_begin, .end = end, .when = run.when, .again = true};
  auto at = found;
  if (own_begin > run.begin) {
    at = runs_.insert(at, {.begin = run.begin, .end = own_begin, .when = run.when}) + 1;
  }
  if (own_end < run.end) runs_.insert(at + 1, {.begin = own_end, .end = run.end, .when = run.when});
}

std::optional<std::int64_t> SendTimes::acknowledged(std::uint64_t ack, std::uint32_t segment) {
  if (empty()) return std::nullopt;
  const Run& oldest = runs_[first_];
  const bool once = !oldest.again && ack >= std::min(oldest.begin + segment, oldest.end);
  const std::optional<std::int64_t> when = once ? std::optional(oldest.when) : std::nullopt;
  while (!empty() && runs_[first_].end <= ack) ++first_;
  if (!empty() && !runs_[first_].again && runs_[first_].begin < ack) {
    Run& rest = runs_[first_];
    rest.begin = ack - (ack - rest.begin) % segment;
  }
  if (first_ > runs_.size() / 2) {  // keeps the array as small as twice the window
    runs_.erase(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  return when;
}

}  // namespace overture::network::packet
