// When a sender sent what is not acknowledged yet, for samples of the round trip: every segment is timed, as
// in ns-3, and one that was sent again gives no sample (Karn's rule). Segments that left in one burst share
// an entry, and the oldest entry is at hand: 64 bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace overture::network::packet {

class SendTimes {
 public:
  void clear();
  bool empty() const { return oldest_.begin == oldest_.end; }

  // [begin, begin + length) is sent for the first time, in one packet of at most `segment` bytes. It follows
  // on the last one.
  void sent(std::uint64_t begin, std::uint32_t length, std::int64_t now, std::uint32_t segment) {
    Run& last = rest_.empty() ? oldest_ : rest_.back();
    if (last.when == now && last.end == begin && last.is_whole(segment)) {
      last.end += length;
    } else if (empty()) {
      oldest_ = {.begin = begin, .end = begin + length, .when = now};
    } else {
      rest_.push_back({.begin = begin, .end = begin + length, .when = now});
    }
  }
  // [begin, begin + length) is sent again, in one packet.
  void sent_again(std::uint64_t begin, std::uint32_t length, std::uint32_t segment);

  // All before `ack` has arrived. Returns when the oldest segment was sent, if `ack` covers it and it was
  // sent once, and forgets what `ack` covers.
  std::optional<std::int64_t> acknowledged(std::uint64_t ack, std::uint32_t segment) {
    if (empty() || ack < std::min(oldest_.begin + segment, oldest_.end)) return std::nullopt;
    const std::optional<std::int64_t> when = oldest_.again ? std::nullopt : std::optional(oldest_.when);
    while (!empty() && oldest_.end <= ack) take_next();
    if (!empty() && !oldest_.again && oldest_.begin < ack)
      oldest_.begin = ack - (ack - oldest_.begin) % segment;
    return when;
  }

 private:
  // Whole segments that were sent at the same time, the last one may be shorter; or one that was sent again.
  struct Run {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::int64_t when = 0;  // ps
    bool again = false;

    bool is_whole(std::uint32_t segment) const { return !again && (end - begin) % segment == 0; }
  };

  void take_next();

  Run oldest_;             // empty: there is none
  std::vector<Run> rest_;  // in order, from first_ on; empty if all are taken
  std::size_t first_ = 0;
};

}  // namespace overture::network::packet
