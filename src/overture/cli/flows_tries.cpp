#include "overture/cli/flows_tries.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "overture/base/error.h"
#include "overture/base/interrupt.h"
#include "overture/network/run_flows.h"

namespace overture::cli {
namespace {

using network::packet::PacketConfig;
using network::packet::TransportKind;

constexpr std::size_t kMostSettings = 3;
constexpr std::uint64_t kMostHops = 5'000'000;  // a second of the packet engine, or less
constexpr std::uint64_t kMostEvents = 500'000;  // of a simulated training, above the network
constexpr std::size_t kMostFlows = 100'000;     // for backends that count no hops
constexpr double kWorthTelling = 0.99;          // of the makespan

class Changes {
 public:
  explicit Changes(bool buys) : buys_(buys) {}
  void add(const std::string& key, const std::string& value) {
    list_.push_back({.change = key + "=" + value, .buys = buys_});
  }
  void twice(const std::string& key, Bytes size) { add(key, to_string(size * 2)); }
  std::vector<FlowsTry> take(std::size_t most) {
    list_.resize(std::min(list_.size(), most));
    return std::move(list_);
  }

 private:
  bool buys_;
  std::vector<FlowsTry> list_;
};

// The shape if the setup chooses it.
template <class Shape>
const Shape* chosen(const setup::TopologyChoice& topology) {
  const std::optional<Shape>& shape = std::get<std::optional<Shape>>(topology.shapes.all);
  return shape ? &*shape : nullptr;
}

// Wires of the topology twice as fast, a kind of wire at a time.
void faster_wires(const setup::Setup& setup, Changes& changes) {
  const setup::TopologyChoice& t = setup.network.topology;
  const auto wire = [&](const char* key, const topology::Wire& w) {
    changes.add(fmt::format("network.topology.{}.rate", key),
                to_string(Bandwidth::bits_per_second(2 * w.rate.bits_per_second())));
  };
  if (const auto* star = chosen<topology::StarConfig>(t)) wire("star.wire", star->wire);
  if (const auto* leaf_spine = chosen<topology::LeafSpineConfig>(t)) {
    wire("leaf_spine.host", leaf_spine->host);
    wire("leaf_spine.spine", leaf_spine->spine);
  }
  if (const auto* fat_tree = chosen<topology::FatTreeConfig>(t)) {
    wire("fat_tree.host", fat_tree->host);
    wire("fat_tree.aggregation", fat_tree->aggregation);
    wire("fat_tree.core", fat_tree->core);
  }
  if (const auto* torus = chosen<topology::TorusConfig>(t)) wire("torus.ring", torus->ring);
  if (const auto* expander = chosen<topology::ExpanderConfig>(t)) {
    wire("expander.host", expander->host);
    wire("expander.fabric", expander->fabric);
  }
  if (const auto* rings = chosen<topology::DirectConnectConfig>(t))
    wire("direct_connect.fibre", rings->fibre);
  if (const auto* dragonfly = chosen<topology::DragonflyConfig>(t)) {
    wire("dragonfly.host", dragonfly->host);
    wire("dragonfly.local", dragonfly->local);
    wire("dragonfly.global", dragonfly->global);
  }
}

void tcp_settings(const PacketConfig& packets, const network::NetworkRecord& record, Changes& changes) {
  const auto& tcp = packets.tcp;
  const bool sprays = packets.paths == topology::PathRule::spray || packets.entropies > 1;
  // Packets that overtake each other look like losses.
  if (sprays && record.count("retransmissions") > record.count("drops"))
    changes.add("network.tcp.duplicate_acks", fmt::format("{}", 10 * tcp.duplicate_acks));
  if (record.count("timeouts") > 0) changes.add("network.tcp.min_rto", to_string(tcp.min_rto / 4));
  if (record.count("drops") > 0 && packets.queue.port_limit)
    changes.twice("network.queue.port_limit", *packets.queue.port_limit);
  if (!sprays) changes.add("network.paths", "hash_per_flow");
  changes.add("network.tcp.initial_window", fmt::format("{}", 2 * tcp.initial_window));
  changes.twice("network.tcp.receive_window", tcp.receive_window);
}

void lossless_settings(const PacketConfig& packets, Changes& changes) {
  if (packets.transport == TransportKind::roce) {
    const bool on = packets.roce.control == network::packet::RateControl::dcqcn;
    changes.add("network.roce.control", on ? "none" : "dcqcn");
  }
  if (packets.lossless.control == network::packet::LinkControl::credits) {
    changes.add("network.lossless.credits.channels",
                fmt::format("{}", 2 * packets.lossless.credits.channels));
  } else {
    changes.twice("network.lossless.buffer", packets.lossless.buffer);
  }
  if (packets.paths != topology::PathRule::hash_per_flow) changes.add("network.paths", "hash_per_flow");
}

void ndp_settings(const PacketConfig& packets, Changes& changes) {
  if (packets.paths != topology::PathRule::spray) changes.add("network.paths", "spray");
  changes.add("network.ndp.initial_window", fmt::format("{}", 2 * packets.ndp.initial_window));
  changes.twice("network.queue.trim.data_limit", packets.queue.trim.data_limit);
}

void settings(const setup::Setup& setup, const network::NetworkRecord& record, Changes& changes) {
  const PacketConfig& packets = setup.network.of<network::packet::PacketConfig>();
  if (setup::backend_of(setup.network) == setup::kBackend<network::RotorNetworkConfig>) {
    const Bytes bulk_from = setup.network.of<network::rotor::RotorConfig>().bulk_from;
    changes.add("network.rotor.bulk_from", to_string(Bytes{bulk_from.count() / 4}));
    changes.twice("network.rotor.bulk_from", bulk_from);
    return;
  }
  if (setup::backend_of(setup.network) != setup::kBackend<network::PacketNetworkConfig>) return;
  switch (packets.transport) {
    case TransportKind::tcp: return tcp_settings(packets, record, changes);
    case TransportKind::ndp: return ndp_settings(packets, changes);
    case TransportKind::roce:
    case TransportKind::plain: return lossless_settings(packets, changes);
    default: return;
  }
}

void purchases(const setup::Setup& setup, Changes& changes) {
  if (setup::backend_of(setup.network) != setup::kBackend<network::RotorNetworkConfig>)
    return faster_wires(setup, changes);
  const Bandwidth rate = setup.network.of<network::rotor::RotorConfig>().rate;
  changes.add("network.rotor.rate", to_string(Bandwidth::bits_per_second(2 * rate.bits_per_second())));
  if (setup.network.topology.opera && setup.network.topology.opera->file.empty())
    changes.add("network.topology.opera.dark", to_string(setup.network.topology.opera->dark / 2));
}

// Zero if it is not faster, or cannot be done on this network.
Duration makespan_with(const setup::Setup& setup, std::vector<std::string> overrides,
                       const std::string& change, const std::vector<network::FlowSpec>& flows,
                       Duration makespan) {
  overrides.push_back(change);
  network::RunLimits limits{.until = Time{makespan}};
  limits.go_on = [](const network::RunSoFar&) { return !Interrupt::requested(); };
  try {
    const setup::Setup changed = setup::load_setup(setup.file, overrides, setup::Needs::network);
    const auto result = network::run_flows(setup::network_config(changed), flows, limits);
    return result.finished == flows.size() && result.makespan < makespan ? result.makespan : Duration{};
  } catch (const UserError&) {
    return {};
  }
}

// The same of a simulated training.
Duration finished_with(const setup::Setup& setup, std::vector<std::string> overrides,
                       const std::string& change, Duration finished) {
  overrides.push_back(change);
  simulation::Limits limits{.until = Time{finished}};
  limits.go_on = [](Time, std::uint32_t) { return !Interrupt::requested(); };
  try {
    const setup::Setup changed = setup::load_setup(setup.file, overrides);
    const auto result = simulation::simulate(changed.simulation, {}, limits);
    return result.complete && result.finished < finished ? result.finished : Duration{};
  } catch (const UserError&) {
    return {};
  }
}

const FlowsTry* best(const std::vector<FlowsTry>& tries, bool buys, Duration makespan) {
  const FlowsTry* found = nullptr;
  for (const FlowsTry& one : tries) {
    if (one.buys != buys || one.makespan == Duration{}) continue;
    if (static_cast<double>(one.makespan.count()) > kWorthTelling * static_cast<double>(makespan.count()))
      continue;
    if (found == nullptr || one.makespan < found->makespan) found = &one;
  }
  return found;
}

}  // namespace

std::vector<FlowsTry> likely_changes(const setup::Setup& setup, const network::NetworkRecord& record) {
  Changes free(false);
  settings(setup, record, free);
  Changes bought(true);
  purchases(setup, bought);
  std::vector<FlowsTry> changes = free.take(kMostSettings);
  for (FlowsTry& one : bought.take(kMostSettings)) changes.push_back(std::move(one));
  return changes;
}

std::vector<FlowsTry> try_changes(const setup::Setup& setup, const std::vector<std::string>& overrides,
                                  const std::vector<network::FlowSpec>& flows,
                                  const network::FlowsResult& result) {
  if (result.finished != flows.size() || result.makespan == Duration{}) return {};
  const std::uint64_t hops = result.record.count("packet_hops") + result.record.count("flit_hops");
  if (hops > kMostHops || flows.size() > kMostFlows) return {};
  std::vector<FlowsTry> tries = likely_changes(setup, result.record);
  for (FlowsTry& one : tries)
    one.makespan = makespan_with(setup, overrides, one.change, flows, result.makespan);
  return tries;
}

std::vector<FlowsTry> try_changes(const setup::Setup& setup, const std::vector<std::string>& overrides,
                                  const simulation::SimulationResult& result,
                                  const network::NetworkRecord& record) {
  const std::uint64_t hops = record.count("packet_hops") + record.count("flit_hops");
  if (!setup.network.analytical.dimensions.empty() || !result.complete || result.finished == Duration{} ||
      hops > kMostHops || result.events > kMostEvents)
    return {};
  std::vector<FlowsTry> tries = likely_changes(setup, record);
  for (FlowsTry& one : tries) one.makespan = finished_with(setup, overrides, one.change, result.finished);
  return tries;
}

std::string tell(const std::vector<FlowsTry>& tries, Duration makespan) {
  if (tries.empty()) return {};
  const FlowsTry* setting = best(tries, false, makespan);
  const FlowsTry* purchase = best(tries, true, makespan);
  std::vector<std::string> changes;
  for (const FlowsTry& one : tries) changes.push_back(one.change);
  if (setting == nullptr && purchase == nullptr)
    return fmt::format("we tried {} and none made it faster", fmt::join(changes, ", "));
  std::vector<std::string> found;
  for (const FlowsTry* one : {setting, purchase}) {
    if (one == nullptr) continue;
    found.push_back(fmt::format("with {} the run takes {} instead of {}", one->change,
                                to_string(one->makespan), to_string(makespan)));
  }
  if (tries.size() == 1) return fmt::format("we tried one change: {}", found.front());
  return fmt::format("of {} changes that we tried, what helps most: {}", tries.size(),
                     fmt::join(found, "; "));
}

}  // namespace overture::cli
