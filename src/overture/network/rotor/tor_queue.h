// The output queue of a ToR's port, with three classes: headers and control packets; low-latency data, which
// is trimmed when it does not fit; and bulk, which is served only when both others are empty. No clock: the
// engine asks what to send next.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "overture/base/random.h"
#include "overture/network/rotor/packet.h"

namespace overture::network::rotor {

class TorQueue {
 public:
  enum class Serving : std::uint8_t { nothing, high, low, bulk };
  struct Limits {
    std::int64_t bytes = 0;     // of the first two classes, each
    std::uint16_t header = 64;  // what trimming leaves
  };
  struct Pushed {
    bool trimmed = false;
    std::optional<RotorPacket> overflow;  // a packet of the highest class that did not fit
  };

  Pushed push(const RotorPacket& packet, const Limits& limits, RandomStream& coins);

  bool busy() const { return serving_ != Serving::nothing; }
  Serving serving() const { return serving_; }
  bool empty() const { return high_.empty() && low_.empty() && bulk_.empty(); }
  // Of all classes, the packet being sent included; bulk packets have one size.
  std::int64_t bytes(std::int64_t bulk_packet) const {
    return high_bytes_ + low_bytes_ + static_cast<std::int64_t>(bulk_.size()) * bulk_packet;
  }
  // Starts to send the next packet; the queue is not empty. Returns its size.
  std::uint16_t begin();
  // The packet being sent has left.
  RotorPacket finish();

  // For bulk that has missed its circuit: a look at the first, and out with it.
  bool has_bulk() const { return !bulk_.empty(); }
  const RotorPacket& first_bulk() const { return bulk_.front(); }
  RotorPacket pop_bulk();
  void end_service() { serving_ = Serving::nothing; }

 private:
  Pushed push_high(const RotorPacket& packet, const Limits& limits, bool trimmed);

  std::deque<RotorPacket> high_;
  std::deque<RotorPacket> low_;
  std::deque<RotorPacket> bulk_;
  std::int64_t high_bytes_ = 0;
  std::int64_t low_bytes_ = 0;
  int share_ = 0;  // bytes sent in the round that the first two classes share
  Serving serving_ = Serving::nothing;
};

}  // namespace overture::network::rotor
