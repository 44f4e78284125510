// A change of a setup that may make a run faster, as a user gives it to --set.
#pragma once

#include <string>

#include "overture/base/units.h"

namespace overture::network {

struct SetupChange {
  std::string change;  // "network.paths=spray"
  bool buys = false;   // a faster network, not another setting
};

inline SetupChange twice(const std::string& key, Bytes size) { return {key + "=" + to_string(size * 2)}; }
inline SetupChange twice_the_rate(const std::string& key, Bandwidth rate) {
  return {key + "=" + to_string(Bandwidth::bits_per_second(2 * rate.bits_per_second())), true};
}

}  // namespace overture::network
