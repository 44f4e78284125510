// What every transport shows to the engine: when it pauses, what it has delivered, and what it has counted.
#pragma once

#include <cstdint>

namespace overture::network::packet {

// When a transport hands control back: not before the last message is delivered, at every delivery, or never.
enum class Pause : std::uint8_t { when_idle, at_delivery, never };

struct TransportCounts {
  std::uint64_t data_packets = 0;     // sent, retransmissions included
  std::uint64_t retransmissions = 0;  // packets
  std::uint64_t timeouts = 0;
  std::uint64_t recoveries = 0;     // fast retransmits
  std::uint64_t duplicates = 0;     // data packets that arrived with nothing new
  std::uint64_t payload_bytes = 0;  // delivered, every byte once
};

struct Completion {
  std::uint32_t message = 0;
  std::int64_t when = 0;  // ps
};

}  // namespace overture::network::packet
