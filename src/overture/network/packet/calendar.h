// The packet engine's own event queue: what falls due when, as numbers. Almost all events are arrivals at the
// end of a link, one pending per link and at most a wire's length ahead; they lie in buckets some hundred
// picoseconds wide, as lists through one array, and a bucket is sorted when it is reached. What is further
// away (timers, starts) waits in a FarQueue. It allocates only while it grows.
//
// Ties: events from the far queue first, in the order in which they were scheduled, then arrivals, likewise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "overture/network/packet/far_queue.h"

namespace overture::network::packet {

class Calendar {
 public:
  struct Entry {
    std::int64_t when;  // ps
    std::uint32_t what;
  };

  // `nodes` numbers, from 0, may be given to push(), each pending at most once. Buckets are 2^shift ps wide
  // and 2^bits many.
  Calendar(std::uint32_t nodes, int shift, int bits);

  // Schedules `node`, which is not pending, not in the past.
  void push(std::uint32_t node, std::int64_t when) {
    const std::int64_t bucket = when >> shift_;
    if (bucket <= current_) return insert({when, node});
    if (bucket - current_ > mask_) return push_far(node, when);
    const auto slot = static_cast<std::size_t>(bucket & mask_);
    nodes_[node] = {when, heads_[slot]};
    heads_[slot] = node;
    used_[slot / 64] |= std::uint64_t{1} << (slot % 64);
  }
  // Schedules any number, as often as wished; dearer.
  void push_far(std::uint32_t what, std::int64_t when);

  // Is there an entry due by `limit`? If so, pop() takes it.
  bool due(std::int64_t limit) const { return head_ < tail_ && batch_[head_].when <= limit; }
  Entry pop() { return batch_[head_++]; }
  // Gets the next entries ready when all before are taken; false if none is due by `limit`.
  bool load(std::int64_t limit);
  // What is scheduled that many (fewer than kAhead) places behind the next entry, to prefetch what it will
  // need; kNone if that is not known yet.
  std::uint32_t ahead(std::size_t places) const { return batch_[head_ + places].what; }
  static constexpr std::size_t kAhead = 8;

  // When the next entry falls due; the largest number if there is none.
  std::int64_t next_time() const;

 private:
  struct Node {
    std::int64_t when;
    std::uint32_t next;
  };
  void insert(Entry entry);
  std::int64_t next_near() const;
  std::int64_t next_bucket() const;
  void take_bucket(std::int64_t bucket);
  void take_far(std::int64_t bucket);
  void merge(std::span<const Entry> entries, std::size_t first);

  int shift_;
  std::int64_t mask_;
  std::int64_t current_ = -1;  // the last bucket in batch_; this one and all before it are empty
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> heads_;  // per bucket, the last node pushed
  std::vector<std::uint64_t> used_;   // a bit per bucket
  std::vector<Entry> batch_;          // sorted from head_ to tail_, then kAhead of nothing
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
  std::vector<Entry> bucket_;  // room to turn a bucket's list round
  FarQueue far_;
};

}  // namespace overture::network::packet
