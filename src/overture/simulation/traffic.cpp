#include "overture/simulation/traffic.h"

namespace overture::simulation {

std::string_view traffic_kind(const workload::TaskGraph& graph, network::MessageName name) {
  const workload::TaskId task{name.task};
  if (name.task == network::kNoTask || graph.kind(task) != workload::TaskKind::collective) return "message";
  return system::name(graph.collective(task).kind);
}

void TrafficCounter::watch(network::Network& network) {
  network.on_delivery([this](const network::Delivery& delivery) { add(delivery); });
}

void TrafficCounter::add(const network::Delivery& delivery) {
  const network::Message& message = delivery.message;
  if (message.from == message.to) return;
  const std::string_view kind = traffic_kind(graph_, message.name);
  (kind == "message" ? messages_ : collectives_) += message.size;
  if (by_pair_) pairs_[{kind, message.from, message.to}] += message.size;
}

}  // namespace overture::simulation
