// What the study varies: every row of its table of parameters, and what the table leaves open. A value is a
// set of keys of the setup, so that any cell is an ordinary `overture simulate`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "overture/study/hoti_dlrm/systems.h"

namespace overture::study::hoti {

struct AxisValue {
  std::string label;              // with its unit
  std::vector<std::string> keys;  // key=value; none: as the setup has it
  // Of the hierarchical systems, where they differ.
  std::optional<std::vector<std::string>> hierarchical{};
  // The system that a flat system becomes with it, which is then not run twice; empty: none of the four.
  std::string flat_becomes{};
};

struct Axis {
  std::string name;                 // as the user types it
  std::string row;                  // of the published table; empty: not in it
  std::vector<AxisValue> values;    // one of them has no keys: the default
  std::vector<std::string> only{};  // systems that it is run on; empty: all
};

const std::vector<Axis>& axes();
const Axis& axis_named(const std::string& name);  // Throws UserError.

bool concerns(const Axis& axis, const SystemSetup& system);
bool becomes_another(const AxisValue& value, const SystemSetup& system);
const std::vector<std::string>& keys_of(const AxisValue& value, const SystemSetup& system);

}  // namespace overture::study::hoti
