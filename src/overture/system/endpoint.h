// What stands between an NPU and its network interface: every packet passes it before it is sent, and once
// more after the last one has arrived.
#pragma once

#include <memory>

#include "overture/base/action.h"
#include "overture/base/units.h"
#include "overture/system/config.h"
#include "overture/system/cycle_clock.h"
#include "overture/system/schedule.h"

namespace overture::system {

class Endpoint {
 public:
  virtual ~Endpoint() = default;
  // Calls `passed` when a packet of `size` is through.
  virtual void pass(Bytes size, const Preparation& preparation, Action passed) = 0;
};

// A constant delay, however many packets are under way; or the shared bus if the config has one. `clock`
// outlives the endpoint.
std::unique_ptr<Endpoint> make_endpoint(const SystemConfig& config, CycleClock& clock);

}  // namespace overture::system
