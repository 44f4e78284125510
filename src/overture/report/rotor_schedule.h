// Who faces whom on a rotor network, as a file that the report draws.
#pragma once

#include <string>

#include "overture/topology/opera.h"

namespace overture::report {

// A row per slot, rotor and ToR. Larger networks have too many to look at: the header alone.
std::string schedule_csv(const topology::Opera& opera);

}  // namespace overture::report
