// Who sent how much to whom in a run, and for what: counted from what the network delivered, so that it is
// the same for every backend and every algorithm.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "overture/network/network.h"
#include "overture/workload/task_graph.h"

namespace overture::simulation {

// "message", or the kind of the collective.
std::string_view traffic_kind(const workload::TaskGraph& graph, network::MessageName name);

class TrafficCounter {
 public:
  // Pairs are told apart for at most so many ranks. `graph` outlives the counter.
  explicit TrafficCounter(const workload::TaskGraph& graph, int most_ranks = 256)
      : graph_(graph), ranks_(graph.ranks() <= most_ranks ? static_cast<std::size_t>(most_ranks) : 0) {}

  // From now on counts what the network delivers, which the counter outlives.
  void watch(network::Network& network);
  // One message, for who watches the network himself.
  void add(const network::Delivery& delivery);

  Bytes messages() const { return messages_; }
  Bytes collectives() const { return collectives_; }
  // By kind, sender and receiver; empty where there are too many ranks.
  std::map<std::tuple<std::string_view, Rank, Rank>, Bytes> pairs() const;

 private:
  const workload::TaskGraph& graph_;
  std::size_t ranks_;  // that are told apart; 0: there are too many
  Bytes messages_;
  Bytes collectives_;
  // Of messages, then of each kind of collective: by sender and receiver; empty before the first one.
  std::array<std::vector<Bytes>, system::kCollectiveKinds + 1> pairs_;
};

}  // namespace overture::simulation
