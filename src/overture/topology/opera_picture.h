// A picture of an Opera schedule: slices from left to right, ToRs from top to bottom, and in each cell one
// stripe per uplink in the colour of the ToR it leads to. For reports and for looking at.
#pragma once

#include <string>

#include "overture/topology/opera.h"

namespace overture::topology {

// One cycle as SVG; at most `most_tors` ToRs and slices, a note says when that is not all.
std::string opera_picture(const Opera& opera, int most_tors = 64);

}  // namespace overture::topology
