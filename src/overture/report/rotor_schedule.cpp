#include "overture/report/rotor_schedule.h"

#include <fmt/format.h>

namespace overture::report {

std::string schedule_csv(const topology::Opera& opera) {
  constexpr int kMostTors = 64;
  std::string text = "slot,rotor,tor,peer\n";
  if (opera.tors() > kMostTors) return text;
  for (int slice = 0; slice < opera.slices(); ++slice) {
    for (int rotor = 0; rotor < opera.uplinks(); ++rotor) {
      const bool dark = rotor == opera.dark_rotor(slice);
      for (int tor = 0; tor < opera.tors(); ++tor)
        text += fmt::format("{},{},{},{}\n", slice, rotor, tor, dark ? -1 : opera.peer(slice, tor, rotor));
    }
  }
  return text;
}

}  // namespace overture::report
