#include "overture/network/analytical/shared_links.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "overture/base/check.h"

namespace overture::network {
namespace {

using topology::DimensionKind;

Duration from_ns(double ns) {
  check_transfer_ns(ns);
  return Duration{std::llround(ns * 1000)};
}
Duration per_byte(Bytes size, double ps) {
  const double sum = std::ceil(static_cast<double>(size.count()) * ps);
  check_transfer_ns(sum / 1000);
  return Duration{std::llround(sum)};
}

}  // namespace

SharedLinks::SharedLinks(const AnalyticalConfig& config, const topology::Hierarchy& machine,
                         sim::EventQueue& events)
    : Network(machine.ranks(), events), machine_(machine) {
  for (const DimensionConfig& d : config.dimensions) {
    const bool is_switch = d.kind == DimensionKind::switched;
    dimensions_.push_back(
        {.hop = from_ns(d.link_latency_ns),
         .fixed = from_ns(2 * d.nic_latency_ns + (is_switch ? d.router_latency_ns : 0)),
         .ps_per_byte = 1000 / directed_bytes_per_ns(d),
         .memory = from_ns(d.memory_scale > 0 ? d.memory_scale * d.memory_latency_ns : 0),
         .memory_ps_per_byte = d.memory_scale > 0 ? d.memory_scale * 1000 / d.memory_bytes_per_ns : 0});
  }
}

SharedLinks::Flight SharedLinks::flight_of(const Message& message, Action delivered) const {
  const int d = machine_.dimension_between(message.from, message.to);
  check(d >= 0, "a rank cannot send to itself");
  const Dimension& dimension = dimensions_[static_cast<std::size_t>(d)];
  const int size = machine_.dimension(d).size;
  const int ahead = (machine_.coordinate(message.to, d) - machine_.coordinate(message.from, d) + size) % size;
  return {
      .message = message,
      .delivered = delivered,
      .earliest = events().now() + dimension.memory + per_byte(message.size, dimension.memory_ps_per_byte),
      .dimension = d,
      .hops_left = machine_.hops(message.from, message.to, d),
      .at = message.from,
      .ascending = ahead <= size / 2};
}

void SharedLinks::carry(const Message& message, Action delivered) {
  enter_link(flights_.keep(flight_of(message, delivered)));
}

SharedLinks::Port SharedLinks::next_port(const Flight& flight) const {
  const int d = flight.dimension;
  switch (machine_.dimension(d).kind) {
    case DimensionKind::ring: return {flight.at, flight.ascending ? 0 : 1};
    case DimensionKind::fully_connected: return {flight.at, machine_.coordinate(flight.message.to, d)};
    case DimensionKind::switched: break;
  }
  // Up from the sender, then down to the receiver.
  return flight.hops_left == 2 ? Port{flight.at, 0} : Port{flight.message.to, 1};
}

int SharedLinks::ports(int d) const {
  const topology::Hierarchy::Dimension& dimension = machine_.dimension(d);
  return dimension.kind == DimensionKind::fully_connected ? dimension.size : 2;
}

// Every directed link has a number: its dimension, the rank whose port it is, and which of the rank's ports.
std::uint64_t SharedLinks::number(const Port& port, int d) const {
  const auto links_below =
      static_cast<std::uint64_t>(index(port.owner)) * static_cast<std::uint64_t>(ports(d)) +
      static_cast<std::uint64_t>(port.port);
  return links_below * static_cast<std::uint64_t>(machine_.dimensions()) + static_cast<std::uint64_t>(d);
}

// Names as in a graph: h<rank>, and s<number> for the switch of a group.
void SharedLinks::name_links(int d) {
  const auto [kind, size] = machine_.dimension(d);
  const std::size_t tier = static_cast<std::size_t>(d);
  const auto rate = Bandwidth::bits_per_second(std::llround(8e12 / dimensions_[tier].ps_per_byte));
  for (int owner = 0; size > 1 && owner < machine_.ranks(); ++owner) {
    const int here = machine_.coordinate(Rank{owner}, d);
    const int first = owner - here * machine_.stride(d);  // of this group
    const auto rank = [&, d](int coordinate) {
      return fmt::format("h{}", first + coordinate * machine_.stride(d));
    };
    const std::string middle = fmt::format("s{}", d * machine_.ranks() + first);
    for (int port = 0; port < ports(d); ++port) {
      if (kind == DimensionKind::fully_connected && port == here) continue;
      if (kind == DimensionKind::ring && size == 2 && port == 1) continue;
      std::pair ends(rank(here),
                     rank(kind == DimensionKind::ring ? (here + (port == 0 ? 1 : size - 1)) % size : port));
      if (kind == DimensionKind::switched)
        ends = port == 0 ? std::pair(rank(here), middle) : std::pair(middle, rank(here));
      link_of_number_[number({Rank{owner}, port}, d)] = static_cast<int>(links_.size());
      links_.push_back({.from = ends.first, .to = ends.second, .tier = tier, .rate = rate, .total = {}});
    }
  }
}

void SharedLinks::watch(const MonitorConfig& config) {
  require_sound(config);
  for (int d = 0; d < machine_.dimensions(); ++d) name_links(d);
  if (links_.empty()) return;
  load_.emplace(static_cast<int>(links_.size()), config.interval, bounded(config, links_.size()).samples);
}

NetworkRecord SharedLinks::record() {
  NetworkRecord record{.detail = NetworkRecord::Detail::queues, .links = links_, .delivered = delivered_};
  for (int d = 0; d < machine_.dimensions(); ++d) record.tiers.push_back(fmt::format("dimension {}", d));
  if (load_) load_->put_into(record);
  return record;
}

void SharedLinks::note_use(const Flight& flight, const Port& port, Time start, Time end) {
  const int link = link_of_number_.at(number(port, flight.dimension));
  const Dimension& dimension = dimensions_[static_cast<std::size_t>(flight.dimension)];
  const auto ahead = static_cast<double>((start - events().now()).count()) / dimension.ps_per_byte;
  load_->queue(link, events().now().time_since_epoch().count(), std::llround(ahead));
  load_->carry_during(link, start.time_since_epoch().count(), (end - start).count(),
                      flight.message.size.count());
}

void SharedLinks::enter_link(std::uint32_t id) {
  Flight& flight = flights_[id];
  const Dimension& dimension = dimensions_[static_cast<std::size_t>(flight.dimension)];
  const Port port = next_port(flight);
  Time& free_at = free_at_[number(port, flight.dimension)];
  const Time start = std::max(free_at, events().now());
  check_horizon(start);
  free_at = start + per_byte(flight.message.size, dimension.ps_per_byte);
  if (load_) note_use(flight, port, start, free_at);
  if (--flight.hops_left > 0) {
    if (machine_.dimension(flight.dimension).kind == DimensionKind::ring) {
      const int size = machine_.dimension(flight.dimension).size;
      const int stride = machine_.stride(flight.dimension);
      const int here = machine_.coordinate(flight.at, flight.dimension);
      const int next = (here + (flight.ascending ? 1 : size - 1)) % size;
      flight.at = Rank{index(flight.at) + (next - here) * stride};
    }
    events().at(start + dimension.hop, [this, id] { enter_link(id); });
    return;
  }
  const Time arrival = std::max(free_at + dimension.hop + dimension.fixed, flight.earliest);
  flights_.give_back(id);
  delivered_ += flight.message.size;
  events().at(arrival, flight.delivered);
}

}  // namespace overture::network
