// What a sender knows of its unacknowledged segments once something went missing (RFC 6675): which were
// selectively acknowledged, which count as lost, which were sent again. Flows without loss have none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace overture::network::packet {

class Scoreboard {
 public:
  struct Segment {
    std::uint64_t begin = 0;
    std::uint32_t length = 0;
    bool sacked = false;
    bool lost = false;
    bool resent = false;

    std::uint64_t end() const { return begin + length; }
    bool in_flight() const { return !sacked && (!lost || resent); }
  };

  void clear();
  // A segment was sent for the first time.
  void append(std::uint64_t begin, std::uint32_t length);

  // All before `offset` has arrived. Returns how many bytes of it were not known to have arrived.
  std::uint64_t acknowledge(std::uint64_t offset);
  // [begin, end) has arrived. Returns how many bytes of it were not known to have arrived.
  std::uint64_t sack(std::uint64_t begin, std::uint64_t end);
  // Segments below `threshold` selectively acknowledged ones are lost.
  void detect(int threshold);
  void lose_first();
  void lose_all();

  // The next lost segment that was not sent again, or null. Valid until the next call of anything else.
  const Segment* next_lost();
  void resend_next();  // that segment is sent again now

  bool empty() const { return first_ == segments_.size(); }
  bool any_sacked() const { return sacked_ > 0; }
  bool first_lost() const { return !empty() && segments_[first_].lost; }
  std::uint64_t in_flight() const { return in_flight_; }  // bytes; RFC 6675 calls it pipe

 private:
  void lose(Segment& segment);
  void drop_first();

  std::vector<Segment> segments_;  // in order, from first_ on
  std::size_t first_ = 0;
  std::size_t examined_ = 0;  // detect() has judged those before
  std::size_t resend_ = 0;    // no segment before waits to be sent again
  std::uint64_t in_flight_ = 0;
  int sacked_ = 0;
  int sacked_examined_ = 0;  // of those before examined_
};

}  // namespace overture::network::packet
