#include "overture/network/garnet/streams.h"

namespace overture::network::garnet {

std::uint32_t Streams::add(const Key& key, std::int64_t packets, Action delivered) {
  const std::uint32_t number = messages_.keep({key, packets, packets, delivered});
  expected_[key].push_back(number);
  return number;
}

Action Streams::arrived(std::uint32_t number) {
  const auto list = expected_.find(messages_[number].key);
  const std::uint32_t first = list->second.front();
  --messages_[number].cut;
  --messages_[first].expected;
  // A number is free again when nothing refers to it any more.
  const auto over = [&](std::uint32_t n) { return messages_[n].cut == 0 && messages_[n].expected == 0; };
  if (over(number)) messages_.give_back(number);
  if (first != number && over(first)) messages_.give_back(first);
  if (messages_[first].expected > 0) return {};
  list->second.erase(list->second.begin());
  if (list->second.empty()) expected_.erase(list);
  return messages_[first].delivered;
}

}  // namespace overture::network::garnet
