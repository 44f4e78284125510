// The training of any DLRM as a workload in layers: who holds which part of the tables, what a rank computes
// and what it exchanges. Every rank does the same, so that it costs as much for a million ranks as for two;
// only tables that lie unevenly bring sizes per pair of ranks.
#pragma once

#include <cstdint>

#include "overture/base/words.h"
#include "overture/model/dlrm.h"
#include "overture/model/dlrm_compute.h"
#include "overture/model/placement.h"
#include "overture/model/table_plan.h"
#include "overture/workload/workload.h"

namespace overture::workload {

using model::TableSharding;

enum class DenseParallelism : std::uint8_t {
  data_parallel,  // every rank has all weights; gradients are all-reduced
  sharded,  // every rank has a share; weights are gathered for each pass, gradients reduced and scattered
};
constexpr auto vocabulary(DenseParallelism) {
  return std::to_array<Word<DenseParallelism>>({
      {DenseParallelism::data_parallel, "data_parallel"},
      {DenseParallelism::sharded, "sharded"},
  });
}

struct DlrmTraining {
  model::Dlrm model;
  std::int64_t batch = 524'288;                        // of all ranks together
  int gpus_per_node = 1;                               // behind every rank
  TableSharding sharding = TableSharding::table_wise;  // of all tables
  model::TablePlan plan;  // of each table on its own, in place of sharding, placement and `given`
  model::PlacementRule placement = model::PlacementRule::round_robin;
  model::Placement given;  // table_wise: the rank of every table, in place of the rule
  DenseParallelism dense = DenseParallelism::data_parallel;
  Bandwidth between_gpus = Bandwidth::bits_per_second(200'000'000'000);  // within a node
  Bytes memory_per_gpu{80'000'000'000};
  model::DlrmCompute compute;
};

// The rank of every table. Throws UserError when a given one does not exist, or when the tables of a rank do
// not fit its memory.
model::Placement placed(const DlrmTraining& training, int ranks);

// How long the GPUs of a node take to reduce `size` among themselves: each sends and receives its share.
Duration reduction_in_node(Bytes size, int gpus_per_node, Bandwidth between_gpus);

// On so many ranks. Throws UserError when the batch does not reach all GPUs, when tables do not fit, and when
// they lie so unevenly on so many ranks that their exchange cannot be written down.
Workload dlrm_workload(const DlrmTraining& training, int ranks);

// The same for ASTRA-sim's text file, as HYBRID_DLRM. Throws UserError for what that cannot say. There,
// tables are updated before their gradients have come.
Workload astra_form(const Workload& dlrm);

}  // namespace overture::workload
