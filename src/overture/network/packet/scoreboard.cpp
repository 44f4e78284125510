#include "overture/network/packet/scoreboard.h"

#include <algorithm>

namespace overture::network::packet {

void Scoreboard::clear() {
  segments_.clear();
  first_ = examined_ = resend_ = 0;
  in_flight_ = 0;
  sacked_ = sacked_examined_ = 0;
}

void Scoreboard::append(std::uint64_t begin, std::uint32_t length) {
  segments_.push_back({.begin = begin, .length = length});
  in_flight_ += length;
}

void Scoreboard::drop_first() {
  const Segment& segment = segments_[first_];
  if (segment.in_flight()) in_flight_ -= segment.length;
  if (segment.sacked) {
    --sacked_;
    if (first_ < examined_) --sacked_examined_;
  }
  ++first_;
  examined_ = std::max(examined_, first_);
  resend_ = std::max(resend_, first_);
}

std::uint64_t Scoreboard::acknowledge(std::uint64_t offset) {
  std::uint64_t news = 0;
  while (!empty() && segments_[first_].end() <= offset) {
    if (!segments_[first_].sacked) news += segments_[first_].length;
    drop_first();
  }
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
    if (it->in_flight()) in_flight_ -= it->length;
    it->sacked = true;
    ++sacked_;
    if (static_cast<std::size_t>(it - segments_.begin()) < examined_) ++sacked_examined_;
    news += it->length;
  }
  return news;
}

void Scoreboard::lose(Segment& segment) {
  if (segment.sacked || segment.lost) return;
  in_flight_ -= segment.length;
  segment.lost = true;
}

void Scoreboard::detect(int threshold) {
  for (; examined_ < segments_.size(); ++examined_) {
    Segment& segment = segments_[examined_];
    const int above = sacked_ - sacked_examined_ - (segment.sacked ? 1 : 0);
    if (above < threshold) return;
    if (segment.sacked) ++sacked_examined_;
    lose(segment);
  }
}

void Scoreboard::lose_first() {
  if (empty() || segments_[first_].sacked || segments_[first_].lost) return;
  lose(segments_[first_]);
  resend_ = first_;
  examined_ = std::max(examined_, first_ + 1);
}

void Scoreboard::lose_all() {
  for (std::size_t i = first_; i < segments_.size(); ++i) {
    Segment& segment = segments_[i];
    if (segment.in_flight()) in_flight_ -= segment.length;
    segment.lost = !segment.sacked;
    segment.resent = false;
  }
  resend_ = first_;
  examined_ = segments_.size();
  sacked_examined_ = sacked_;
}

const Scoreboard::Segment* Scoreboard::next_lost() {
  for (; resend_ < examined_; ++resend_) {
    const Segment& segment = segments_[resend_];
    if (segment.lost && !segment.resent && !segment.sacked) return &segment;
  }
  return nullptr;
}

void Scoreboard::resend_next() {
  segments_[resend_].resent = true;
  in_flight_ += segments_[resend_].length;
}

}  // namespace overture::network::packet
