// The networks of the Opera study: how each is built for a cell, with which transport, and how a step is
// played on it. What a network needs of the step itself (rings, packets) is here too.
#pragma once

#include <cstdint>

#include "overture/simulation/play.h"
#include "overture/study/opera_dlrm_cells.h"
#include "overture/topology/opera.h"
#include "overture/workload/dlrm_tasks.h"

namespace overture::study {

struct Played {
  simulation::Timeline run;
  std::uint64_t timeouts = 0;  // retransmission timers that ran out
};

// Tells the step what the cell's network is like.
void fit_to_network(const Cell& cell, workload::DlrmStep& step);

// Builds the cell's network and runs the graph on it. Throws UserError when it cannot be built.
Played play(const Cell& cell, const workload::DlrmStep& step, const workload::TaskGraph& graph);

// The schedule of a cell on Opera. Throws UserError when the slice is too short.
topology::Opera opera_of(const Cell& cell);

}  // namespace overture::study
