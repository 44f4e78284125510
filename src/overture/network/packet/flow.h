// A connection in one direction, and the messages on it: 192 bytes, the sender's busy line first, the
// receiver's last, which may live in another thread: neither writes what the other reads. Offsets count the
// bytes of the connection from 0 and never wrap; packets carry their low 32 bits.
#pragma once

#include <cstdint>

#include "overture/network/packet/packet.h"

namespace overture::network::packet {

enum class CongestionState : std::uint8_t {
  open,      // nothing lost
  recovery,  // fast retransmit, window by proportional rate reduction (RFC 6937)
  loss,      // after a timeout
};

struct alignas(64) Flow {
  // The sender, every ACK.
  std::uint64_t unacked = 0;   // first offset not acknowledged
  std::uint64_t next = 0;      // first offset never sent
  std::uint64_t boundary = 0;  // end of the message being sent
  std::uint64_t route = 0;
  std::int64_t deadline = 0;  // of the retransmission timer, ps
  std::uint32_t cwnd = 0;     // bytes, as the two below
  std::uint32_t ssthresh = 0;
  std::uint32_t window = 0;       // advertised by the receiver
  std::int32_t source = 0;        // host
  std::uint32_t sending = kNone;  // message
  CongestionState state = CongestionState::open;
  std::uint8_t duplicates = 0;  // duplicate ACKs in a row
  std::uint8_t backoff = 0;     // timeouts in a row
  bool timer_set : 1 = false;
  bool troubled : 1 = false;  // has a scoreboard

  // The sender, less often.
  std::uint64_t timed = 0;    // the ACK that covers this offset is an RTT sample; 0: none is awaited
  std::int64_t timed_at = 0;  // when it was sent, ps
  std::int64_t rtt = 0;       // smoothed, ps; 0 before the first sample
  std::int64_t rtt_deviation = 0;
  std::uint64_t recover = 0;        // loss recovery ends when this is acknowledged
  std::uint64_t mark_window = 0;    // DCTCP: end of the window being observed
  std::uint64_t reduced_until = 0;  // DCTCP: marks before this have had their effect
  std::uint32_t marked = 0;         // DCTCP: bytes acknowledged with a mark in this window
  std::uint32_t observed = 0;       // DCTCP: bytes acknowledged in this window

  // The receiver, and what both know.
  std::uint64_t expected = 0;          // next offset in order
  std::uint64_t receive_boundary = 0;  // end of the message being received
  std::uint64_t ack_route = 0;
  std::uint64_t written = 0;            // end of the last message
  std::int32_t destination = 0;         // host
  std::uint32_t receiving = kNone;      // message
  std::uint32_t first_message = kNone;  // oldest not wholly acknowledged
  std::uint32_t last_message = kNone;
  std::uint32_t losses = kNone;   // scoreboard
  std::uint32_t gaps = kNone;     // reassembly
  std::uint32_t sibling = kNone;  // next connection of the same pair
  float alpha = 0;                // DCTCP: moving share of marked bytes
};
static_assert(sizeof(Flow) == 192);

// A range of bytes that its user knows by the message's index.
struct MessageState {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint32_t flow = 0;
  std::uint32_t next = kNone;           // on the same connection
  std::uint32_t next_received = kNone;  // the same, as far as the receiver knows
};

}  // namespace overture::network::packet
