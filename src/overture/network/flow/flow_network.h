// Messages as a fluid: every pair of hosts takes its max-min fair share of the links on its way as long as it
// has bytes to send, and a message arrives after the delay of the wires. Messages of a pair go in turn, as on
// one TCP connection, unless each is to have its own. Rates are found anew when pairs start or end or a
// capacity changes, once per instant, and only where the change can be felt.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "overture/base/pool.h"
#include "overture/network/faults.h"
#include "overture/network/flow/config.h"
#include "overture/network/flow/flow_paths.h"
#include "overture/network/flow/fluid.h"
#include "overture/network/flow/symmetry.h"
#include "overture/network/link_history.h"
#include "overture/network/network.h"
#include "overture/sim/event_queue.h"

namespace overture::network::flow {

struct FluidStatistics {
  std::int64_t messages = 0;       // sent between different hosts
  Bytes delivered;                 // every byte once
  std::uint64_t streams = 0;       // classes of flows that ran, each for one run of messages
  std::uint64_t solutions = 0;     // of max-min fairness
  std::uint64_t solved_lanes = 0;  // rates found in them
};

class FlowNetwork final : public Network {
 public:
  // `events` outlives the network. Throws UserError when the configuration cannot work.
  FlowNetwork(topology::Topology topology, const FlowConfig& config, sim::EventQueue& events,
              const Faults& faults = {});

  // A fluid does not queue. With relays it does not know what each link carries: nothing is watched.
  void watch(const MonitorConfig& config) override;
  // Has links only if they were watched.
  NetworkRecord record() override;

  FluidStatistics statistics() const;
  const topology::Graph& graph() const { return topology_.graph; }
  // Bytes a second that the link carries, all messages together, since the last solution.
  double rate_on(int link) const {
    return fluid_.rate_on(symmetry_.class_of_link(static_cast<std::uint32_t>(link)));
  }

 private:
  void carry(const Message& message, Action delivered) override;
  // By hash, the pairs of a group keep the ways that they drew for the pattern's first exchange.
  void carry_exchange(Pattern pattern, GroupId group, Bytes size, MessageName name, Action done) override;

  static constexpr std::uint32_t kNoMessage = ~std::uint32_t{0};

  // What the flows of a class have in common besides their links.
  struct Kind {
    Bytes size;
    Duration delay;
    friend auto operator<=>(const Kind&, const Kind&) = default;
  };
  struct Traffic {
    FlowSet flows;
    std::vector<Kind> kinds;
    std::vector<std::uint32_t> messages;  // by flow, if messages were sent one by one
    std::vector<LaneId> lanes;            // by class of flows
    bool covered = false;
  };
  // Traffic on its way: messages sent at one instant, or one exchange.
  struct Run {
    std::shared_ptr<Traffic> traffic;
    Bytes size;                          // of an exchange or a single message
    Action done;                         // of an exchange
    std::uint32_t message = kNoMessage;  // if it is a single one
    std::uint32_t missing = 0;           // classes of flows that are not through
    Time last_arrival{};
    std::vector<Delivery> observed;  // of an exchange, by flow, if somebody is to be told
  };
  // A message until its last byte has left.
  struct Sent {
    Message message;
    Way way;
    Action delivered;
    std::uint32_t next = kNoMessage;  // of its pair
  };

  void enqueue(std::uint32_t message);
  void set_out(std::uint32_t message);
  Action leave(std::uint32_t message);
  std::vector<Delivery> deliveries_of(Pattern pattern, GroupId group, Bytes size, MessageName name) const;
  const std::shared_ptr<Traffic>& pattern(Pattern pattern, GroupId group);
  const std::shared_ptr<Traffic>& single(const Way& way);
  std::shared_ptr<Traffic> together(const std::vector<std::uint32_t>& messages) const;

  void act_soon();
  void act();
  std::uint32_t start(const std::shared_ptr<Traffic>& traffic, Bytes size);
  void cover(Traffic& traffic);
  void drop_idle_singles(const Traffic& kept);
  std::vector<Traffic*> covered() const;
  void split_lanes(Traffic& traffic);
  void forget_classes();
  void classes_changed();
  double weight(const Traffic& traffic, std::uint32_t flow_class) const;

  void count_links();
  void sample();
  void sample_soon();
  void add_sample();

  void arm();
  void wake();
  void finish(std::uint32_t run, std::uint32_t flow_class, bool relayed);
  void tell_later(const Run& run, std::uint32_t flow_class, Duration delay);
  void deliver(const Run& run, std::uint32_t flow_class, Duration delay);
  void end_run(std::uint32_t run);
  void change_capacities();
  // In flow_faults.cpp.
  void follow_faults();
  void change_routes();
  void send_around(std::uint32_t run);
  void change_faulty_capacities();
  Time next_fault() const;
  double left_of(std::uint32_t link, Time when) const;
  std::vector<std::string> undelivered() const;
  double capacity(std::uint32_t link_class, Time when) const;

  topology::Topology topology_;
  FlowConfig config_;
  std::optional<LinkFaults> faults_;           // if a part of the network ever fails
  std::optional<topology::LiveRouting> live_;  // as routes know it now
  std::size_t route_changes_ = 0;              // so far
  std::uint64_t reroutes_ = 0;
  FlowPaths ways_;
  Symmetry symmetry_;
  std::uint32_t first_link_classes_;
  Fluid fluid_;

  std::map<std::pair<Pattern, GroupId>, std::shared_ptr<Traffic>> patterns_;

  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::shared_ptr<Traffic>>
      singles_;  // by way

  Pool<Sent> sent_;                                                // under way
  std::unordered_map<std::uint64_t, std::uint32_t> last_of_pair_;  // those under way; never iterated
  std::vector<std::uint32_t> next_;                                // set out at this instant
  bool acting_ = false;                                            // an event for act() is queued
  bool messages_since_reset_ = false;
  Time armed_ = Time::max();

  Pool<Run> runs_;
  Pool<std::vector<Action>> deliveries_;
  Pool<std::vector<Delivery>> told_;  // of exchanges, by event

  std::optional<LinkHistory> history_;
  std::vector<double> carried_;  // bytes over every link, if they are watched
  bool sampling_ = false;        // an event for sample() is queued

  std::int64_t messages_ = 0;
  Bytes delivered_;
};

}  // namespace overture::network::flow
