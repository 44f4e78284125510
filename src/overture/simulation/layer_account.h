// Where the time went, layer by layer and pass by pass: what the loop waited for is charged to the layer whose
// collective it was. "Exposed" here is ASTRA-sim's, which leaves most of the end of a run out; "waited" is ours
// (docs/glossary.md).
#pragma once

#include <array>
#include <vector>

#include "overture/simulation/timeline.h"

namespace overture::simulation {

// One pass of one layer, over all iterations.
struct PassAccount {
  Duration compute{};
  Duration communication{};  // from issue to completion, update included, summed over collectives
  Duration exposed{};        // of that, what the loop waited for, as ASTRA-sim charges it
  Duration waited{};         // the same with all that the end of the run waits for: adds up to the run
};

struct LayerAccount {
  std::array<PassAccount, workload::kPassKinds> passes;
  int collectives = 0;
  // Sums over the layer's collectives of their means over chunks; see system::CollectiveStats.
  std::vector<double> queueing_ns;
  std::vector<double> network_ns;

  const PassAccount& of(workload::PassKind kind) const { return passes[static_cast<std::size_t>(kind)]; }
  PassAccount& of(workload::PassKind kind) { return passes[static_cast<std::size_t>(kind)]; }
};

// Of every collective task, in the order of TaskGraph::collectives(): how long the loop waited for it.
std::vector<Duration> collective_waits(const workload::TaskGraph& graph, const Timeline& timeline);

// Of a graph that a training loop made: one entry per layer.
std::vector<LayerAccount> layer_accounts(const workload::TaskGraph& graph, const Timeline& timeline);

}  // namespace overture::simulation
