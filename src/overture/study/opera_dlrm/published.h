// The published iteration times of the Opera study (EuroMLSys 2024), from its spreadsheets.
#pragma once

#include <optional>

#include "overture/base/units.h"
#include "overture/study/opera_dlrm/cells.h"

namespace overture::study::opera_dlrm {

struct PublishedTime {
  Duration iteration;
  bool plotted;  // in the paper; else only in the spreadsheets, and some of those look unfinished
};

// Of the same model, variant, nodes, network and all-reduce; none if it was not run.
std::optional<PublishedTime> published_time(const Cell& cell);

// The share of the all-reduces in the bytes on the fat tree, by ring.
std::optional<double> published_traffic_fraction(const Cell& cell);

}  // namespace overture::study::opera_dlrm
