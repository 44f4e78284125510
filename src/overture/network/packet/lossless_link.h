// The parts of a lossless network in arrays. A packet stays in one place, its parcel, while it crosses the
// network; queues and wires are lists of parcels. Here a packet's departure is not known when it comes: the
// far end may stop the link at any time.
#pragma once

#include <cstdint>

#include "overture/base/units.h"
#include "overture/network/packet/packet.h"

namespace overture::network::packet {

// What is on a wire: a packet, or a word from the far end of the opposite link, which stops or restarts one
// lane of this one's sender (PFC).
enum class Frame : std::uint8_t { packet, pause, resume };

struct alignas(64) Parcel {
  Packet packet;
  std::uint32_t from = kNone;  // lane that it came through; kNone at its source
  std::uint32_t next = kNone;  // behind it on the wire or in the queue; the next free one
  std::uint8_t lane = 0;       // of the link that it is on: its priority
  Frame frame = Frame::packet;
};
static_assert(sizeof(Parcel) == 64);

// Parcels in a row.
struct ParcelList {
  std::uint32_t first = kNone;
  std::uint32_t last = kNone;
  bool empty() const { return first == kNone; }
};

// A one-way link, with what every packet touches: one cache line. Sets of lanes are bits.
struct alignas(64) Port {
  std::int64_t free_at = 0;       // when what was started has left, ps
  std::int64_t delay = 0;         // of the wire, ps
  std::uint64_t bytes = 0;        // started in all
  ParcelList wire;                // started and not yet arrived, oldest first
  std::uint32_t ps_per_byte = 0;  // 0: not a whole number, see PortMore::bits_per_second
  std::uint32_t next_port = 0;    // id of the first link that leaves the node at the end, minus 1
  std::int32_t to = 0;            // that node
  std::uint32_t reverse = 0;      // the link the other way
  std::uint8_t waiting = 0;       // lanes with packets in their queues
  std::uint8_t blocked = 0;       // lanes that the far end has stopped
  bool armed = false;             // an event will tell when the link is free
};
static_assert(sizeof(Port) == 64);

// An event that may be wanted sooner than it was asked for. The calendar takes nothing back: then there are
// two, and one is for nothing.
struct Wake {
  static constexpr std::int64_t kNever = INT64_MAX;

  std::int64_t next = kNever;  // the time that counts, ps
  bool pending = false;        // the first entry is in the calendar

  void happened(std::int64_t when, bool first) {
    if (first) pending = false;
    if (next == when) next = kNever;
  }
};

// The rest of a link: its record, and when its host wants to be woken.
struct PortMore {
  std::int64_t bits_per_second = 0;
  std::int64_t mark_min = 0;  // bytes, of ECN
  std::int64_t mark_max = 0;
  std::int64_t queued = 0;  // bytes, in all lanes
  std::int64_t peak = 0;    // most bytes that an accepted packet found before it
  std::uint64_t drops = 0;
  std::uint64_t marks = 0;
  std::uint64_t pauses = 0;  // times that the far end stopped a lane
  std::int64_t paused = 0;   // ps, added up over lanes
  Wake wake;
};

// A lane's queue in front of its link.
struct LaneQueue {
  ParcelList parcels;
  std::int64_t bytes = 0;
  std::int64_t blocked_since = 0;  // ps
};

// PFC: what came in through a lane and is still in the switch, in bytes.
struct Ingress {
  std::int64_t used = 0;      // of the shared buffer
  std::int64_t headroom = 0;  // of the lane's own
  std::int64_t headroom_limit = 0;
  std::uint32_t buffer = 0;  // of the switch, in its list
  bool stopping = false;     // the last word to the sender was to stop
};

// A switch's memory, headroom not included.
struct SwitchBuffer {
  std::int64_t free = 0;
};

// How long `size` bytes take, rounded up as transfer_time() does.
inline std::int64_t serialisation(const Port& port, const PortMore& more, std::int64_t size) {
  if (port.ps_per_byte != 0) [[likely]]
    return size * port.ps_per_byte;
  return (size * kBitPs + more.bits_per_second - 1) / more.bits_per_second;
}

// How many bytes leave in `wait` ps.
inline std::int64_t bytes_in(const PortMore& more, std::int64_t wait) {
  return static_cast<std::int64_t>(Int128{wait} * more.bits_per_second / kBitPs);
}

}  // namespace overture::network::packet
