// Carries messages between ranks in simulated time. The backends differ in what they model (closed form,
// queues on links, max-min fair flows, packets), never in what a caller sees.
#pragma once

#include <cstdint>

#include "overture/base/action.h"
#include "overture/base/ids.h"
#include "overture/base/units.h"

namespace overture::network {

struct Message {
  Rank from;
  Rank to;
  Bytes size;
};

class Network {
 public:
  virtual ~Network() = default;

  // Starts carrying `message` now. Calls `delivered` exactly once, from the event queue, when the last byte
  // has reached message.to. Messages of one pair may overtake each other.
  virtual void send(const Message& message, Action delivered) = 0;
};

}  // namespace overture::network
