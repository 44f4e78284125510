// A connection in one direction, and the messages on it: 256 bytes, the sender's busy line first, the
// receiver's third, which may live in another thread: neither writes what the other reads. A connection
// carries a stream of bytes, of which messages are ranges: a packet may hold the end of one and the beginning
// of the next. Offsets count the bytes of the stream from 0 and never wrap; packets carry their low 32 bits.
#pragma once

#include <cstdint>
#include <limits>

#include "overture/network/packet/packet.h"
#include "overture/network/packet/send_times.h"

namespace overture::network::packet {

enum class CongestionState : std::uint8_t {
  open,      // nothing lost
  disorder,  // something arrived out of order, and may have been lost
  recovery,  // fast retransmit, window by proportional rate reduction (RFC 6937)
  loss,      // after a timeout
};

// The time of a timer that does not run.
inline constexpr std::int64_t kNoTimer = std::numeric_limits<std::int64_t>::max();

struct alignas(64) Flow {
  // The sender, every ACK.
  std::uint64_t unacked = 0;  // first offset not acknowledged
  std::uint64_t next = 0;     // first offset never sent
  std::uint64_t written = 0;  // end of the last message
  std::uint64_t route = 0;
  std::int64_t deadline = kNoTimer;  // of the retransmission timer, ps
  std::uint32_t cwnd = 0;            // bytes, as the three below
  std::uint32_t ssthresh = 0;
  std::uint32_t window = 0;      // advertised by the receiver
  std::uint32_t unrewarded = 0;  // acknowledged, and less than a segment: has not raised cwnd yet
  std::int32_t source = 0;       // host
  CongestionState state = CongestionState::open;
  std::uint8_t duplicates = 0;    // duplicate ACKs in a row
  std::uint8_t backoff = 0;       // timeouts in a row
  bool troubled : 1 = false;      // has a scoreboard
  bool recovering : 1 = false;    // `recover` is yet to be acknowledged
  bool first_partial : 1 = true;  // no partial ACK came in this recovery so far

  // The sender, less often.
  std::int64_t rtt = 0;  // smoothed, ps; 0 before the first sample
  std::int64_t rtt_deviation = 0;
  std::uint64_t recover = 0;         // loss recovery ends when this is acknowledged
  std::int64_t timer_at = kNoTimer;  // when the timer's event is due: by the deadline, ps
  std::uint64_t mark_window = 0;     // DCTCP: end of the window being observed
  std::uint32_t marked = 0;          // DCTCP: bytes acknowledged with a mark in this window
  std::uint32_t observed = 0;        // DCTCP: bytes acknowledged in this window

  // The receiver, and what both know.
  std::uint64_t expected = 0;          // next offset in order
  std::uint64_t receive_boundary = 0;  // end of the message being received
  std::uint64_t ack_route = 0;
  std::uint64_t reduced_until = 0;      // DCTCP, Swift: what comes before has had its effect
  std::int32_t destination = 0;         // host
  std::uint32_t receiving = kNone;      // message
  std::uint32_t first_message = kNone;  // oldest not wholly acknowledged
  std::uint32_t last_message = kNone;
  std::uint32_t losses = kNone;   // scoreboard
  std::uint32_t gaps = kNone;     // reassembly
  std::uint32_t sibling = kNone;  // next connection of the same pair
  float alpha = 0;                // DCTCP: moving share of marked bytes
  std::int64_t posted_at = 0;     // when the last message that was posted is sent, ps
  std::uint32_t posted = kNone;   // that message, if it was not sent yet

  // The sender, every packet and every ACK.
  alignas(64) SendTimes times;  // when what is not acknowledged was sent
};
static_assert(sizeof(Flow) == 256);

// A range of bytes that its user knows by the message's index.
struct MessageState {
  std::uint64_t end = 0;
  std::uint32_t flow = 0;
  bool ends_packet = false;             // the packet with its last byte holds nothing of the next message
  std::uint32_t next = kNone;           // on the same connection; before it is sent, what is sent with it
  std::uint32_t next_received = kNone;  // the same, as far as the receiver knows
};

}  // namespace overture::network::packet
