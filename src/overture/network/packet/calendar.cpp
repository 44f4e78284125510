#include "overture/network/packet/calendar.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "overture/base/check.h"
#include "overture/network/packet/packet.h"

namespace overture::network::packet {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

constexpr std::size_t kManyEntries = 64;  // where insertion stops being the quickest way to sort

// A batch is several buckets, so that there is something ahead to prefetch, but not many: what is scheduled
// into a batch has to be inserted.
constexpr std::size_t kBatchEntries = 16;
constexpr std::int64_t kBatchBuckets = 16;

constexpr Calendar::Entry kNothing{0, kNone, 0};
constexpr Calendar::Entry kLast{kNever, kNone, kNone};

}  // namespace

Calendar::Calendar(std::uint32_t nodes, int shift, int bits, std::int64_t longest)
    : shift_(shift),
      longest_(longest),
      age_shift_(
          std::max(0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(longest + 1))) - kAgeBits)),
      mask_((std::int64_t{1} << bits) - 1),
      nodes_(nodes),
      heads_(std::size_t{1} << bits, kNone),
      used_((std::size_t{1} << bits) / 64),
      batch_(2 * kBatchEntries + kAhead, kNothing) {
  check(bits >= 6, "a calendar has at least 64 buckets");
}

bool Calendar::tied_after(std::uint32_t node, std::uint32_t other) const {
  return orders_[node] == orders_[other] ? node > other : orders_[node] > orders_[other];
}

void Calendar::push_far(std::uint32_t what, std::int64_t when) { push_aside({when, what, 0}); }

// What belongs into the batch, or is too far away for a bucket.
void Calendar::push_aside(const Entry& entry) {
  if (entry.when >> shift_ > current_) return far_.push(entry.when, entry.what, entry.tie);
  insert(entry, head_);
  batch_[tail_ + kAhead - 1] = kNothing;
}

void Calendar::make_room(std::size_t entries) {
  const std::size_t size = tail_ + entries + kAhead + 1;
  if (size > batch_.size()) batch_.resize(2 * size, kNothing);
}

// Adds an entry to the batch, which is sorted from `first` on. Of equal ones the one that comes is last.
void Calendar::insert(const Entry& entry, std::size_t first) {
  make_room(1);
  std::size_t place = tail_++;
  for (; place > first && after(batch_[place - 1], entry); --place) batch_[place] = batch_[place - 1];
  batch_[place] = entry;
}

std::int64_t Calendar::next_near() const {
  const std::size_t words = used_.size();  // a power of two
  const auto start = static_cast<std::size_t>((current_ + 1) & mask_);
  std::uint64_t bits = used_[start / 64] & (~std::uint64_t{0} << (start % 64));
  for (std::size_t i = 0; i <= words; ++i) {
    const std::size_t word = (start / 64 + i) & (words - 1);
    if (i > 0) bits = used_[word];
    if (bits != 0) {
      const auto slot = static_cast<std::int64_t>(word * 64) + std::countr_zero(bits);
      return current_ + 1 + ((slot - static_cast<std::int64_t>(start)) & mask_);
    }
  }
  return kNever;
}

std::int64_t Calendar::next_bucket() const {
  return std::min(next_near(), far_.next_time() == kNever ? kNever : far_.next_time() >> shift_);
}

bool Calendar::load(std::int64_t limit) {
  if (head_ < tail_) return false;
  head_ = tail_ = 0;
  std::int64_t next = next_bucket();
  const std::int64_t last = std::min(limit >> shift_, next == kNever ? next : next + kBatchBuckets);
  while (next <= last && tail_ < kBatchEntries) {
    take_bucket(next);
    next = next_bucket();
  }
  std::fill_n(batch_.begin() + static_cast<std::ptrdiff_t>(tail_), kAhead, kNothing);
  return due(limit);
}

void Calendar::take_bucket(std::int64_t bucket) {
  const std::size_t first = tail_;
  if (far_.next_time() >> shift_ == bucket) take_far(bucket);
  const bool near =
      bucket - current_ <= mask_;  // a far bucket may share its slot with a near one of another round
  current_ = bucket;
  if (!near) return;
  const auto slot = static_cast<std::size_t>(bucket & mask_);
  const std::uint32_t list = heads_[slot];
  heads_[slot] = kNone;
  used_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  if (first == tail_) return append_sorted(list);
  for (std::uint32_t node = list; node != kNone; node = nodes_[node].next) {
    insert({nodes_[node].when, node, nodes_[node].tie}, first);
  }
}

// A bucket's list has the last one first, so it is filled in from the end, each entry in its place unless
// there are many.
void Calendar::append_sorted(std::uint32_t list) {
  std::size_t count = 0;
  for (std::uint32_t node = list; node != kNone; node = nodes_[node].next) ++count;
  make_room(count);
  Entry* const begin = batch_.data() + tail_;
  tail_ += count;
  Entry* const end = begin + count;
  *end = kLast;
  Entry* first = end;
  for (std::uint32_t node = list; node != kNone; node = nodes_[node].next) {
    const Entry entry{nodes_[node].when, node, nodes_[node].tie};
    Entry* place = --first;
    if (count <= kManyEntries) {
      for (; after(entry, place[1]); ++place) *place = place[1];
    }
    *place = entry;
  }
  if (count <= kManyEntries) return;
  const auto before = [this](const Entry& a, const Entry& b) { return after(b, a); };
  if (!std::is_sorted(begin, end, before)) std::sort(begin, end, before);
}

void Calendar::take_far(std::int64_t bucket) {
  const std::size_t first = tail_;
  while (far_.next_time() >> shift_ == bucket) {
    const FarQueue::Entry next = far_.pop();
    const Entry entry{next.when, next.what, next.tie};
    insert(entry, first);
  }
}

std::int64_t Calendar::next_time() const {
  if (head_ < tail_) return batch_[head_].when;
  const std::int64_t bucket = next_near();
  if (bucket == kNever) return far_.next_time();
  // What was pushed since the last time stands first in the bucket's list.
  const std::uint32_t list = heads_[static_cast<std::size_t>(bucket & mask_)];
  std::int64_t soonest = kNever;
  std::uint32_t node = list;
  for (; node != kNone && (bucket != looked_at_.bucket || node != looked_at_.list); node = nodes_[node].next)
    soonest = std::min(soonest, nodes_[node].when);
  if (node != kNone) soonest = std::min(soonest, looked_at_.soonest);
  looked_at_ = {.bucket = bucket, .list = list, .soonest = soonest};
  return std::min(soonest, far_.next_time());
}

}  // namespace overture::network::packet
