// A connection of RoCE, or of plain messages, in one direction: sender and receiver, a cache line each and
// one for the rate. Packets are numbered from 0 over all messages, modulo 2^32.
#pragma once

#include <cstdint>

#include "overture/network/packet/dcqcn.h"
#include "overture/network/packet/packet.h"

namespace overture::network::packet {

// Where a connection with something to send is kept at its host.
enum class Turn : std::uint8_t { none, ready, later };

struct alignas(64) RoceFlow {
  // The sender.
  std::uint64_t route = 0;
  std::int64_t may_send = 0;      // not before, ps
  std::int64_t deadline = 0;      // of the timeout, ps
  std::uint32_t unacked = 0;      // first packet not acknowledged
  std::uint32_t next = 0;         // first packet not sent, or to be sent again
  std::uint32_t sent = 0;         // first packet never sent
  std::uint32_t end = 0;          // after the last packet of the last message
  std::uint32_t sending = kNone;  // message that has `next`
  std::uint32_t after = kNone;    // the next one ready at its host's link
  std::uint32_t link = 0;         // out of the source
  std::uint32_t boundary = 0;     // after the last packet of that message
  std::uint16_t last_length = 0;  // payload of its last packet, bytes
  std::uint8_t priority = 0;
  std::uint8_t backoff = 0;  // timeouts in a row
  Turn turn = Turn::none;
  bool timer_set = false;

  // The receiver, and what both know.
  std::uint64_t ack_route = 0;
  std::int64_t notified = INT64_MIN / 2;  // when the last CNP was sent, ps
  std::uint32_t expected = 0;             // next packet in order
  std::uint32_t answered = 0;             // by the last ACK
  std::uint32_t receiving = kNone;        // message that has `expected`
  std::uint32_t receive_boundary = 0;     // after the last packet of that message
  std::uint32_t ack_link = 0;             // out of the destination
  std::int32_t source = 0;
  std::int32_t destination = 0;
  std::uint32_t first_message = kNone;  // oldest not wholly acknowledged
  std::uint32_t last_message = kNone;
  bool refused = false;  // a NACK for `expected` was sent

  DcqcnState dcqcn;
};
static_assert(sizeof(RoceFlow) == 192);

// A row of packets that its user knows by the message's index.
struct RoceMessage {
  std::int64_t bytes = 0;
  std::uint32_t first = 0;  // packet
  std::uint32_t packets = 0;
  std::uint32_t arrived = 0;  // packets, if they come in any order
  std::uint32_t flow = 0;
  std::uint32_t next = kNone;  // on the same connection
};

}  // namespace overture::network::packet
