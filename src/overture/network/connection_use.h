// How messages from one rank to another use connections.
#pragma once

#include <cstdint>

#include "overture/base/words.h"

namespace overture::network {

// One connection per pair of hosts, open before time 0 and used by all messages in turn; or a new one per
// message that finds no idle one, so that messages of a pair share the links and may overtake each other.
enum class ConnectionUse : std::uint8_t { per_pair, per_message };
constexpr auto vocabulary(ConnectionUse) {
  return std::to_array<Word<ConnectionUse>>({
      {ConnectionUse::per_pair, "per_pair"},
      {ConnectionUse::per_message, "per_message"},
  });
}

}  // namespace overture::network
