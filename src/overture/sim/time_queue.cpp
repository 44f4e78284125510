#include "overture/sim/time_queue.h"

#include <bit>
#include <utility>

namespace overture::sim {
namespace {

std::uint64_t ticks(Time when) { return static_cast<std::uint64_t>(when.time_since_epoch().count()); }

}  // namespace

void TimeQueue::insert_near(Entry entry) {
  if (tail_ - head_ >= kNearMax && near_end_ > now_) {
    spill();
    if (entry.when > near_end_) return insert_far(entry);
  }
  insert_sorted(entry);
}

// From the back: most new entries are later than most others, and an entry goes after those of its own time.
void TimeQueue::insert_sorted(Entry entry) {
  if (tail_ == near_.size()) make_room();
  Entry* const first = near_.data() + head_;
  Entry* place = near_.data() + tail_++;
  for (; place != first && place[-1].when > entry.when; --place) *place = place[-1];
  *place = entry;
}

void TimeQueue::make_room() {
  if (head_ >= near_.size() / 2) {
    std::copy(near_.begin() + static_cast<std::ptrdiff_t>(head_), near_.end(), near_.begin());
    tail_ -= head_;
    head_ = 0;
  } else {
    near_.resize(2 * near_.size());
  }
}

// Keeps insertion cheap: moves the later half of the near entries to the buckets. Those for now have to stay;
// they may be any number, but nothing will be inserted before them.
void TimeQueue::spill() {
  if (levels_ == 0) base_ = now_;
  near_end_ = std::max(now_, near_[(head_ + tail_) / 2].when - Duration{1});
  std::size_t kept = tail_;
  while (kept > head_ && near_[kept - 1].when > near_end_) --kept;
  for (std::size_t i = kept; i < tail_; ++i) insert_far(near_[i]);
  tail_ = kept;
}

void TimeQueue::insert_far(Entry entry) {
  const std::uint64_t time = ticks(entry.when);
  const int highest_bit = 63 - std::countl_zero((time ^ ticks(base_)) | 1);
  const int level = highest_bit / kDigitBits;
  const int digit = static_cast<int>(time >> (level * kDigitBits)) & ((1 << kDigitBits) - 1);
  Bucket& bucket = buckets_[level][digit];
  if (bucket.used == kChunkEntries) extend(bucket, level, digit);
  bucket.soonest = std::min(bucket.soonest, entry.when);
  bucket.last->entries[bucket.used++] = entry;
}

void TimeQueue::extend(Bucket& bucket, int level, int digit) {
  if (free_chunk_ == nullptr) grow();
  Chunk* const chunk = free_chunk_;
  free_chunk_ = chunk->next;
  if (bucket.first == nullptr) {
    levels_ |= 1U << level;
    digits_[level] |= 1U << digit;
    bucket.first = chunk;
  } else {
    bucket.last->next = chunk;
  }
  bucket.last = chunk;
  bucket.used = 0;
}

void TimeQueue::grow() {
  chunks_.emplace_back(32 + size_ / kChunkEntries / 4);
  for (Chunk& chunk : chunks_.back()) free(&chunk);
}

// Sorts the next buckets until there is a small batch, so that the caller can prefetch what they are about.
bool TimeQueue::refill(Time limit) {
  head_ = tail_ = 0;
  near_.resize(2 * kNearMax);  // a crowded instant may have made it long
  while (levels_ != 0 && tail_ < kBatch) {
    const int level = std::countr_zero(levels_);
    const int digit = std::countr_zero(digits_[level]);
    const Bucket& next = buckets_[level][digit];
    const bool small = next.first == next.last;
    if (next.soonest > limit || (tail_ > 0 && !small)) break;
    const Bucket bucket = take(level, digit);
    if (small || level == 0) {
      drain(bucket, [this](const Entry& entry) { insert_sorted(entry); });
      const std::uint64_t low_digits = (std::uint64_t{1} << (level * kDigitBits)) - 1;
      near_end_ = Time{Duration{static_cast<std::int64_t>(ticks(bucket.soonest) | low_digits)}};
    } else {
      base_ = bucket.soonest;
      drain(bucket, [this](const Entry& entry) { insert_far(entry); });
    }
  }
  if (levels_ == 0) near_end_ = Time::max();
  return tail_ > 0;
}

TimeQueue::Bucket TimeQueue::take(int level, int digit) {
  digits_[level] &= ~(1U << digit);
  if (digits_[level] == 0) levels_ &= ~(1U << level);
  return std::exchange(buckets_[level][digit], {});
}

// Calls `visit` for each entry, in the order in which they came, and frees the chunks.
template <class Visit>
void TimeQueue::drain(const Bucket& bucket, Visit visit) {
  constexpr std::uint32_t kEntriesPerLine = 64 / sizeof(Entry);
  for (Chunk* chunk = bucket.first; chunk != bucket.last;) {
    Chunk* const next = chunk->next;
    for (std::uint32_t i = 0; i < kChunkEntries; i += kEntriesPerLine) __builtin_prefetch(&next->entries[i]);
    for (const Entry& entry : chunk->entries) visit(entry);
    free(chunk);
    chunk = next;
  }
  for (std::uint32_t i = 0; i < bucket.used; ++i) visit(bucket.last->entries[i]);
  free(bucket.last);
}

void TimeQueue::free(Chunk* chunk) {
  chunk->next = free_chunk_;
  free_chunk_ = chunk;
}

}  // namespace overture::sim
