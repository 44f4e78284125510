// A greedy planner in the manner of TorchRec's (its two GreedyProposers, UniformProposer and
// GreedyPerfPartitioner, with its default constants), as the baseline of ours: it rates every way to shard a
// table by bandwidths alone, takes the best way for each table, and puts the slowest shards first on the
// device that has least to do.
#pragma once

#include <optional>

#include "overture/model/table_plan.h"

namespace overture::study {

struct GreedyProblem {
  const std::vector<model::EmbeddingTable>& tables;
  int nodes = 1;
  std::int64_t samples = 1;  // of a node
  Bytes memory;              // of a node
};

// None when its proposals do not fit.
std::optional<model::TablePlan> greedy_plan(const GreedyProblem& problem);

}  // namespace overture::study
