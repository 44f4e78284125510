#include "overture/network/garnet/graph_fabric.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::network::garnet {
namespace {

// A router per host, all with the same ports: a torus, with rings along its ports from the second on.
bool is_torus(const topology::Graph& graph) {
  const int hosts = graph.hosts();
  if (graph.nodes() != 2 * hosts || hosts < 2) return false;
  const int ports = graph.ports(hosts);
  if (ports < 2 || ports > 256) return false;
  for (int router = hosts; router < graph.nodes(); ++router) {
    if (graph.ports(router) != ports || graph.link(router, 0).to != router - hosts) return false;
  }
  return true;
}

int most_ports_of_hosts(const topology::Graph& graph) {
  int most = 1;
  for (int host = 0; host < graph.hosts(); ++host) most = std::max(most, graph.ports(host));
  return most;
}

// As much as 64 of the cycles of which `time` has a whole number, or a little less where it has none.
Duration cycle_of(Duration time) {
  constexpr int kFinest = 64;
  for (int parts = kFinest; parts >= kFinest / 2; --parts)
    if (time.count() % parts == 0) return time / parts;
  return std::max(Duration{1}, time / kFinest);
}

}  // namespace

GraphTiming::GraphTiming(const topology::Graph& graph, Bytes flit_size, Duration router)
    : flit(flit_size), router_delay(router) {
  Duration slowest{1};
  for (const topology::Link& link : graph.links())
    slowest = std::max(slowest, transfer_time(flit, link.wire.rate));
  cycle = cycle_of(slowest);
}

GraphFabric::GraphFabric(const topology::Topology& topology, const GraphTiming& timing,
                         const Settings& settings)
    : GarnetFabric({.ranks = topology.graph.hosts(),
                    .lanes = most_ports_of_hosts(topology.graph),
                    .vnets = is_torus(topology.graph) ? 2 : 1,
                    .vcs = settings.channels}),
      topology_(topology),
      channels_of_(topology.graph.links().size(), kNone),
      ring_(topology.graph.links().size()),
      wraps_(topology.graph.links().size()) {
  routers_.resize(static_cast<std::size_t>(topology.graph.nodes() - topology.graph.hosts()));
  add_channels(timing, settings);
  add_ports();
  if (vnets() == 2) find_datelines();
}

void GraphFabric::add_channels(const GraphTiming& timing, const Settings& settings) {
  const topology::Graph& graph = topology_.graph;
  const std::vector<int> buffers(static_cast<std::size_t>(vnets()), settings.buffer_flits);
  const int hosts = graph.hosts();
  const auto add_link = [&](int id) {
    const topology::Link& link = graph.links()[static_cast<std::size_t>(id)];
    const bool to_host = graph.is_host(link.to);
    const GarnetWire wire{.latency = timing.cycles(link.wire.delay),
                          .parts = timing.cycles(transfer_time(timing.flit, link.wire.rate)),
                          .bridge = 0,
                          .pipeline = to_host ? 0 : timing.cycles(timing.router_delay),
                          .credit_parts = 1};
    channels_of_[static_cast<std::size_t>(id)] =
        add({.from = graph.is_host(link.from) ? link.from : link.from - hosts,
             .to = to_host ? link.to : link.to - hosts,
             .from_rank = graph.is_host(link.from),
             .to_rank = to_host,
             .wire = wire},
            0, buffers);
    links_.push_back(id);
  };
  for (int host = 0; host < hosts; ++host) {
    for (int lane = 0; lane < lanes(); ++lane) {
      if (lane < graph.ports(host)) {
        add_link(graph.first_link(host) + lane);
      } else {
        add({.from = host, .to = 0, .from_rank = true}, 0, buffers);
        links_.push_back(kNone);
      }
    }
  }
  for (int id = graph.first_link(hosts); id < static_cast<int>(graph.links().size()); ++id) add_link(id);
}

void GraphFabric::add_ports() {
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    if (links_[c] == kNone) continue;
    const Channel& channel = channels_[c];
    if (channel.from_rank && channel.to_rank) {
      throw UserError(fmt::format("hosts {} and {} are joined directly", channel.from, channel.to),
                      "with credits, put a switch between hosts");
    }
    if (!channel.to_rank)
      routers_[static_cast<std::size_t>(channel.to)].in.push_back(static_cast<std::int32_t>(c));
    if (!channel.from_rank)
      routers_[static_cast<std::size_t>(channel.from)].out.push_back(static_cast<std::int32_t>(c));
  }
  note_ports();
}

// Ports of the same number make the rings of one dimension and direction, those to the same neighbour rings
// side by side; along a ring routers count up (or down), except over the link at which it closes.
void GraphFabric::find_datelines() {
  const topology::Graph& graph = topology_.graph;
  const int hosts = graph.hosts();
  for (int port = 1; port < graph.ports(hosts); ++port) {
    int up = 0;
    for (int router = hosts; router < graph.nodes(); ++router) {
      if (graph.link(router, port).to > router) ++up;
    }
    const bool upwards = 2 * up >= hosts;
    int first = port;
    while (first > 1 && graph.link(hosts, first - 1).to == graph.link(hosts, port).to) --first;
    for (int router = hosts; router < graph.nodes(); ++router) {
      const auto link = static_cast<std::size_t>(graph.first_link(router) + port);
      ring_[link] = static_cast<std::uint8_t>(first);
      wraps_[link] = (graph.link(router, port).to > router) != upwards;
    }
  }
}

int GraphFabric::choose_way(std::int32_t message, int from, int to, const topology::Pick& pick) {
  const auto number = static_cast<std::size_t>(message);
  if (number >= picks_.size()) picks_.resize(number + 1, topology::Pick::by_destination());
  picks_[number] = pick;
  return topology_.routing->port(from, to, pick);
}

Hop GraphFabric::next(const Channel& came, std::int32_t message, int destination, int vnet) {
  const int node = came.to + ranks();
  const int port = topology_.routing->port(node, destination, picks_[static_cast<std::size_t>(message)]);
  const auto link = static_cast<std::size_t>(topology_.graph.first_link(node) + port);
  const auto number = static_cast<std::size_t>(&came - channels_.data());
  const std::uint8_t came_along = ring_[static_cast<std::size_t>(links_[number])];
  std::int32_t lane = 0;
  if (ring_[link] != 0) lane = (came_along == ring_[link] ? vnet : 0) | (wraps_[link] ? 1 : 0);
  return {.channel = channels_of_[link], .vnet = lane};
}

}  // namespace overture::network::garnet
