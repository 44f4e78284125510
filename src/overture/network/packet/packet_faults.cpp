#include "overture/network/packet/packet_faults.h"

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/hash.h"
#include "overture/base/random.h"
#include "overture/network/packet/routes.h"

namespace overture::network::packet {
namespace {

Time at_ps(std::int64_t ps) { return Time{Duration{ps}}; }
std::int64_t in_ps(Time time) { return time.time_since_epoch().count(); }

[[noreturn]] void refuse(const std::string& why, const std::string& hint) {
  throw UserError({.key = "faults"}, why, hint);
}

// A host keeps its first link whatever fails: where it could choose, a path that is left might not be found.
void require_one_first_link(const topology::Topology& topology) {
  const topology::Graph& graph = topology.graph;
  for (int from = 0; from < graph.hosts(); ++from) {
    if (graph.ports(from) == 1) continue;
    for (int to = 0; to < graph.hosts(); ++to) {
      if (to == from || equal_ports(topology, from, to).size() == 1) continue;
      refuse(fmt::format("host h{} has several equal first links to h{}", from, to),
             "links and switches can fail only where every host has one first link");
    }
  }
}

}  // namespace

void require_recovery(const PacketConfig& config) {
  if (!sends_again(config))
    refuse(fmt::format("transport {} sends nothing twice: what a fault loses would be lost",
                       word_of(config.transport)),
           "use tcp, ndp, htsim_dctcp or roce");
  if (config.threads != 1) refuse("links and switches fail on one thread only", "use network.threads: 1");
}

PacketFaults::PacketFaults(const Faults& faults, const topology::Topology& topology,
                           const PacketConfig& config)
    : topology_((require_recovery(config), require_one_first_link(topology), topology)),
      links_(faults, topology.graph),
      rule_(config.paths),
      seed_(links_.seed()),
      bits_(port_bits(topology.graph)),
      spray_(RandomStreams(seed_).make("detours")()),
      live_(topology.graph, links_.known_down_at(Time{})) {
  RandomStream seeds = RandomStreams(seed_).make("losses");
  for (std::size_t id = 0; id < topology.graph.links().size(); ++id) streams_.push_back(seeds());
  const std::vector<Time>& changes = links_.route_changes();
  if (changes.empty()) return;
  next_change_ = in_ps(changes.front());
  settled_ = in_ps(changes.back());
}

bool PacketFaults::survives(std::uint32_t link, const Packet& packet, std::int64_t start, std::int64_t now) {
  const int id = static_cast<int>(link);
  if (!links_.is_faulty(id)) return true;
  const auto drawn = [&] {
    return static_cast<double>(split_mix(streams_[link] += kGoldenStep) >> 11) * 0x1.0p-53;
  };
  bool lost = links_.was_down(id, at_ps(start), at_ps(now));
  if (const double loss = links_.loss(id, at_ps(now)); !lost && loss > 0) lost = drawn() < loss;
  if (const double spoilt = links_.corruption(id, at_ps(now), Bytes{packet.size}); !lost && spoilt > 0) {
    lost = drawn() < spoilt;
    counts_.corrupted += lost ? 1 : 0;
  }
  counts_.lost += lost ? 1 : 0;
  return !lost;
}

void PacketFaults::change_routes(std::int64_t now) {
  const std::vector<Time>& changes = links_.route_changes();
  while (changes_ < changes.size() && in_ps(changes[changes_]) <= now) ++changes_;
  live_ = topology::LiveRouting(topology_.graph, links_.known_down_at(at_ps(now)));
  next_change_ = changes_ == changes.size() ? kNever : in_ps(changes[changes_]);
}

bool PacketFaults::leads_over_down(int at, std::uint64_t route) const {
  const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1;
  for (; route != 0; route >>= bits_) {
    const int link = topology_.graph.first_link(at) + static_cast<int>(route & mask) - 1;
    if (live_.is_down(link)) return true;
    at = topology_.graph.links()[static_cast<std::size_t>(link)].to;
  }
  return false;
}

std::uint64_t PacketFaults::around(int at, int to, const Packet& packet) {
  using topology::Pick;
  if (!leads_over_down(at, packet.route) || !live_.reaches(at, to)) return packet.route;
  ++counts_.reroutes;
  // A flow keeps its way round, each of its directions one.
  std::uint64_t entropy = topology::flow_hash(seed_, static_cast<int>(packet.flow), to);
  if (rule_ == topology::PathRule::spray) entropy = split_mix(spray_ += kGoldenStep);
  const bool by_destination = rule_ == topology::PathRule::by_destination;
  return route_word(topology_.graph, live_, at, to,
                    by_destination ? Pick::by_destination() : Pick::by_hash(entropy), bits_);
}

const topology::LiveRouting& PacketFaults::last_routing() {
  if (!last_) last_.emplace(topology_.graph, links_.known_down_at(at_ps(settled_)));
  return *last_;
}

bool PacketFaults::one_way(int from, int to) {
  const topology::LiveRouting& last = last_routing();
  const int port = topology_.routing->port(from, to, topology::Pick::by_destination());
  const int next = topology_.graph.link(from, port).to;
  return !last.is_down(topology_.graph.first_link(from) + port) && (next == to || last.reaches(next, to));
}

bool PacketFaults::cut_off(int from, int to) { return !one_way(from, to) || !one_way(to, from); }

std::string PacketFaults::reason(int from, int to) {
  const topology::LiveRouting& last = last_routing();
  for (const auto& [a, b] : {std::pair{from, to}, std::pair{to, from}}) {
    for (const int link : path(topology_, a, b, topology::Pick::by_destination())) {
      if (!last.is_down(link)) continue;
      const topology::Link& down = topology_.graph.links()[static_cast<std::size_t>(link)];
      return fmt::format("no path is left, {}-{} is down forever", node_name(topology_.graph, down.from),
                         node_name(topology_.graph, down.to));
    }
  }
  return "no path is left";
}

}  // namespace overture::network::packet
