#include "overture/network/packet/scoreboard.h"

#include <algorithm>

namespace overture::network::packet {

void Scoreboard::clear() {
  segments_.clear();
  first_ = examined_ = resend_ = 0;
  sent_bytes_ = sacked_bytes_ = lost_bytes_ = resent_bytes_ = 0;
  highest_sacked_ = last_sacked_ = odd_until_ = 0;
  sacked_ = sacked_examined_ = 0;
}

void Scoreboard::append(std::uint64_t begin, std::uint32_t length) {
  segments_.push_back({.begin = begin, .length = length});
  sent_bytes_ += length;
}

void Scoreboard::append_cut(std::uint64_t begin, std::uint32_t length) {
  append(begin, length);
  odd_until_ = begin + length;
}

void Scoreboard::drop_first() {
  const Segment& segment = segments_[first_];
  sent_bytes_ -= segment.length;
  if (segment.resent) resent_bytes_ -= segment.length;
  if (segment.lost) lost_bytes_ -= segment.length;
  if (segment.sacked) {
    sacked_bytes_ -= segment.length;
    --sacked_;
    if (first_ < examined_) --sacked_examined_;
  }
  ++first_;
  examined_ = std::max(examined_, first_);
  resend_ = std::max(resend_, first_);
}

// The first bytes of the first segment have arrived: what was sent again may end elsewhere than it did
// before.
void Scoreboard::cut_first(std::uint32_t bytes) {
  Segment& segment = segments_[first_];
  sent_bytes_ -= bytes;
  if (segment.resent) resent_bytes_ -= bytes;
  if (segment.lost) lost_bytes_ -= bytes;
  if (segment.sacked) sacked_bytes_ -= bytes;
  segment.begin += bytes;
  segment.length -= bytes;
}

std::uint64_t Scoreboard::acknowledge(std::uint64_t offset) {
  std::uint64_t news = 0;
  while (!empty() && segments_[first_].end() <= offset) {
    if (!segments_[first_].sacked) news += segments_[first_].length;
    drop_first();
  }
  if (!empty() && segments_[first_].begin < offset) {
    cut_first(static_cast<std::uint32_t>(offset - segments_[first_].begin));
  }
  if (highest_sacked_ <= offset) highest_sacked_ = 0;
  if (last_sacked_ <= offset) last_sacked_ = 0;
  if (first_ > segments_.size() / 2) {  // keeps the array as small as twice the window
    segments_.erase(segments_.begin(), segments_.begin() + static_cast<std::ptrdiff_t>(first_));
    examined_ -= first_;
    resend_ -= first_;
    first_ = 0;
  }
  return news;
}

std::uint64_t Scoreboard::sack(std::uint64_t begin, std::uint64_t end) {
  std::uint64_t news = 0;
  const auto from = segments_.begin() + static_cast<std::ptrdiff_t>(first_);
  for (auto it = std::ranges::lower_bound(from, segments_.end(), begin, {}, &Segment::begin);
       it != segments_.end() && it->end() <= end; ++it) {
    if (it->sacked) continue;
    if (it->lost) lost_bytes_ -= it->length;
    it->lost = false;
    it->sacked = true;
    sacked_bytes_ += it->length;
    ++sacked_;
    if (static_cast<std::size_t>(it - segments_.begin()) < examined_) ++sacked_examined_;
    if (highest_sacked_ <= it->end()) highest_sacked_ = it->begin;
    last_sacked_ = std::max(last_sacked_, it->begin);
    news += it->length;
  }
  return news;
}

void Scoreboard::lose(Segment& segment) {
  if (segment.sacked || segment.lost) return;
  lost_bytes_ += segment.length;
  segment.lost = true;
}

// Those above the one that counts as the highest.
int Scoreboard::sacked_beyond() const {
  if (highest_sacked_ == last_sacked_) [[likely]]
    return 0;
  const auto from = segments_.begin() + static_cast<std::ptrdiff_t>(first_);
  const auto above = std::ranges::upper_bound(from, segments_.end(), highest_sacked_, {}, &Segment::begin);
  return static_cast<int>(
      std::count_if(above, segments_.end(), [](const Segment& segment) { return segment.sacked; }));
}

void Scoreboard::detect(int threshold) {
  const int counted = sacked_ - sacked_beyond();
  for (; examined_ < segments_.size(); ++examined_) {
    Segment& segment = segments_[examined_];
    const int above = counted - sacked_examined_ - (segment.sacked ? 1 : 0);
    if (above < threshold) return;
    if (segment.sacked) ++sacked_examined_;
    lose(segment);
  }
}

void Scoreboard::lose_first() {
  if (empty()) return;
  Segment& segment = segments_[first_];
  if (segment.resent) resent_bytes_ -= segment.length;
  segment.resent = false;
  lose(segment);
  resend_ = first_;
  if (examined_ > first_) return;
  examined_ = first_ + 1;
  if (segment.sacked) ++sacked_examined_;
}

void Scoreboard::lose_all() {
  resent_bytes_ = 0;
  for (std::size_t i = first_; i < segments_.size(); ++i) {
    segments_[i].resent = false;
    lose(segments_[i]);
  }
  resend_ = first_;
  examined_ = segments_.size();
  sacked_examined_ = sacked_;
}

Scoreboard::Segment* Scoreboard::next_lost() {
  for (; resend_ < examined_; ++resend_) {
    Segment& segment = segments_[resend_];
    if (segment.lost && !segment.resent) return &segment;
  }
  return nullptr;
}

Scoreboard::Segment* Scoreboard::next_unresent() {
  const auto it = std::find_if(segments_.begin() + static_cast<std::ptrdiff_t>(first_), segments_.end(),
                               [](const Segment& segment) { return !segment.resent && !segment.sacked; });
  return it == segments_.end() ? nullptr : &*it;
}

// Moves the boundary to the next segment back, so that this one has up to `most` bytes. If one of the two was
// sent again and the other was not, neither counts as sent again any more.
void Scoreboard::take_from_next(std::size_t position, std::uint32_t most) {
  Segment& segment = segments_[position];
  if (segment.length >= most || position + 1 == segments_.size()) return;
  Segment& next = segments_[position + 1];
  if (next.sacked || next.lost != segment.lost) return;
  if (segment.resent != next.resent) {
    resent_bytes_ -= segment.resent ? segment.length : next.length;
    segment.resent = next.resent = false;
  }
  const std::uint32_t taken = std::min(most - segment.length, next.length);
  segment.length += taken;
  next.begin += taken;
  next.length -= taken;
  resend_ = std::min(resend_, position);
  if (next.length > 0) return;
  segments_.erase(segments_.begin() + static_cast<std::ptrdiff_t>(position) + 1);
  if (examined_ > position + 1) --examined_;
}

void Scoreboard::resend(Segment& segment, std::uint32_t most) {
  take_from_next(static_cast<std::size_t>(&segment - segments_.data()), most);
  if (!segment.resent) resent_bytes_ += segment.length;
  segment.resent = true;
}

bool Scoreboard::is_lost(std::uint64_t offset) const {
  if (offset >= highest_sacked_) return false;
  const auto from = segments_.begin() + static_cast<std::ptrdiff_t>(first_);
  const auto at = std::ranges::lower_bound(from, segments_.end(), offset, {}, &Segment::begin);
  const auto told = std::find_if(at, segments_.end(),
                                 [](const Segment& segment) { return segment.lost || segment.sacked; });
  return told != segments_.end() && told->lost;
}

bool Scoreboard::resent_until(std::uint64_t offset) const {
  const auto from = segments_.begin() + static_cast<std::ptrdiff_t>(first_);
  const auto at = std::ranges::lower_bound(from, segments_.end(), offset, {}, &Segment::end);
  return at != segments_.end() && at->end() == offset && !at->sacked && at->resent;
}

bool Scoreboard::resent_until(std::uint64_t offset, std::uint32_t step, std::uint64_t count) const {
  for (std::uint64_t i = 0; i < count; ++i) {
    if (resent_until(offset - i * step)) return true;
  }
  return false;
}

}  // namespace overture::network::packet
