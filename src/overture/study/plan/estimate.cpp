#include "overture/study/plan/estimate.h"

#include <algorithm>

#include "overture/study/collective_bench.h"

namespace overture::study {
namespace {

using system::CollectiveKind;

constexpr Bytes kSmallProbe{std::int64_t{1} << 20};
constexpr Bytes kLargeProbe{std::int64_t{1} << 26};

double picoseconds_of(Duration time) { return static_cast<double>(time.count()); }

ExchangeLine measure(const simulation::SimulationConfig& config, CollectiveKind kind) {
  const double small = picoseconds_of(run_collective(config, kind, kSmallProbe).time);
  const double large = picoseconds_of(run_collective(config, kind, kLargeProbe).time);
  const double slope = (large - small) / static_cast<double>((kLargeProbe - kSmallProbe).count());
  return {.base_ps = std::max(0.0, small - slope * static_cast<double>(kSmallProbe.count())),
          .ps_per_byte = slope};
}

}  // namespace

ExchangeLines measure_exchanges(const simulation::SimulationConfig& config) {
  if (network::count_hosts(config.network) < 2) return {};
  return {.all_to_all = measure(config, CollectiveKind::all_to_all),
          .reduce_scatter = measure(config, CollectiveKind::reduce_scatter),
          .all_gather = measure(config, CollectiveKind::all_gather),
          .all_reduce = measure(config, CollectiveKind::all_reduce)};
}

StepEstimate::StepEstimate(const workload::DlrmTraining& training, int ranks, const ExchangeLines& lines)
    : training_(training), ranks_(ranks), samples_((training.batch + ranks - 1) / ranks), lines_(lines) {
  Bytes rows;
  std::int64_t lookups = 0;
  for (const model::EmbeddingTable& table : training.model.tables) {
    rows += table.row() * table.bag;
    lookups += table.bag;
  }
  mean_row_ = rows / std::max<std::int64_t>(lookups, 1);
  const std::int64_t gpus = std::int64_t{ranks} * training.gpus_per_node;
  const std::int64_t gpu_samples = (training.batch + gpus - 1) / gpus;
  for (const model::DenseLayer& layer : training.model.bottom) {
    const model::DensePasses passes = dense_passes(training.compute, training.model, layer, gpu_samples);
    bottom_forward_ps_ += picoseconds_of(passes.forward);
    bottom_backward_ps_ += picoseconds_of(passes.input_gradient + passes.weight_gradient);
  }
}

double StepEstimate::gather_ps(Bytes rows, int gpus) const {
  const model::ForwardBackward time = gather_passes(training_.compute, rows / std::max(gpus, 1), mean_row_);
  return picoseconds_of(time.forward + time.backward);
}

StepEstimate::Parts StepEstimate::parts(const model::TableLoads& loads) const {
  Parts parts;
  Bytes pooled;
  for (const model::TableLoads::OfNode& node : loads.nodes) {
    pooled = std::max(pooled, node.pooled);
    parts.gather_ps = std::max(parts.gather_ps, gather_ps(node.gathered * (samples_ * ranks_),
                                                          std::min(node.shards, training_.gpus_per_node)));
  }
  parts.gather_ps += gather_ps(loads.row_wise_gathered * samples_, training_.gpus_per_node);
  parts.gather_ps += gather_ps(loads.copies_gathered * samples_, training_.gpus_per_node);
  const double around = lines_.all_to_all.of(pooled * (samples_ * ranks_));
  const Bytes own = loads.row_wise_pooled * samples_;
  parts.exchange_ps = std::max(0.0, around + lines_.reduce_scatter.of(own * ranks_) - bottom_forward_ps_) +
                      std::max(0.0, around + lines_.all_gather.of(own) - bottom_backward_ps_);
  if (loads.copies_size > Bytes{}) {
    parts.copies_ps = lines_.all_reduce.of(loads.copies_size) +
                      picoseconds_of(workload::reduction_in_node(loads.copies_size, training_.gpus_per_node,
                                                                 training_.between_gpus));
  }
  return parts;
}

double StepEstimate::picoseconds(const model::TableLoads& loads) const {
  const Parts sum = parts(loads);
  return sum.gather_ps + sum.exchange_ps + sum.copies_ps;
}

}  // namespace overture::study
