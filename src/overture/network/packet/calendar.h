// The packet engine's own event queue: what falls due when, as numbers. Almost all events are arrivals at the
// end of a link, one pending per link and at most a wire's length ahead; they lie in buckets some hundred
// picoseconds wide, as lists through one array, and a bucket is sorted when it is reached. What is further
// away (timers, starts) waits in a FarQueue. It allocates only while it grows.
//
// Ties: what was given to push_far() first, in the order in which it was; then what was given to push(), that
// which was known longer first, then by rank: that first which came at a distance from the last of its
// number, then what came right after such a one, and so on; then by number. So the order of events follows
// from what happens and when, and not from how far ahead the queue looks, in which pieces it is run, or by
// how many queues. Or, in place of rank and number, by an order that the caller gives (push_caused()).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "overture/network/packet/far_queue.h"

namespace overture::network::packet {

class Calendar {
 public:
  struct Entry {
    std::int64_t when;  // ps
    std::uint32_t what;
    std::uint32_t
        tie;  // of two with equal times, the smaller one is first; 0: in the order in which they came
  };

  // The numbers below `nodes` may be given to push(), each pending at most once. Buckets are 2^shift ps wide
  // and 2^bits many. What is known for up to `longest` ps is told apart by how long.
  Calendar(std::uint32_t nodes, int shift, int bits, std::int64_t longest = kOldest);

  // Schedules `node`, which is not pending, not in the past. `known` is since when that is so: now, or
  // before.
  void push(std::uint32_t node, std::int64_t when, std::int64_t known) {
    push_first(node, when, std::min(when - known, longest_));
  }
  // The same for what is known for `age`, at most the longest that the calendar was told.
  void push_first(std::uint32_t node, std::int64_t when, std::int64_t age) {
    schedule(node, when, order(age) + first_rank_);
  }
  // The same for what comes right after the last time that `node` was due: one rank behind that.
  void push_next(std::uint32_t node, std::int64_t when, std::int64_t age) {
    const auto last = static_cast<std::uint8_t>(nodes_[node].tie);
    schedule(node, when, order(age) + (last == last_rank_ ? last : last + step_));
  }
  // The same for a caller that knows more: of those that are known for as long, the smaller order is first. A
  // calendar has either these alone, or none of them.
  void push_caused(std::uint32_t node, std::int64_t when, std::int64_t age, std::uint64_t order) {
    orders_[node] = order;
    schedule(node, when, this->order(age));
  }
  // Before the first push_caused().
  void keep_orders() { orders_.resize(nodes_.size()); }
  // An order: the older its cause the smaller, and of equally old ones the one that was asked for first.
  std::uint64_t caused_by(std::int64_t age) {
    return (std::uint64_t{order(std::min(age, longest_))} << kAskedBits) | (asked_++ & kAsked);
  }
  // Schedules any other number, as often as wished; dearer.
  void push_far(std::uint32_t what, std::int64_t when);

  // From now on, what comes after another of its node has a smaller rank than what does not.
  void rank_backwards() {
    std::swap(first_rank_, last_rank_);
    step_ = ~std::uint32_t{0};
  }

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
  static constexpr int kAgeBits = 24;
  static constexpr int kAskedBits = 32;
  static constexpr std::uint64_t kAsked = (std::uint64_t{1} << kAskedBits) - 1;
  static constexpr std::int64_t kOldest = (1 << kAgeBits) - 2;

  struct Node {
    std::int64_t when;
    std::uint32_t next;
    std::uint32_t tie;
  };
  // Never 0.
  std::uint32_t order(std::int64_t age) const {
    return ~std::uint32_t{255} - (static_cast<std::uint32_t>(age >> age_shift_) << 8);
  }
  void schedule(std::uint32_t node, std::int64_t when, std::uint32_t tie) {
    const std::int64_t ahead = (when >> shift_) - current_;
    nodes_[node].tie = tie;
    if (ahead <= 0 || ahead > mask_) [[unlikely]]
      return push_aside({when, node, tie});
    const auto slot = static_cast<std::size_t>((when >> shift_) & mask_);
    nodes_[node].when = when;
    nodes_[node].next = heads_[slot];
    heads_[slot] = node;
    used_[slot / 64] |= std::uint64_t{1} << (slot % 64);
  }
  bool after(const Entry& entry, const Entry& other) const {
    if (entry.when != other.when) return entry.when > other.when;
    if (entry.tie != other.tie) return entry.tie > other.tie;
    if (entry.tie == 0) return false;
    return orders_.empty() ? entry.what > other.what : tied_after(entry.what, other.what);
  }
  bool tied_after(std::uint32_t node, std::uint32_t other) const;
  void push_aside(const Entry& entry);
  void insert(const Entry& entry);
  void append_sorted(std::uint32_t list);
  std::int64_t next_near() const;
  std::int64_t next_bucket() const;
  void take_bucket(std::int64_t bucket);
  void take_far(std::int64_t bucket);
  void make_room(std::size_t entries);
  void insert(const Entry& entry, std::size_t first);

  int shift_;
  std::int64_t longest_;
  std::uint32_t first_rank_ = 0;
  std::uint32_t last_rank_ = 255;
  std::uint32_t step_ = 1;
  int age_shift_;
  std::int64_t mask_;
  std::int64_t current_ = -1;  // the last bucket in batch_; this one and all before it are empty
  std::vector<Node> nodes_;
  std::vector<std::uint64_t> orders_;  // by node, if they are kept
  std::uint64_t asked_ = 0;
  std::vector<std::uint32_t> heads_;  // per bucket, the last node pushed
  std::vector<std::uint64_t> used_;   // a bit per bucket
  std::vector<Entry> batch_;          // sorted from head_ to tail_, then kAhead of nothing, and one to spare
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
  FarQueue far_;
  // What next_time() found last, for it is asked for again and again while a long list grows.
  struct LookedAt {
    std::int64_t bucket = -1;
    std::uint32_t list = 0;  // the last node pushed then
    std::int64_t soonest = 0;
  };
  mutable LookedAt looked_at_;
};

}  // namespace overture::network::packet
