// What travels: 32 bytes, copied from ring to ring. A packet knows its flow and the ports ahead of it;
// everything else is in the flow.
#pragma once

#include <cstdint>

namespace overture::network::packet {

// "No such thing" for indices into flows, messages and pools.
inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

enum class Kind : std::uint8_t { data, ack };

inline constexpr std::uint8_t kCongested = 1;  // data: a queue marked it; ACK: echoes such a mark

struct Packet {
  std::uint64_t route = 0;   // ports to take, lowest bits first (see routes.h)
  std::int64_t arrival = 0;  // at the end of the link that it is on, ps
  std::uint32_t flow = 0;    // index
  std::uint32_t sequence =
      0;  // low bits of the byte offset: of the payload, or for an ACK the next byte expected
  std::uint32_t info = 0;  // data: payload bytes; ACK: its SACK blocks, or kNone
  std::uint16_t size = 0;  // bytes on the wire
  Kind kind = Kind::data;
  std::uint8_t flags = 0;
};
static_assert(sizeof(Packet) == 32);

}  // namespace overture::network::packet
