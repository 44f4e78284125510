#include "overture/network/garnet/astra_fabric.h"

#include <numeric>

namespace overture::network::garnet {
namespace {

std::size_t position(int row, int columns, int column) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
}

}  // namespace

AstraFabric::AstraFabric(const GarnetConfig& config)
    : GarnetFabric(
          {.ranks = config.ranks(), .lanes = config.vnets(), .vnets = config.vnets(), .vcs = config.vcs}),
      ranks_(config.ranks()),
      vnets_(config.vnets()),
      ring_vnets_(config.wiring == Wiring::torus ? vnets_ : config.local_rings),
      switches_(config.wiring == Wiring::switches ? config.switches : 0),
      ring_(position(ranks_, vnets_, 0), kNone) {
  routers_.resize(static_cast<std::size_t>(ranks_ + switches_));
  connect(config);
  number_ports();
}

int AstraFabric::add(Channel channel, int first_vnet, int count, const GarnetConfig& config) {
  channel.wire.pipeline = channel.to_rank ? 0 : config.router_latency - 1;
  const auto first = config.buffers.begin() + first_vnet;
  return GarnetFabric::add(std::move(channel), first_vnet, {first, first + count});
}

void AstraFabric::connect(const GarnetConfig& config) {
  const GarnetWire own{.latency = config.local.latency, .width = config.flit_width};
  for (const bool into : {true, false}) {
    for (int rank = 0; rank < ranks_; ++rank) {
      for (int vnet = 0; vnet < vnets_; ++vnet) {
        add({.from = rank, .to = rank, .from_rank = into, .to_rank = !into, .wire = own}, vnet, 1, config);
      }
    }
  }
  for (int dimension = 0; dimension < 3; ++dimension) {
    if (dimension > 0 && config.wiring == Wiring::switches) return add_switches(config);
    const DimensionVnets vnets = vnets_of(config, dimension);
    for (int v = vnets.first; v < vnets.first + vnets.count; ++v) add_ring(config, dimension, v);
  }
}

void AstraFabric::add_ring(const GarnetConfig& config, int dimension, int vnet) {
  if (config.size[static_cast<std::size_t>(dimension)] < 2) return;
  const LinkConfig& link = dimension == 0 ? config.local : config.package;
  const GarnetWire wire{.latency = link.latency, .parts = config.parts(link), .width = link.width};
  for (int rank = 0; rank < ranks_; ++rank) {
    ring_[position(rank, vnets_, vnet)] =
        add({.from = rank, .to = next_rank(config, rank, vnet), .wire = wire}, vnet, 1, config);
  }
}

void AstraFabric::add_switches(const GarnetConfig& config) {
  const GarnetWire wire{.latency = config.package.latency,
                        .parts = config.parts(config.package),
                        .width = config.package.width};
  for (int s = 0; s < switches_; ++s) {
    for (int rank = 0; rank < ranks_; ++rank)
      down_.push_back(add({.from = ranks_ + s, .to = rank, .wire = wire}, 0, vnets_, config));
  }
  for (int rank = 0; rank < ranks_; ++rank) {
    for (int s = 0; s < switches_; ++s)
      up_.push_back(add({.from = rank, .to = ranks_ + s, .wire = wire}, 0, vnets_, config));
  }
}

// A router's ports: its rank's by vnet, as many that a directory would have, then the links by the number of
// the router at the other end, and in the order in which they were made.
void AstraFabric::number_ports() {
  for (int r = 0; r < ranks_; ++r) {
    Router& router = routers_[static_cast<std::size_t>(r)];
    for (int v = 0; v < vnets_; ++v) router.in.push_back(injection(r, v));
    for (int v = 0; v < vnets_; ++v) router.out.push_back(ejection(r, v));
    router.in.resize(static_cast<std::size_t>(2 * vnets_), kNone);
    router.out.resize(static_cast<std::size_t>(2 * vnets_), kNone);
  }
  std::vector<int> order(channels_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto channel = [this](int c) -> Channel& { return channels_[static_cast<std::size_t>(c)]; };
  const auto between_routers = [&](int c) { return !channel(c).from_rank && !channel(c).to_rank; };
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return channel(a).from < channel(b).from; });
  for (const int c : order)
    if (between_routers(c)) routers_[static_cast<std::size_t>(channel(c).to)].in.push_back(c);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return std::pair(channel(a).to, a) < std::pair(channel(b).to, b); });
  for (const int c : order)
    if (between_routers(c)) routers_[static_cast<std::size_t>(channel(c).from)].out.push_back(c);
  note_ports();
}

int AstraFabric::channel_to(int router, int destination, int vnet) {
  if (router == destination) return ejection(router, vnet);
  if (router >= ranks_) return down_[position(router - ranks_, ranks_, destination)];
  if (vnet < ring_vnets_) return ring_[position(router, vnets_, vnet)];
  const auto spray = routers_[static_cast<std::size_t>(router)].sprayed++;
  return up_[position(router, switches_, static_cast<int>(spray % static_cast<std::uint32_t>(switches_)))];
}

}  // namespace overture::network::garnet
