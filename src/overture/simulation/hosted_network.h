// HostedNetwork: another network, whose ranks are processes of one machine. What carrying a message costs its
// sender and its receiver is computed by threads of theirs that share the machine's cores with all others: so
// messages come later where everybody computes, and computing takes longer where many messages go.
#pragma once

#include "overture/base/pool.h"
#include "overture/network/network.h"
#include "overture/simulation/core_pool.h"
#include "overture/workload/task_graph.h"

namespace overture::simulation {

class HostedNetwork final : public network::Network {
 public:
  // The threads of the pool that it needs: one that sends and one that receives for every rank, after those
  // of the ranks themselves.
  static std::size_t threads(int ranks) { return 3 * static_cast<std::size_t>(ranks); }

  // All outlive it.
  HostedNetwork(const workload::SharedHost& host, network::Network& wires, CorePool& cores,
                sim::EventQueue& events)
      : Network(wires.ranks(), events), host_(host), wires_(wires), cores_(cores) {}

  void rank_acts(Rank rank) override { wires_.rank_acts(rank); }

 private:
  void carry(const network::Message& message, Action delivered) override;
  void compute(std::size_t thread, Duration length, std::uint32_t number);
  void go_on(std::uint32_t number);
  std::size_t sender(Rank rank) const { return static_cast<std::size_t>(ranks() + index(rank)); }
  std::size_t receiver(Rank rank) const { return static_cast<std::size_t>(2 * ranks() + index(rank)); }

  struct UnderWay {
    network::Message message;
    Action delivered;
    int stage = 0;
    int missing = 0;  // of this stage
  };

  const workload::SharedHost host_;
  network::Network& wires_;
  CorePool& cores_;
  Pool<UnderWay> under_way_;
};

}  // namespace overture::simulation
