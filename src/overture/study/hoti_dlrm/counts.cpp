#include "overture/study/hoti_dlrm/counts.h"

#include <fmt/format.h>

#include "overture/simulation/simulation.h"

namespace overture::study::hoti {
namespace {

setup::Setup one_all_reduce(const SystemSetup& system, std::vector<std::string> keys, Bytes size) {
  keys.push_back(
      fmt::format("workload={{parallelism: micro, layers: [{{name: layer, weight_gradient: {{communication: "
                  "{{collective: all_reduce, size: {} B}}}}}}]}}",
                  size.count()));
  for (const char* key : {"passes=1", "system.chunks=1", "network.backend=flow"}) keys.emplace_back(key);
  return parsed(system, keys);
}

}  // namespace

AllReduceCounts count_all_reduce(const SystemSetup& system, const std::vector<std::string>& keys,
                                 Bytes size) {
  const setup::Setup setup = one_all_reduce(system, keys, size);
  AllReduceCounts counts;
  if (setup.network.nodes) counts.gpus_per_node = setup.network.nodes->gpus_per_node;
  std::int64_t messages = 0;
  simulation::Observers observers;
  observers.chunk = [&](const system::ChunkEvent& event) {
    counts.phases.push_back(
        fmt::format("{} on dimension {}", system::name(event.phase.kind), event.phase.dimension_index));
  };
  observers.before = [&](const workload::TaskGraph&, network::Network& network) {
    network.on_delivery([&](const network::Delivery& delivery) {
      ++messages;
      const bool together = index(delivery.message.from) / counts.gpus_per_node ==
                            index(delivery.message.to) / counts.gpus_per_node;
      (together ? counts.inside : counts.between) += delivery.message.size.count();
    });
  };
  const simulation::SimulationResult result = simulation::simulate(setup.simulation, observers);
  counts.gpus = result.ranks;
  counts.messages_per_gpu = static_cast<double>(messages) / result.ranks;
  return counts;
}

}  // namespace overture::study::hoti
