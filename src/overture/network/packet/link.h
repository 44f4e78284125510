// A one-way link with the queue in front of it, in arrays. A FIFO needs no queue object: when a packet comes,
// the time at which it will have left is known, so it goes straight into the ring of packets on their way,
// and what waits is `free_at - now`.
#pragma once

#include <cstdint>
#include <memory>

#include "overture/network/packet/packet.h"

namespace overture::network::packet {

// What every packet touches: one cache line.
struct alignas(64) FabricLink {
  std::int64_t free_at = 0;       // when the last accepted packet has left, ps
  std::int64_t attention = 0;     // a longer wait than this is looked at: a new peak, a mark, a drop
  std::int64_t delay = 0;         // of the wire, ps
  Packet* ring = nullptr;         // accepted and not yet arrived, oldest first; in LinkMore::storage
  std::uint64_t bytes = 0;        // accepted in all
  std::uint32_t mask = 0;         // ring size - 1
  std::uint32_t head = 0;         // taken from the ring so far
  std::uint32_t tail = 0;         // put into the ring so far
  std::uint32_t ps_per_byte = 0;  // 0: not a whole number, see LinkMore::bits_per_second
  std::uint32_t next_port = 0;    // id of the first link that leaves the node at the end, minus 1
  std::int32_t to = 0;            // that node

  bool empty() const { return head == tail; }
  Packet& front() { return ring[head & mask]; }
  Packet& at(std::uint32_t position) { return ring[position & mask]; }
};
static_assert(sizeof(FabricLink) == 64);

// The rest of a link: its limits and its record.
struct LinkMore {
  std::int64_t bits_per_second = 0;
  std::int64_t limit = -1;       // bytes queued; -1: none
  std::int64_t mark_above = -1;  // as a wait, ps; -1: never
  std::int64_t peak = 0;         // longest wait that an accepted packet found, ps
  std::uint32_t mark_cursor =
      0;                       // packets before this ring position need no more looking at (marks at dequeue)
  std::uint32_t pool = kNone;  // the switch's shared buffer
  std::int64_t last_arrival = -1;  // of the packets that came from another part, ps
  std::uint64_t drops = 0;
  std::uint64_t marks = 0;
  std::unique_ptr<Packet[]> storage;
  std::unique_ptr<std::uint64_t[]>
      orders;  // as the ring: of the packets that are kFirst; from the first one on
};

// NDP: data that waits at a switch, oldest first. A host's waits in the transport.
struct WaitingData {
  std::unique_ptr<Packet[]> ring;
  std::uint32_t mask = 0;      // ring size - 1
  std::uint32_t head = 0;      // taken from the ring so far
  std::uint32_t tail = 0;      // put into the ring so far
  bool armed = false;          // an event will tell when the link is free
  std::int64_t bytes = 0;      // in the ring
  std::int64_t data_end = 0;   // when the last data packet that started has left, ps
  std::int64_t data_size = 0;  // its bytes
  std::uint64_t trims = 0;

  bool empty() const { return head == tail; }
  Packet& front() { return ring[head & mask]; }
  Packet& back() { return ring[(tail - 1) & mask]; }
  void push(const Packet& packet);
};

// How long `size` bytes take, rounded up as transfer_time() does.
inline std::int64_t serialisation(const FabricLink& link, const LinkMore& more, std::int64_t size) {
  if (link.ps_per_byte != 0) [[likely]]
    return size * link.ps_per_byte;
  return (size * kBitPs + more.bits_per_second - 1) / more.bits_per_second;
}

// When a packet on the link began to leave.
inline std::int64_t start_of(const Packet& packet, const FabricLink& link, const LinkMore& more) {
  return packet.arrival - link.delay - serialisation(link, more, packet.size);
}

// How many bytes leave in `wait` ps.
inline std::int64_t bytes_in(const LinkMore& more, std::int64_t wait) {
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>(Wide{wait} * more.bits_per_second / kBitPs);
}

}  // namespace overture::network::packet
