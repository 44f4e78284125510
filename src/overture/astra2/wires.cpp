#include "overture/astra2/wires.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace overture::astra2 {
namespace {

using topology::DimensionKind;

int ring_distance(int from, int to, int npus) {
  const int clockwise = (to - from + npus) % npus;
  return std::min(clockwise, npus - clockwise);
}

int hops(const Dimension& dimension, int from, int to) {
  switch (dimension.kind) {
    case DimensionKind::ring: return ring_distance(from, to, dimension.npus);
    case DimensionKind::fully_connected: return 1;
    case DimensionKind::switched: return 2;
  }
  return 1;
}

Duration whole_ns(double ns) {
  check_transfer_ns(ns);
  return Nanoseconds{static_cast<std::int64_t>(ns)};
}

double serialization_ns(const Dimension& dimension, Bytes size) {
  return static_cast<double>(size.count()) / dimension.bytes_per_ns();
}

Bandwidth rate(const Dimension& dimension) {
  return Bandwidth::bits_per_second(std::llround(8e9 * dimension.bytes_per_ns()));
}

}  // namespace

UnawareWires::UnawareWires(const NetworkFile& network, sim::EventQueue& events)
    : Network(network.npus(), events), network_(network), carried_(network.dimensions.size()) {}

void UnawareWires::carry(const network::Message& message, Action delivered) {
  int from = index(message.from);
  int to = index(message.to);
  std::size_t d = 0;
  for (; d + 1 < network_.dimensions.size(); ++d) {
    const int npus = network_.dimensions[d].npus;
    if (from % npus != to % npus) break;
    from /= npus;
    to /= npus;
  }
  const Dimension& dimension = network_.dimensions[d];
  carried_[d] += message.size;
  delivered_ += message.size;
  const int count = hops(dimension, from % dimension.npus, to % dimension.npus);
  events().after(whole_ns(count * dimension.latency_ns + serialization_ns(dimension, message.size)),
                 delivered);
}

network::NetworkRecord UnawareWires::record() {
  network::NetworkRecord record{.delivered = delivered_};
  for (std::size_t d = 0; d < carried_.size(); ++d) {
    record.tiers.push_back(fmt::format("dimension {}", d));
    // There are no links; what all NPUs together put into a dimension is all that can be said.
    record.links.push_back({.from = "NPUs",
                            .to = fmt::format("dimension {}", d),
                            .tier = d,
                            .rate = rate(network_.dimensions[d]),
                            .total = {.carried = carried_[d]}});
  }
  return record;
}

AwareWires::AwareWires(const NetworkFile& network, sim::EventQueue& events)
    : Network(network.npus(), events), dimension_(network.dimensions.front()) {}

// A switch stands behind the last NPU.
int AwareWires::next_hop(const Flight& flight) const {
  const int npus = dimension_.npus;
  switch (dimension_.kind) {
    case DimensionKind::ring: return (flight.at + flight.step + npus) % npus;
    case DimensionKind::fully_connected: return flight.to;
    case DimensionKind::switched: return flight.at == npus ? flight.to : npus;
  }
  return flight.to;
}

std::uint32_t AwareWires::link(int from, int to) {
  const std::uint64_t ends = static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
  const auto [place, added] = link_of_.try_emplace(ends, static_cast<std::uint32_t>(links_.size()));
  if (added) links_.push_back({.from = from, .to = to});
  return place->second;
}

void AwareWires::carry(const network::Message& message, Action delivered) {
  const int from = index(message.from);
  const int to = index(message.to);
  const int clockwise = (to - from + dimension_.npus) % dimension_.npus;
  // Anticlockwise only if that is strictly shorter.
  const int step = dimension_.npus - clockwise < clockwise ? -1 : 1;
  delivered_ += message.size;
  enter(flights_.keep({delivered, message.size, from, to, step}));
}

void AwareWires::enter(std::uint32_t id) {
  const Flight& flight = flights_[id];
  const std::uint32_t number = link(flight.at, next_hop(flight));
  Link& next = links_[number];
  if (!next.busy) return transmit(number, id);
  next.waiting.push_back(id);
  next.queued += flight.size;
  next.total.peak_queue = std::max(next.total.peak_queue, next.queued);
}

void AwareWires::transmit(std::uint32_t number, std::uint32_t id) {
  Link& link = links_[number];
  const Bytes size = flights_[id].size;
  const double serialization = serialization_ns(dimension_, size);
  const Duration busy = whole_ns(serialization);
  link.busy = true;
  link.total.carried += size;
  link.total.busy += busy;
  check_horizon(events().now());
  // In this order: what falls on one moment happens as it was scheduled.
  events().after(whole_ns(dimension_.latency_ns + serialization), [this, id] { arrived(id); });
  events().after(busy, [this, number] { became_free(number); });
}

void AwareWires::arrived(std::uint32_t id) {
  Flight& flight = flights_[id];
  flight.at = next_hop(flight);
  if (flight.at != flight.to) return enter(id);
  Action delivered = flights_.release(id).delivered;
  delivered();
}

void AwareWires::became_free(std::uint32_t number) {
  Link& link = links_[number];
  link.busy = false;
  if (link.waiting.empty()) return;
  const std::uint32_t next = link.waiting.front();
  link.waiting.pop_front();
  link.queued -= flights_[next].size;
  transmit(number, next);
}

network::NetworkRecord AwareWires::record() {
  network::NetworkRecord record{
      .detail = network::NetworkRecord::Detail::queues, .tiers = {"dimension 0"}, .delivered = delivered_};
  const auto name = [this](int device) {
    return device == dimension_.npus ? std::string("switch") : fmt::format("h{}", device);
  };
  for (const Link& link : links_) {
    record.links.push_back({.from = name(link.from),
                            .to = name(link.to),
                            .tier = 0,
                            .rate = rate(dimension_),
                            .total = link.total});
  }
  std::sort(record.links.begin(), record.links.end(), [](const auto& a, const auto& b) {
    return std::pair(a.from.size(), a.from + a.to) < std::pair(b.from.size(), b.from + b.to);
  });
  return record;
}

std::unique_ptr<network::Network> make_wires(const NetworkFile& network, sim::EventQueue& events) {
  if (!network.congestion_aware) return std::make_unique<UnawareWires>(network, events);
  return std::make_unique<AwareWires>(network, events);
}

}  // namespace overture::astra2
