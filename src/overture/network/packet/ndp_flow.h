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

// A packet that waits at its host to be sent again: after all packets never sent that were allowed before it.
struct NdpResend {
  std::uint32_t number = 0;
  std::uint32_t before = 0;  // it goes before this packet never sent
  std::uint32_t next = 0;    // in Ndp::resends_, in a circle
};

struct alignas(64) NdpFlow {
  // The sender.
  std::uint32_t packets = 0;
  std::uint32_t next = 0;             // first packet never sent
  std::uint32_t fresh = 0;            // packets before this one are sent as soon as the link is free
  std::uint32_t acked = 0;            // packets
  std::uint32_t wanted = 0;           // packets to send again that nothing has allowed yet
  std::uint32_t pulled = 0;           // by PULLs so far
  std::uint32_t spare = 0;            // PULLs that found nothing to send: NACKs will use them
  std::uint32_t link = 0;             // out of the source
  std::uint32_t place = 0;            // among the flows that the source sends
  std::uint32_t last_resend = kNone;  // of those that wait for the link
  std::uint32_t serial = 0;           // tells this message from earlier ones in its place
  std::uint32_t recover = 0;          // so many packets acknowledged end a row of timeouts
  std::int64_t deadline = 0;          // of the timeout, ps
  std::uint8_t backoff = 0;           // timeouts in a row
  bool timer_set = false;
  bool sending = false;       // not all is acknowledged
  bool receiving = false;     // not all has arrived
  bool pulls_matter = false;  // one of those that wait brings a packet

  // Both.
  PacketBits bits;             // of up to 64 packets
  std::uint32_t more = kNone;  // or else here
  std::int32_t source = 0;
  std::int32_t destination = 0;
  std::uint32_t first_wanted = 0;  // no word of bits before this one has a packet to send again
  std::uint32_t pull_place = 0;    // among those that the destination receives
  std::uint32_t reply_link = 0;    // out of the destination
  std::uint32_t slow = kNone;      // gap between PULLs, if the way is slower than the receiver's own link
  std::uint32_t nacks_flying = 0;
  std::uint32_t received = 0;     // packets
  std::uint32_t last_length = 0;  // payload of the last packet

  // Their ways, and the receiver.
  Spread spread;
  Spread reply;
  std::uint32_t pulls_left = 0;     // that will bring a packet
  std::uint32_t pulls_spare = 0;    // that the sender keeps for packets that are cut later
  std::uint32_t pulls_waiting = 0;  // for their turn
  std::uint32_t pulls_sent = 0;     // as packets
};
static_assert(sizeof(NdpFlow) == 192);

}  // namespace overture::network::packet
