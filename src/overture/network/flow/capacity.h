// How a link's capacity changes with time: full in some windows of a period, nothing outside them. What a
// rotor switch does to its circuits, seen by a fluid.
#pragma once

#include <vector>

#include "overture/base/units.h"

namespace overture::network::flow {

// From `from` up to `to` after the start of each period, this share of the link's rate can be used.
struct CapacityWindow {
  Duration from{};
  Duration to{};
  double share = 1;
};

class CapacitySchedule {
 public:
  // Windows in order, apart, and within the period. Throws UserError if they are not.
  CapacitySchedule(Duration period, std::vector<CapacityWindow> windows);

  double share_at(Time when) const;
  // The first time after `when` at which the share may change.
  Time next_change(Time when) const;

 private:
  Duration period_;
  std::vector<CapacityWindow> windows_;
};

}  // namespace overture::network::flow
