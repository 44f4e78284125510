#include "overture/network/packet/run_flows.h"

#include <algorithm>
#include <limits>

#include "overture/network/packet/engine.h"

namespace overture::network::packet {
namespace {

// Runs to the limits, in pieces: between them the links are looked at, and the machine's clock.
class BoundedRun {
 public:
  BoundedRun(Engine& engine, const RunLimits& limits, LinkHistory* history, Undeliverable& lost)
      : engine_(engine),
        lost_(lost),
        until_(limits.until ? limits.until->time_since_epoch().count() : kNever),
        patience_(limits),
        step_(patience_.asks() || engine.faults() != nullptr ? kStep : kNever),
        history_(history) {}

  void run() {
    while (goes_on() && patience_.lasts(so_far())) {
      sample(std::min(engine_.next_time() - 1, until_));
      engine_.run(piece_end());
    }
  }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  // 1 us: short beside any run, long beside a look at a clock.
  static constexpr std::int64_t kStep = 1'000'000;

  // Nothing is ever due when all is delivered, or when a lossless network has locked up. What no path is left
  // for is sent again and again, in vain.
  bool goes_on() {
    if (engine_.next_time() > until_ || engine_.next_time() == kNever) return false;
    check_horizon(Time{Duration{engine_.next_time()}});
    if (engine_.faults() == nullptr) return true;
    for (; seen_ < engine_.completions().size(); ++seen_)
      lost_.delivered(engine_.completions()[seen_].message);
    return engine_.outstanding() > lost_.count(engine_.now());
  }
  RunSoFar so_far() {
    return {.finished = engine_.completions().size(),
            .now = Time{Duration{engine_.now()}},
            .delivered = patience_.asks() ? engine_.delivered() : Bytes{}};
  }
  std::int64_t due() const {
    return history_ == nullptr ? kNever : history_->next().time_since_epoch().count();
  }

  // Takes the samples that are due by `when`.
  void sample(std::int64_t when) {
    for (; due() <= when; history_->add(states_)) engine_.observe(due(), states_);
  }
  std::int64_t piece_end() const {
    const std::int64_t next = std::max(engine_.now(), engine_.next_time());
    return std::min({until_, step_ >= kNever - next ? kNever : next + step_, due()});
  }

  Engine& engine_;
  Undeliverable& lost_;
  std::size_t seen_ = 0;  // completions
  std::int64_t until_;
  Patience patience_;
  std::int64_t step_;
  LinkHistory* history_;
  std::vector<LinkState> states_;
};

}  // namespace

std::vector<NetworkRecord::Counter> counters(const PacketStatistics& of) {
  std::vector<NetworkRecord::Counter> all{{"packet_hops", of.packet_hops},
                                          {"data_packets", of.data_packets},
                                          {"drops", of.drops},
                                          {"marks", of.marks},
                                          {"trims", of.trims},
                                          {"pauses", of.pauses},
                                          {"notifications", of.notifications},
                                          {"retransmissions", of.retransmissions},
                                          {"timeouts", of.timeouts},
                                          {"fast_recoveries", of.fast_recoveries},
                                          {"duplicates", of.duplicates},
                                          {"flow_memory", of.flow_memory},
                                          {"fabric_memory", of.fabric_memory},
                                          {"connections", of.connections}};
  if (of.faults == 0) return all;
  all.insert(all.end(), {{"faults", of.faults},
                         {"lost_packets", of.lost},
                         {"corrupted_packets", of.corrupted},
                         {"reroutes", of.reroutes}});
  return all;
}

PacketRun run_flows(const topology::Topology& topology, const PacketConfig& config,
                    const std::vector<FlowSpec>& flows, const RunLimits& limits,
                    const std::optional<MonitorConfig>& monitor, const Faults& faults) {
  network::require_sound(flows, topology.graph.hosts());
  Engine engine(topology, config, Pause::when_idle, faults);
  Undeliverable lost(engine.faults());
  const auto hosts = static_cast<std::size_t>(topology.graph.hosts());
  engine.reserve(std::min(flows.size(), hosts * (hosts - 1)));
  PacketRun result;
  result.completion.resize(flows.size());
  std::vector<std::size_t> flow_of_message;  // messages are numbered as posted: none is free before the run
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const FlowSpec& flow = flows[i];
    if (flow.from == flow.to) {
      result.completion[i] = Duration::zero();
      continue;
    }
    lost.posted(engine.post(index(flow.from), index(flow.to), std::max<std::int64_t>(flow.size.count(), 1),
                            flow.start.time_since_epoch().count()),
                index(flow.from), index(flow.to));
    flow_of_message.push_back(i);
  }
  if (monitor) {
    network::require_sound(*monitor);
    result.history = LinkHistory(*monitor, topology.graph.links().size());
  }
  BoundedRun(engine, limits, monitor ? &result.history : nullptr, lost).run();
  for (const Completion& done : engine.completions()) {
    const std::size_t i = flow_of_message[done.message];
    result.completion[i] = Time{Duration{done.when}} - flows[i].start;
  }
  summarise(flows, result);
  if (result.finished < flows.size()) {
    result.simulated = Duration{engine.now()};
    result.locked = engine.next_time() == std::numeric_limits<std::int64_t>::max();
  }
  result.undelivered = lost.tell(engine.now());
  result.statistics = engine.statistics();
  result.links = engine.links();
  result.digest = engine.digest();
  return result;
}

}  // namespace overture::network::packet
