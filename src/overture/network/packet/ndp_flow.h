// An NDP message on its way: sender, both, receiver, a cache line each. Packets are numbered from 0; what
// happened to each is a bit, three words for 64 packets, in the flow itself if that is enough.
#pragma once

#include <cstdint>

#include "overture/network/packet/equal_paths.h"
#include "overture/network/packet/packet.h"

namespace overture::network::packet {

struct PacketBits {
  std::uint64_t acked = 0;     // the sender knows that it arrived
  std::uint64_t wanted = 0;    // the sender knows that it has to be sent again
  std::uint64_t received = 0;  // by the receiver
};

struct alignas(64) NdpFlow {
  // The sender.
  std::uint32_t packets = 0;
  std::uint32_t next = 0;         // first packet never sent
  std::uint32_t acked = 0;        // packets
  std::uint32_t wanted = 0;       // packets to send again
  std::uint32_t ready_new = 0;    // packets never sent that may be sent as soon as the link is free
  std::uint32_t ready_again = 0;  // of those to send again, the same
  std::uint32_t pulled = 0;       // by PULLs so far
  std::uint32_t spare = 0;        // PULLs that found nothing to send: a NACK that they overtook will use them
  std::uint32_t link = 0;         // out of the source
  std::uint32_t after_new = kNone;    // the next flow in the link's list of new packets
  std::uint32_t after_again = kNone;  // and of packets to send again
  std::uint32_t first_wanted = 0;     // no word of bits before this one has a packet to send again
  std::int64_t deadline = 0;          // of the timeout, ps
  std::uint32_t serial = 0;           // tells this message from earlier ones in its place
  std::uint8_t backoff = 0;           // timeouts in a row
  bool timer_set = false;
  bool in_new = false;  // in the link's list
  bool in_again = false;

  // Both.
  PacketBits bits;             // of up to 64 packets
  std::uint32_t more = kNone;  // or else here
  std::int32_t source = 0;
  std::int32_t destination = 0;
  bool sending = false;              // not all is acknowledged
  bool receiving = false;            // not all has arrived
  bool in_pulls = false;             // in the receiver's list
  std::uint32_t after_pull = kNone;  // the next flow in it
  std::uint32_t recover = 0;         // so many packets acknowledged end a row of timeouts
  std::uint32_t reply_link = 0;      // out of the destination
  std::uint32_t narrowest = kNone;   // link on the way, if slower than the receiver's own
  std::int64_t size = 0;             // bytes

  // Their ways, and the receiver.
  Spread spread;
  Spread reply;
  std::uint32_t received = 0;       // packets
  std::uint32_t pulls_left = 0;     // to ask for
  std::uint32_t pulls_waiting = 0;  // for their turn
  std::uint32_t pulls_sent = 0;
};
static_assert(sizeof(NdpFlow) == 192);

}  // namespace overture::network::packet
