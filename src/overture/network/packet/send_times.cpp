#include "overture/network/packet/send_times.h"

namespace overture::network::packet {

void SendTimes::clear() {
  oldest_ = {};
  rest_.clear();
  first_ = 0;
}

void SendTimes::take_next() {
  if (first_ == rest_.size()) return clear();
  oldest_ = rest_[first_++];
  if (first_ <= rest_.size() / 2) return;  // keeps the array as small as twice the window
  rest_.erase(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(first_));
  first_ = 0;
}

// As in ns-3, the segment that contains `begin` is the one that was sent again, and it ends where the packet
// does, even if that holds some of the next one.
void SendTimes::sent_again(std::uint64_t begin, std::uint32_t length, std::uint32_t segment) {
  const auto holds = [&](const Run& run) { return run.begin <= begin && begin < run.end; };
  const std::size_t at = static_cast<std::size_t>(
      std::find_if(rest_.begin() + static_cast<std::ptrdiff_t>(first_), rest_.end(), holds) - rest_.begin());
  if (!holds(oldest_) && at == rest_.size()) return;
  Run& found = holds(oldest_) ? oldest_ : rest_[at];
  const Run run = found;
  const std::uint64_t own_begin = run.again ? run.begin : begin - (begin - run.begin) % segment;
  const std::uint64_t own_end = run.again ? run.end : std::min(own_begin + segment, run.end);
  const Run own{.begin = own_begin, .end = begin + length, .when = run.when, .again = true};
  std::vector<Run> pieces;
  if (run.begin < own_begin) pieces.push_back({.begin = run.begin, .end = own_begin, .when = run.when});
  pieces.push_back(own);
  if (own_end < run.end) pieces.push_back({.begin = own_end, .end = run.end, .when = run.when});
  const std::size_t behind = holds(oldest_) ? first_ : at + 1;
  found = pieces.front();
  rest_.insert(rest_.begin() + static_cast<std::ptrdiff_t>(behind), pieces.begin() + 1, pieces.end());
}

}  // namespace overture::network::packet
