#include "overture/network/packet/calendar.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>

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

constexpr Calendar::Entry kNothing{0, kNone};

}  // namespace

Calendar::Calendar(std::uint32_t nodes, int shift, int bits)
    : shift_(shift),
      mask_((std::int64_t{1} << bits) - 1),
      nodes_(nodes),
      heads_(std::size_t{1} << bits, kNone),
      used_(std::max<std::size_t>(1, (std::size_t{1} << bits) / 64)),
      batch_(2 * kBatchEntries, kNothing),
      bucket_(nodes) {
  check(bits >= 6, "a calendar has at least 64 buckets");
}

void Calendar::push_far(std::uint32_t what, std::int64_t when) {
  if (when >> shift_ <= current_) return insert({when, what});
  far_.push(when, what);
}

void Calendar::insert(Entry entry) {
  merge({&entry, 1}, head_);
  batch_[tail_ + kAhead - 1] = kNothing;
}

// Adds entries to the batch, whose order from `first` on may change. Stable, and quick for a handful or if
// they are nearly in order.
void Calendar::merge(std::span<const Entry> entries, std::size_t first) {
  if (tail_ + entries.size() + kAhead > batch_.size()) batch_.resize(2 * (tail_ + entries.size() + kAhead));
  for (const Entry& entry : entries) {
    std::size_t place = tail_++;
    for (; place > first && batch_[place - 1].when > entry.when; --place) batch_[place] = batch_[place - 1];
    batch_[place] = entry;
  }
}

std::int64_t Calendar::next_near() const {
  const std::size_t words = used_.size();
  const auto start = static_cast<std::size_t>((current_ + 1) & mask_);
  std::uint64_t bits = used_[start / 64] & (~std::uint64_t{0} << (start % 64));
  for (std::size_t i = 0; i <= words; ++i) {
    const std::size_t word = (start / 64 + i) % words;
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
  std::size_t begin = bucket_.size();
  for (std::uint32_t node = heads_[slot]; node != kNone; node = nodes_[node].next) {
    bucket_[--begin] = {nodes_[node].when, node};  // the list has the last one first
  }
  heads_[slot] = kNone;
  used_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  const std::span<Entry> entries = std::span(bucket_).subspan(begin);
  if (entries.size() > kManyEntries && !std::ranges::is_sorted(entries, {}, &Entry::when)) {
    std::ranges::stable_sort(entries, {}, &Entry::when);
  }
  merge(entries, first);
}

void Calendar::take_far(std::int64_t bucket) {
  while (far_.next_time() >> shift_ == bucket) {
    const std::int64_t when = far_.next_time();
    const Entry entry{when, far_.pop()};
    merge({&entry, 1}, tail_);
  }
}

std::int64_t Calendar::next_time() const {
  if (head_ < tail_) return batch_[head_].when;
  std::int64_t soonest = far_.next_time();
  const std::int64_t bucket = next_near();
  if (bucket == kNever) return soonest;
  for (std::uint32_t node = heads_[static_cast<std::size_t>(bucket & mask_)]; node != kNone;
       node = nodes_[node].next) {
    soonest = std::min(soonest, nodes_[node].when);
  }
  return soonest;
}

}  // namespace overture::network::packet
