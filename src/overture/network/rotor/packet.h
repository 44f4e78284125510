// What travels where low-latency and bulk traffic share the links.
#pragma once

#include <cstdint>

namespace overture::network::rotor {

enum class PacketKind : std::uint8_t {
  bulk,
  data,
  header,   // data that lost its payload in a full queue
  bounced,  // a header on its way back to the sender
  ack,
  nack,
  pull,
};

struct RotorPacket {
  PacketKind kind = PacketKind::bulk;
  bool again = false;         // data that was sent before
  bool complete = false;      // an ACK after which nothing is missing
  bool turned = false;        // found a full queue, and is on its way back
  std::uint16_t size = 0;     // bytes on the wire
  std::int32_t from = 0;      // host that put it on the network
  std::int32_t to = 0;        // host where it leaves the network
  std::uint32_t message = 0;  // of either class
  std::uint32_t serial = 0;   // low latency: tells messages that use the same index apart
  std::uint32_t number = 0;   // the packet's number in its message
  std::uint32_t pulls = 0;    // of a PULL, or an ACK or NACK that is one, too: how many were allowed so far
  // The label: which path, of the paths between two racks in a slice, and how many hops of it are done.
  std::int32_t slice = 0;
  std::uint16_t first_tor = 0;
  std::uint16_t path = 0;
  std::uint16_t hop = 0;
};

}  // namespace overture::network::rotor
