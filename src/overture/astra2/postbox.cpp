#include "overture/astra2/postbox.h"

namespace overture::astra2 {

std::size_t Postbox::Hash::operator()(const Letter& letter) const {
  std::uint64_t hash = letter.size;
  for (const std::int32_t part : {letter.tag, letter.from, letter.to}) {
    hash = (hash ^ static_cast<std::uint32_t>(part)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  }
  return hash;
}

void Postbox::expect(const Letter& letter, Action received) {
  const auto place = boxes_.try_emplace(letter).first;
  Box& box = place->second;
  if (box.arrived > 0) {
    if (--box.arrived == 0) boxes_.erase(place);
    events_.after(Duration::zero(), received);
    return;
  }
  if (free_ < 0) {
    free_ = static_cast<std::int32_t>(waiting_.size());
    waiting_.emplace_back();
  }
  const std::int32_t entry = free_;
  Waiting& waiting = waiting_[static_cast<std::size_t>(entry)];
  free_ = waiting.next;
  waiting = {received, -1};
  if (box.last >= 0) {
    waiting_[static_cast<std::size_t>(box.last)].next = entry;
  } else {
    box.first = entry;
  }
  box.last = entry;
}

void Postbox::arrive(const Letter& letter) {
  const auto place = boxes_.try_emplace(letter).first;
  Box& box = place->second;
  if (box.first < 0) {
    ++box.arrived;
    return;
  }
  const std::int32_t entry = box.first;
  Waiting& waiting = waiting_[static_cast<std::size_t>(entry)];
  Action received = waiting.received;
  box.first = waiting.next;
  if (box.first < 0) boxes_.erase(place);
  waiting.next = free_;
  free_ = entry;
  received();
}

std::vector<Letter> Postbox::expected() const {
  std::vector<Letter> letters;
  for (const auto& [letter, box] : boxes_) {
    if (box.first >= 0) letters.push_back(letter);
  }
  return letters;
}

std::vector<Letter> Postbox::unclaimed() const {
  std::vector<Letter> letters;
  for (const auto& [letter, box] : boxes_) {
    if (box.arrived > 0) letters.push_back(letter);
  }
  return letters;
}

}  // namespace overture::astra2
