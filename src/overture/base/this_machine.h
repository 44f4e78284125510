// Which machine this is, as recordings and calibrations name it: what they say holds there and nowhere else.
#pragma once

#include <string>

namespace overture {

struct MachineName {
  std::string processor;  // "AMD EPYC"
  int cores = 0;
  std::string host;

  // Costs carry over when these two are the same.
  bool alike(const MachineName& other) const { return processor == other.processor && cores == other.cores; }
  std::string text() const;
};

MachineName this_machine();

}  // namespace overture
