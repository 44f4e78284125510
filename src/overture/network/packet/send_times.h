// When a sender sent what is not acknowledged yet, for samples of the round trip: every segment is timed, as
// in ns-3, and one that was sent again gives no sample (Karn's rule). Segments that left in one burst share
// an entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace overture::network::packet {

class SendTimes {
 public:
  void clear();
  bool empty() const { return first_ == runs_.size(); }

  // [begin, begin + length) is sent for the first time, in one packet of at most `segment` bytes. It follows
  // on the last one.
  void sent(std::uint64_t begin, std::uint32_t length, std::int64_t now, std::uint32_t segment);
  // [begin, begin + length) is sent again, in one packet.
  void sent_again(std::uint64_t begin, std::uint32_t length, std::uint32_t segment);

  // All before `ack` has arrived. Returns when the oldest segment was sent, if `ack` covers it and it was
  // sent once, and forgets what `ack` covers.
  std::optional<std::int64_t> acknowledged(std::uint64_t ack, std::uint32_t segment);

 private:
  // Whole segments that were sent at the same time, the last one may be shorter; or one that was sent again.
  struct Run {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::int64_t when = 0;  // ps
    bool again = false;
  };

  std::vector<Run> runs_;  // in order, from first_ on
  std::size_t first_ = 0;
};

}  // namespace overture::network::packet
