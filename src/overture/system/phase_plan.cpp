#include "overture/system/phase_plan.h"

#include "overture/base/check.h"

namespace overture::system {

PhaseResources::PhaseResources(int dimensions, const SystemConfig& config)
    : config_(config), first_queue_{0}, next_tree_(kCollectiveKinds) {
  for (int d = 0; d < dimensions; ++d) add_dimension();
}

void PhaseResources::add_dimension() {
  queues_.push_back(config_.queues_of(static_cast<int>(queues_.size())));
  first_queue_.push_back(first_queue_.back() + queues_.back().count);
  next_queue_.push_back(0);
  for (auto& trees : next_tree_) trees.push_back(false);
}

void PhaseResources::assign(Phase& phase, CollectiveKind collective) {
  const auto d = static_cast<std::size_t>(phase.dimension_index);
  phase.queue = next_queue_[d];
  const DimensionQueues& queues = queues_[d];
  next_queue_[d] = (next_queue_[d] + 1) % queues.count;
  const bool clockwise = queues.count == 1 || queues.one_way || phase.queue < queues.count / 2;
  phase.direction = clockwise ? 1 : -1;
  phase.lane = first_queue_[d] + phase.queue;
  auto& trees = next_tree_[static_cast<std::size_t>(collective)];
  phase.tree_root = trees[d] ? TreeRoot::smallest : TreeRoot::largest;
  if (phase.algorithm.kind == kDoubleBinaryTree) trees[d] = !trees[d];
}

namespace {

// Reduce-scatter inwards and all-gather back. On the last dimension one all-reduce does both, unless Themis
// asks for the two halves everywhere.
std::vector<std::pair<CollectiveKind, int>> there_and_back(const std::vector<int>& dimensions, bool themis) {
  std::vector<std::pair<CollectiveKind, int>> steps;
  const std::size_t scatter = themis ? dimensions.size() : dimensions.size() - 1;
  for (std::size_t i = 0; i < scatter; ++i) steps.emplace_back(CollectiveKind::reduce_scatter, dimensions[i]);
  if (!themis) steps.emplace_back(CollectiveKind::all_reduce, dimensions.back());
  for (std::size_t i = scatter; i-- > 0;) steps.emplace_back(CollectiveKind::all_gather, dimensions[i]);
  return steps;
}

}  // namespace

std::vector<Phase> plan_phases(CollectiveKind kind, const ChunkOrder& order, const DimensionMask& mask,
                               const SystemConfig& config, const std::vector<LogicalDimension>& dimensions,
                               PhaseResources& resources) {
  std::vector<int> visited;
  for (const int d : order.dimensions) {
    const auto i = static_cast<std::size_t>(d);
    if (mask[i] && dimensions[i].size > 1) visited.push_back(d);
  }
  if (visited.empty()) return {};

  std::vector<std::pair<CollectiveKind, int>> steps;
  if (kind == CollectiveKind::all_reduce && config.optimization == Optimization::local_bandwidth_aware) {
    const bool themis =
        config.inter_order == InterOrder::themis || config.inter_order == InterOrder::themis_flex;
    steps = there_and_back(visited, themis);
  } else {
    for (const int d : visited) steps.emplace_back(kind, d);
  }

  // The phases of an all-reduce use the all-reduce's algorithms, also where they scatter or gather.
  const Implementation& implementation = config.implementation(kind);
  std::vector<Phase> phases;
  Bytes data = order.size;
  for (const auto& [operation, d] : steps) {
    const LogicalDimension& dimension = dimensions[static_cast<std::size_t>(d)];
    Phase phase{.kind = operation,
                .algorithm = implementation.per_dimension[static_cast<std::size_t>(d)],
                .dimension = dimension,
                .dimension_index = d,
                .input = data};
    phase.output = output_size(operation, phase.algorithm.kind, dimension.size, data);
    data = phase.output;
    resources.assign(phase, kind);
    phases.push_back(phase);
  }
  return phases;
}

}  // namespace overture::system
