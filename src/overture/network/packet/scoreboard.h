// What a sender knows of its unacknowledged segments once something went missing: which were selectively
// acknowledged, which count as lost, which were sent again. Flows without loss have none. It counts as
// ns-3.37 does, so that a sender has as much in flight: a segment that was sent again counts until it is
// acknowledged in order, even if it was selectively acknowledged, and twice if it was sent again before it
// counted as lost.
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
  };

  void clear();
  // A segment was sent for the first time.
  void append(std::uint64_t begin, std::uint32_t length);
  // The same for one that is shorter than it could be: the receiver had no more room.
  void append_cut(std::uint64_t begin, std::uint32_t length);

  // All before `offset` has arrived. Returns how many bytes of it were not known to have arrived, in segments
  // that have arrived whole: ns-3 does not count the first part of one that was cut.
  std::uint64_t acknowledge(std::uint64_t offset);
  // [begin, end) has arrived. Returns how many bytes of it were not known to have arrived.
  std::uint64_t sack(std::uint64_t begin, std::uint64_t end);
  // Segments below `threshold` selectively acknowledged ones are lost. Those above the highest one do not
  // count: for ns-3 a segment right below the highest one takes its place when it arrives.
  void detect(int threshold);
  void lose_first();
  // All that was not selectively acknowledged is lost and may be sent again.
  void lose_all();

  // The first lost segment that was not sent again, or null. Valid until the next call of anything else.
  Segment* next_lost();
  // The first segment that has neither arrived nor was sent again, or null (RFC 6675, NextSeg, rule 3).
  Segment* next_unresent();
  Segment& first() { return segments_[first_]; }
  // It is sent again now, in a packet of at most `most` bytes: with as much of the next one as fits, if both
  // are lost or neither is, and the next one has not arrived.
  void resend(Segment& segment, std::uint32_t most);

  // Does `offset` lie below what was selectively acknowledged, and is the next segment there lost?
  bool is_lost(std::uint64_t offset) const;
  // Was the segment that ends at `offset` sent again, and has not been selectively acknowledged?
  bool resent_until(std::uint64_t offset) const;
  // The same for any segment that ends whole `steps` before `offset`, fewer than `count` of them.
  bool resent_until(std::uint64_t offset, std::uint32_t step, std::uint64_t count) const;

  bool empty() const { return first_ == segments_.size(); }
  // Is all that is outstanding simply in flight, in segments that anybody would guess?
  bool clean() const {
    return sacked_bytes_ == 0 && lost_bytes_ == 0 && resent_bytes_ == 0 &&
           (empty() || segments_[first_].begin >= odd_until_);
  }
  std::uint32_t in_flight() const {  // bytes; RFC 6675 calls it pipe
    return sent_bytes_ - sacked_bytes_ - lost_bytes_ + resent_bytes_;
  }
  std::uint32_t outstanding() const { return sent_bytes_; }  // bytes, arrived or not

 private:
  void lose(Segment& segment);
  int sacked_beyond() const;
  void drop_first();
  void cut_first(std::uint32_t bytes);
  void take_from_next(std::size_t position, std::uint32_t most);

  std::vector<Segment> segments_;  // in order, from first_ on
  std::size_t first_ = 0;
  std::size_t examined_ = 0;  // detect() has judged those before
  std::size_t resend_ = 0;    // no segment before is lost and was not sent again
  std::uint32_t sent_bytes_ = 0;
  std::uint32_t sacked_bytes_ = 0;
  std::uint32_t lost_bytes_ = 0;
  std::uint32_t resent_bytes_ = 0;
  std::uint64_t odd_until_ = 0;       // where the last segment that was cut ends
  std::uint64_t highest_sacked_ = 0;  // where the selectively acknowledged one that counts as highest begins
  std::uint64_t last_sacked_ = 0;     // where the last one begins
  int sacked_ = 0;
  int sacked_examined_ = 0;  // of those before examined_
};

}  // namespace overture::network::packet
