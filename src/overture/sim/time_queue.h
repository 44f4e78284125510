// Numbers that fall due, in time order and, within one time, in the order in which they came: the heart of
// the event queue. What a number means is the caller's business. Fast at any spread of times and any count,
// from one entry to many millions; it allocates only while it grows.
//
// It is a hot queue (Cherkassky, Goldberg and Silverstein, "Buckets, Heaps, Lists, and Monotone Priority
// Queues", 1999). The nearest entries are sorted in an array. All later ones lie in buckets, 32 to a level:
// which one is told by the highest base-32 digit in which an entry's time differs from where the buckets
// begin. When its turn comes, a small bucket is sorted and a large one is spread over the levels below, so an
// entry moves at most once a level, and most move two or three times. Entries of one time always share a
// bucket, hence stay in order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "overture/base/check.h"
#include "overture/base/units.h"

namespace overture::sim {

class TimeQueue {
 public:
  struct Entry {
    Time when;
    std::uint64_t what;
  };

  TimeQueue() = default;
  TimeQueue(const TimeQueue&) = delete;
  TimeQueue& operator=(const TimeQueue&) = delete;

  Time now() const { return now_; }
  std::size_t size() const { return size_; }

  // Adds an entry that is not in the past.
  void push(Time when, std::uint64_t what) {
    check(when >= now_, "an event is not scheduled in the past");
    ++size_;
    if (when <= near_end_) {
      insert_near({when, what});
    } else {
      insert_far({when, what});
    }
  }

  // Moves the clock to the next entry, for pop() to take. False if none is due by `limit`; the clock then
  // stands there.
  bool advance(Time limit) {
    const bool due = (head_ != tail_ || refill(limit)) && near_[head_].when <= limit;
    now_ = due ? near_[head_].when : std::max(now_, limit);
    return due;
  }

  // When the next entry is due; the largest time if there is none.
  Time next_time() const {
    if (head_ != tail_) return near_[head_].when;
    if (levels_ == 0) return Time::max();
    const auto level = static_cast<std::size_t>(std::countr_zero(levels_));
    return buckets_[level][static_cast<std::size_t>(std::countr_zero(digits_[level]))].soonest;
  }

  // Takes the next entry; advance() has just said that there is one.
  std::uint64_t pop() {
    --size_;
    return near_[head_++].what;
  }

  // The next few entries, as far as they are sorted yet; worth prefetching.
  std::span<const Entry> near() const { return {near_.data() + head_, near_.data() + tail_}; }

 private:
  static constexpr int kDigitBits = 5;
  static constexpr int kLevels = 13;  // a time has 63 bits
  // These sizes were found with the model of bench/event_queue; the optimum is flat. A chunk is an odd number
  // of cache lines, lest the first lines of all chunks compete for the same few sets of the cache.
  static constexpr std::uint32_t kChunkEntries = 59;
  static constexpr std::size_t kBatch = 16;    // enough sorted entries to hide a cache miss of their caller
  static constexpr std::size_t kNearMax = 96;  // inserting into more costs more than the buckets do

  struct alignas(64) Chunk {
    std::array<Entry, kChunkEntries> entries;
    Chunk* next = nullptr;
  };
  // A list of chunks, all full but the last. An empty bucket passes for full, so appending takes one test.
  struct Bucket {
    Time soonest = Time::max();
    Chunk* first = nullptr;
    Chunk* last = nullptr;
    std::uint32_t used = kChunkEntries;  // entries of the last chunk
  };

  void insert_near(Entry entry);
  void insert_sorted(Entry entry);
  void make_room();
  void spill();
  void insert_far(Entry entry);
  void extend(Bucket& bucket, int level, int digit);
  void grow();
  bool refill(Time limit);
  Bucket take(int level, int digit);
  template <class Visit>
  void drain(const Bucket& bucket, Visit visit);
  void free(Chunk* chunk);

  Time now_{};
  std::size_t size_ = 0;

  std::vector<Entry> near_ = std::vector<Entry>(2 * kNearMax);  // sorted, from head_ up to tail_
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
  Time near_end_ = Time::max();  // entries up to here are in near_, later ones in buckets

  Time base_{};                                  // where the buckets begin; no later than now
  std::uint32_t levels_ = 0;                     // a bit for each level that has entries
  std::array<std::uint32_t, kLevels> digits_{};  // a bit for each bucket that has entries
  std::array<std::array<Bucket, 1 << kDigitBits>, kLevels> buckets_{};
  std::vector<std::vector<Chunk>> chunks_;
  Chunk* free_chunk_ = nullptr;
};

}  // namespace overture::sim
