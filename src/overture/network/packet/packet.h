// What travels: 32 bytes, copied from ring to ring. A packet knows its flow and the ports ahead of it;
// everything else is in the flow.
#pragma once

#include <cstdint>

namespace overture::network::packet {

// "No such thing" for indices into flows, messages and pools.
inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

inline constexpr std::int64_t kBitPs = 8'000'000'000'000;  // picoseconds that a byte takes at 1 bit/s

// NDP alone has the last three: data of which a switch left only the header, what the receiver then asks for,
// and the permission to send one more packet.
enum class Kind : std::uint8_t { data, ack, header, nack, pull };

inline constexpr std::uint8_t kCongested = 1;     // data: a queue marked it; ACK: echoes such a mark
inline constexpr std::uint8_t kNotification = 2;  // RoCE: an ACK that is a CNP instead
inline constexpr std::uint8_t kTellLoss = 4;      // its transport looks at what queues dropped
inline constexpr std::uint8_t kFirst = 8;         // found its link free, while others were on the wire
inline constexpr std::uint8_t kComplete = 16;     // NDP: an ACK after which nothing is missing

struct Packet {
  std::uint64_t route = 0;   // ports to take, lowest bits first (see routes.h)
  std::int64_t arrival = 0;  // at the end of the link that it is on, ps
  std::uint32_t flow = 0;    // index
  // TCP: low bits of the byte offset: of the payload, or for an ACK the next byte expected. NDP: the packet's
  // number in its message, or for a PULL how many were allowed so far. RoCE, plain: the packet's number in
  // the connection, or for an ACK or NACK the next one expected. HtsimDctcp: the packet's number.
  std::uint32_t sequence = 0;
  std::uint32_t info = 0;  // TCP data: payload bytes; TCP ACK: its SACK blocks, or kNone; NDP: the message's
                           // serial number; plain: the message; HtsimDctcp: time stamp
  std::uint16_t size = 0;  // bytes on the wire
  Kind kind = Kind::data;
  std::uint8_t flags = 0;
};
static_assert(sizeof(Packet) == 32);

}  // namespace overture::network::packet
