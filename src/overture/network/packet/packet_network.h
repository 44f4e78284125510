// The packet engine as a Network. The engine keeps its own fast event queue; the shared one holds a single
// event for it, at the time of its next own event, so both worlds see each other's events in time order,
// exactly.
#pragma once

#include <optional>
#include <vector>

#include "overture/network/link_history.h"
#include "overture/network/network.h"
#include "overture/network/packet/engine.h"
#include "overture/sim/event_queue.h"

namespace overture::network::packet {

class PacketNetwork final : public Network {
 public:
  // `events` outlives the network. Throws UserError when the configuration cannot work.
  PacketNetwork(topology::Topology topology, const PacketConfig& config, sim::EventQueue& events,
                const Faults& faults = {});

  void watch(const MonitorConfig& config) override;
  NetworkRecord record() override;
  int ranks_of_machine() const override { return ranks_of_machine_; }

  PacketStatistics statistics() const { return engine_.statistics(); }
  std::vector<LinkRecord> links() const { return engine_.links(); }
  std::uint64_t digest() const { return engine_.digest(); }
  const topology::Graph& graph() const { return topology_.graph; }

 private:
  // With TCP, messages of a pair arrive in order.
  void carry(const Message& message, Action delivered) override;
  void run(std::int64_t limit);
  void sample(std::int64_t when);
  void arm();
  void wake();
  void deliver();
  std::int64_t horizon();
  bool waits_for_something();
  template <class OfLink>
  void repeat_machine(std::vector<OfLink>& of_links) const;

  topology::Topology topology_;
  Engine engine_;
  int ranks_of_machine_;
  Undeliverable lost_;
  struct Sent {
    Action delivered;
    Bytes elsewhere;  // that it stands for in other machines
  };
  std::vector<Sent> sent_;        // by message
  std::vector<Completion> done_;  // being delivered
  std::optional<LinkHistory> history_;
  std::vector<LinkState> states_;  // of one sample
  Bytes elsewhere_;                // delivered
  bool by_first_machine_ = false;  // does any message stand for others?
  Time armed_ = Time::max();       // the event that counts; earlier ones were overtaken
};

}  // namespace overture::network::packet
