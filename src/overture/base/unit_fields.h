// What setups write in another form than the program keeps it: doubles that carry a unit, for numbers that
// are kept as ASTRA-sim keeps them, and sizes in a row.
#pragma once

#include <vector>

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

// "512-256-1"
struct SizesField {
  std::vector<int>& sizes;
};

}  // namespace overture
