// From a chunk to its phases: which operation by which algorithm on which dimension, one after the other.
#pragma once

#include <vector>

#include "overture/system/config.h"
#include "overture/system/dimension_order.h"
#include "overture/system/logical_dimensions.h"
#include "overture/system/phase_run.h"

namespace overture::system {

// Hands out what alternates from phase to phase: queues in turn, directions with them, and the two trees.
class PhaseResources {
 public:
  PhaseResources(int dimensions, const SystemConfig& config);

  // One more, for a named group.
  void add_dimension();
  // The first half of a dimension's queues runs clockwise, the rest the other way.
  void assign(Phase& phase, CollectiveKind collective);

  // The number of a dimension's first queue, counted through all dimensions; behind the last it is how many
  // there are.
  int first_queue(int dimension) const { return first_queue_[static_cast<std::size_t>(dimension)]; }

 private:
  SystemConfig config_;
  std::vector<DimensionQueues> queues_;       // per dimension
  std::vector<int> first_queue_;              // per dimension, and the end
  std::vector<int> next_queue_;               // per dimension
  std::vector<std::vector<bool>> next_tree_;  // per kind of collective, per dimension
};

// `order` lists the dimensions in which the chunk visits them; those outside `mask` or of size 1 are skipped.
// An empty result means that there is nothing to do.
std::vector<Phase> plan_phases(CollectiveKind kind, const ChunkOrder& order, const DimensionMask& mask,
                               const SystemConfig& config, const std::vector<LogicalDimension>& dimensions,
                               PhaseResources& resources);

}  // namespace overture::system
