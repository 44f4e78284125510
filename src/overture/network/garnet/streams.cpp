#include "overture/network/garnet/streams.h"

namespace overture::network::garnet {

std::int32_t Streams::add(const Key& key, std::int64_t packets, Action delivered) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::int32_t>(messages_.size()));
    messages_.emplace_back();
  }
  const std::int32_t number = unused_.back();
  unused_.pop_back();
  messages_[static_cast<std::size_t>(number)] = {key, packets, packets, delivered};
  expected_[key].push_back(number);
  return number;
}

Action Streams::arrived(std::int32_t number) {
  const auto at = [this](std::int32_t n) -> Message& { return messages_[static_cast<std::size_t>(n)]; };
  const auto list = expected_.find(at(number).key);
  const std::int32_t first = list->second.front();
  --at(number).cut;
  --at(first).expected;
  // A number is free again when nothing refers to it any more.
  const auto over = [&](std::int32_t n) { return at(n).cut == 0 && at(n).expected == 0; };
  if (over(number)) unused_.push_back(number);
  if (first != number && over(first)) unused_.push_back(first);
  if (at(first).expected > 0) return {};
  list->second.erase(list->second.begin());
  if (list->second.empty()) expected_.erase(list);
  return at(first).delivered;
}

}  // namespace overture::network::garnet
