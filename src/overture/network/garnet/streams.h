// Which message an arrived packet is counted for. Garnet counts a packet for the oldest message that its
// receiver still expects from the sender under the same tag, not for the one it was cut from; they differ
// where packets overtake.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "overture/base/action.h"
#include "overture/base/pool.h"

namespace overture::network::garnet {

class Streams {
 public:
  struct Key {
    std::int32_t from;
    std::int32_t to;
    std::int32_t vnet;
    std::int32_t tag;
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  // A message of so many packets; its number is good until it is complete.
  std::uint32_t add(const Key& key, std::int64_t packets, Action delivered);

  // A packet cut from message `number` has arrived. Returns what to call, if that makes a message complete.
  Action arrived(std::uint32_t number);

  std::size_t under_way() const { return messages_.in_use(); }

 private:
  struct Message {
    Key key;
    std::int64_t cut = 0;       // packets of its own that are still under way
    std::int64_t expected = 0;  // packets that the receiver still waits for
    Action delivered;
  };

  Pool<Message> messages_;
  std::map<Key, std::vector<std::uint32_t>> expected_;  // oldest first
};

}  // namespace overture::network::garnet
