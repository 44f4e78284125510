// How many messages are under way at the fullest moment of a collective: what the memory of a run follows.
// Known before the run, from algorithms and ranks alone.
#pragma once

#include <cstdint>
#include <span>

#include "overture/system/config.h"
#include "overture/system/logical_dimensions.h"
#include "overture/system/phase_run.h"
#include "overture/topology/hierarchy.h"

namespace overture::system {

struct UnderWay {
  std::int64_t messages = 0;
  CollectiveKind kind = CollectiveKind::all_reduce;
  AlgorithmKind algorithm = kRing;
  int ranks = 0;  // of one group
};

// The fullest phase of one chunk of the collectives that are used, among the ranks that are simulated.
// `config` has been fitted to the dimensions (fit.h). With `whole_exchanges`, a round of equal messages costs
// the network as much as one message.
UnderWay most_under_way(const SystemConfig& config, std::span<const CollectiveKind> used,
                        const LogicalDimensions& logical, const topology::Hierarchy& machine, Scope scope,
                        bool whole_exchanges);

}  // namespace overture::system
