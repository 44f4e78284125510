// Which ToRs of Opera still reach each other at any moment once a share of its cables, ToRs or rotors has
// failed: what the Opera paper (Mellette et al., NSDI 2020, section 5.5 and appendix A.5) examined for 648
// hosts. Of paths only; what traffic makes of them is simulated.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "overture/study/study_report.h"
#include "overture/topology/opera.h"

namespace overture::study::failures {

enum class OperaPart : std::uint8_t { cable, tor, rotor };
std::string_view plural(OperaPart part);  // "cables", between ToRs and rotors

// Means over draws of the parts that fail; pairs are of ToRs that have not.
struct Connectivity {
  OperaPart part = OperaPart::cable;
  double share = 0;        // of the parts that have failed
  double whole = 0;        // share of draws in which no pair is ever cut off
  double worst_slice = 0;  // share of pairs without a path, in the slice with most of them
  double any_slice = 0;    // share of pairs without a path in some slice
  double mean_hops = 0;    // of the paths that there are, over all slices
  int worst_hops = 0;      // of all draws
};

// The paper's network: 108 ToRs with 12 ports.
topology::Opera published_opera();
Connectivity connectivity(const topology::Opera& opera, OperaPart part, double share, int draws);

// What to examine: parts and shares of them.
std::vector<std::pair<OperaPart, double>> connectivity_points();

std::string connectivity_text(const std::vector<Connectivity>& found);
// Its claims, figures and table.
void add_connectivity(const std::vector<Connectivity>& found, StudyReport& report);

}  // namespace overture::study::failures
