#include "overture/study/collective_bench.h"

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/simulation/simulation.h"

namespace overture::study {

using system::CollectiveKind;

double CollectivePoint::algorithm_bandwidth() const {
  return time == Duration{} ? 0 : static_cast<double>(size.count()) / to_ns(time);
}

// nccl-tests, doc/PERFORMANCE.md: what each rank's link carries, relative to the size.
double CollectivePoint::bus_bandwidth(CollectiveKind kind) const {
  const double n = ranks;
  const double share = (kind == CollectiveKind::all_reduce ? 2 : 1) * (n - 1) / n;
  return algorithm_bandwidth() * share;
}

CollectivePoint run_collective(const network::NetworkConfig& network, const system::SystemConfig& system,
                               CollectiveKind kind, Bytes size, const simulation::Limits& limits) {
  simulation::SimulationConfig config{
      .workload = {.parallelism = workload::Parallelism::micro}, .system = system, .network = network};
  workload::Layer& layer = config.workload.layers.emplace_back();
  layer.name = name(kind);
  layer.weight_gradient.communication = {kind, size};
  const simulation::SimulationResult result = simulation::simulate(config, {}, limits);
  return {size, result.finished, result.ranks, result.complete};
}

std::vector<Bytes> sizes(Bytes first, Bytes last, int factor) {
  if (first <= Bytes{} || last < first) {
    throw UserError(fmt::format("sizes from {} to {} do not exist", exact(first), exact(last)));
  }
  if (factor < 2) throw UserError("the step factor must be at least 2");
  std::vector<Bytes> result;
  for (Bytes size = first; size <= last; size = size * factor) {
    result.push_back(size);
    if (size > last / factor) break;  // lest the next one overflow
  }
  return result;
}

}  // namespace overture::study
