#include "overture/study/collective_bench.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::study {

using system::CollectiveKind;

double CollectivePoint::algorithm_bandwidth() const {
  return time == Duration{} ? 0 : static_cast<double>(size.count()) / to_ns(time);
}

// nccl-tests, doc/PERFORMANCE.md: what each rank's link carries, relative to the size.
double CollectivePoint::bus_bandwidth(CollectiveKind kind) const {
  if (kind == CollectiveKind::broadcast) return algorithm_bandwidth();
  const double n = ranks;
  const double share = (kind == CollectiveKind::all_reduce ? 2 : 1) * (n - 1) / n;
  return algorithm_bandwidth() * share;
}

CollectivePoint run_collective(const simulation::SimulationConfig& config, CollectiveKind kind, Bytes held,
                               const simulation::Limits& limits) {
  simulation::SimulationConfig alone{.workload = {.parallelism = workload::Parallelism::micro},
                                     .system = config.system,
                                     .network = config.network,
                                     .dimensions = config.dimensions,
                                     .system_file = config.system_file};
  workload::Layer& layer = alone.workload.layers.emplace_back();
  layer.name = name(kind);
  layer.weight_gradient.communication = {kind, held};
  const simulation::SimulationResult result = simulation::simulate(alone, {}, limits);
  return {held, result.finished, result.ranks, result.complete};
}

CollectivePoint bench_collective(const simulation::SimulationConfig& config, CollectiveKind kind, Bytes size,
                                 const simulation::Limits& limits) {
  const bool gathers = kind == CollectiveKind::all_gather;
  const int ranks = network::count_hosts(config.network);
  CollectivePoint point =
      run_collective(config, kind, gathers ? std::max(size / ranks, Bytes{1}) : size, limits);
  if (gathers) point.size = point.size * ranks;
  if (kind == CollectiveKind::barrier) point.size = Bytes{0};
  return point;
}

std::vector<Bytes> sizes(Bytes first, Bytes last, int factor) {
  if (first <= Bytes{}) throw UserError("-b: the smallest size is at least 1 B");
  if (last < first)
    throw UserError(
        fmt::format("-e: the largest size ({1}) is below the smallest (-b: {0})", exact(first), exact(last)));
  if (factor < 2) throw UserError("-f: the step factor must be at least 2");
  std::vector<Bytes> result;
  for (Bytes size = first; size <= last; size = size * factor) {
    result.push_back(size);
    if (size > last / factor) break;  // lest the next one overflow
  }
  return result;
}

}  // namespace overture::study
