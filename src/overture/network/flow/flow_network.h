// Messages as a fluid: every message takes its max-min fair share of the links on its way, from when it is
// sent until its last byte has left, and arrives after the delay of the wires. Rates are found anew when
// messages start or end or a capacity changes, once per instant, and only where the change can be felt.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

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
  FlowNetwork(topology::Topology topology, const FlowConfig& config, sim::EventQueue& events);

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

  // What the flows of a class have in common besides their links.
  struct Kind {
    Bytes size;
    Duration delay;
    friend auto operator<=>(const Kind&, const Kind&) = default;
  };
  struct Traffic {
    FlowSet flows;
    std::vector<Kind> kinds;
    std::vector<Action> delivered;  // by flow, if flows were sent one by one
    std::vector<LaneId> lanes;      // by class of flows
    bool covered = false;
  };
  // Traffic on its way: messages sent at one instant, or one exchange.
  struct Run {
    std::shared_ptr<Traffic> traffic;
    Bytes size;                 // of an exchange or a single message
    Action done;                // likewise
    std::uint32_t missing = 0;  // classes of flows that are not through
    Time last_arrival{};
    std::vector<Delivery> observed;  // of an exchange, by flow, if somebody is to be told
  };
  struct Waiting {
    Message message;
    Way way;
    Action delivered;
  };

  void enqueue(const Message& message, const Way& way, Action delivered);
  void start_later(const Message& message, const Way& way, Action delivered);
  std::vector<Delivery> deliveries_of(Pattern pattern, GroupId group, Bytes size, MessageName name) const;
  const std::shared_ptr<Traffic>& pattern(Pattern pattern, GroupId group);
  const std::shared_ptr<Traffic>& single(const Way& way);
  std::shared_ptr<Traffic> together(const std::vector<Waiting>& messages) const;

  void act_soon();
  void act();
  std::uint32_t start(const std::shared_ptr<Traffic>& traffic, Bytes size, Action done);
  void cover(Traffic& traffic);
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
  double capacity(std::uint32_t link_class, Time when) const;

  topology::Topology topology_;
  FlowConfig config_;
  FlowPaths ways_;
  Symmetry symmetry_;
  std::uint32_t first_link_classes_;
  Fluid fluid_;

  std::map<std::pair<Pattern, GroupId>, std::shared_ptr<Traffic>> patterns_;

  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::shared_ptr<Traffic>>
      singles_;  // by way

  std::vector<Waiting> next_;  // sent at this instant
  bool acting_ = false;        // an event for act() is queued
  bool messages_since_reset_ = false;
  Time armed_ = Time::max();

  std::vector<Waiting> waiting_;  // for their delay to pass
  std::vector<std::uint32_t> unused_waiting_;
  std::vector<Run> runs_;
  std::vector<std::uint32_t> unused_runs_;
  std::vector<std::vector<Action>> deliveries_;
  std::vector<std::uint32_t> unused_deliveries_;

  std::vector<std::vector<Delivery>> told_;  // of exchanges, by event
  std::vector<std::uint32_t> unused_told_;

  std::optional<LinkHistory> history_;
  std::vector<double> sent_;  // bytes over every link, if they are watched
  bool sampling_ = false;     // an event for sample() is queued

  std::int64_t messages_ = 0;
  Bytes delivered_;
};

}  // namespace overture::network::flow
