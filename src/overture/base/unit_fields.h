// Doubles that carry a unit in setups, for numbers that are kept as ASTRA-sim keeps them.
#pragma once

namespace overture {

struct NanosecondsField {
  double& ns;
};
struct LinkRateField {
  double& gib_per_s;
};
struct MemoryRateField {
  double& bytes_per_ns;
};

}  // namespace overture
