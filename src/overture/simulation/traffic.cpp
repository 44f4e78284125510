#include "overture/simulation/traffic.h"

namespace overture::simulation {
namespace {

constexpr std::size_t kMessages = 0;  // collectives follow, in the order of their kinds

std::size_t number_of_kind(const workload::TaskGraph& graph, network::MessageName name) {
  const workload::TaskId task{name.task};
  if (name.task == network::kNoTask || graph.kind(task) != workload::TaskKind::collective) return kMessages;
  return 1 + static_cast<std::size_t>(graph.collective(task).kind);
}

std::string_view name_of_kind(std::size_t number) {
  return number == kMessages ? "message" : system::name(static_cast<system::CollectiveKind>(number - 1));
}

}  // namespace

std::string_view traffic_kind(const workload::TaskGraph& graph, network::MessageName name) {
  return name_of_kind(number_of_kind(graph, name));
}

void TrafficCounter::watch(network::Network& network) {
  network.on_delivery([this](const network::Delivery& delivery) { add(delivery); });
}

void TrafficCounter::add(const network::Delivery& delivery) {
  const network::Message& message = delivery.message;
  if (message.from == message.to) return;
  const std::size_t kind = number_of_kind(graph_, message.name);
  (kind == kMessages ? messages_ : collectives_) += message.size;
  const auto from = static_cast<std::size_t>(index(message.from));
  const auto to = static_cast<std::size_t>(index(message.to));
  if (from >= ranks_ || to >= ranks_) return;
  std::vector<Bytes>& pairs = pairs_[kind];
  if (pairs.empty()) pairs.resize(ranks_ * ranks_);
  pairs[from * ranks_ + to] += message.size;
}

std::map<std::tuple<std::string_view, Rank, Rank>, Bytes> TrafficCounter::pairs() const {
  std::map<std::tuple<std::string_view, Rank, Rank>, Bytes> all;
  for (std::size_t kind = 0; kind < pairs_.size(); ++kind) {
    for (std::size_t i = 0; i < pairs_[kind].size(); ++i) {
      if (pairs_[kind][i] == Bytes{}) continue;
      const auto rank = [](std::size_t number) { return Rank{static_cast<int>(number)}; };
      all[{name_of_kind(kind), rank(i / ranks_), rank(i % ranks_)}] = pairs_[kind][i];
    }
  }
  return all;
}

}  // namespace overture::simulation
