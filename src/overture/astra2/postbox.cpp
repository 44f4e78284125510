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
  const std::uint32_t entry = waiting_.keep({.received = received});
  (box.first == kNobody ? box.first : waiting_[box.last].next) = entry;
  box.last = entry;
}

void Postbox::arrive(const Letter& letter) {
  const auto place = boxes_.try_emplace(letter).first;
  Box& box = place->second;
  if (box.first == kNobody) {
    ++box.arrived;
    return;
  }
  Waiting waiting = waiting_.release(box.first);
  box.first = waiting.next;
  if (box.first == kNobody) boxes_.erase(place);
  waiting.received();
}

std::vector<Letter> Postbox::expected() const {
  std::vector<Letter> letters;
  for (const auto& [letter, box] : boxes_) {
    if (box.first != kNobody) letters.push_back(letter);
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
