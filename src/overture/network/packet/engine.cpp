#include "overture/network/packet/engine.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::network::packet {
namespace {

// The parts of a network, one after the other, add what they counted.
void count(const Fabric& fabric, PacketStatistics& sum) {
  const FabricCounts& counts = fabric.counts();
  sum.packet_hops += counts.hops;
  sum.drops += counts.drops;
  sum.marks += counts.marks;
  sum.trims += counts.trims;
  sum.fabric_memory += fabric.memory();
}

void count(const LosslessFabric& fabric, PacketStatistics& sum) {
  const LosslessCounts& counts = fabric.counts();
  sum.packet_hops += counts.hops;
  sum.drops += counts.drops;
  sum.marks += counts.marks;
  sum.pauses += counts.pauses;
  sum.fabric_memory += fabric.memory();
}

Duration busy(Bytes carried, std::int64_t bits_per_second) {
  return transfer_time(carried, Bandwidth::bits_per_second(bits_per_second));
}

// A link's record is in the part of the node that it leaves; in the others it is empty.
// `now` is the network's: a part may have stopped earlier.
void record(const Fabric& fabric, std::int64_t now, std::vector<LinkRecord>& records) {
  records.resize(fabric.links().size());
  for (std::size_t id = 0; id < fabric.links().size(); ++id) {
    if (fabric.links()[id].bytes == 0 && fabric.more()[id].drops == 0) continue;
    const LinkMore& more = fabric.more()[id];
    const FabricLink& link = fabric.links()[id];
    const std::int64_t waiting = bytes_in(more, std::max<std::int64_t>(link.free_at - now, 0));
    const Bytes carried{static_cast<std::int64_t>(link.bytes) - waiting};
    records[id] = {.carried = carried,
                   .busy = busy(carried, more.bits_per_second),
                   .peak_queue = Bytes{bytes_in(more, more.peak)},
                   .drops = more.drops,
                   .marks = more.marks,
                   .trims = fabric.waiting().empty() ? 0 : fabric.waiting()[id].trims};
  }
}

void record(const LosslessFabric& fabric, std::int64_t, std::vector<LinkRecord>& records) {
  for (std::uint32_t id = 0; id < fabric.ports().size(); ++id) {
    const PortMore& more = fabric.more()[id];
    const Bytes carried{static_cast<std::int64_t>(fabric.ports()[id].bytes)};
    records.push_back({.carried = carried,
                       .busy = busy(carried, more.bits_per_second),
                       .peak_queue = Bytes{more.peak},
                       .drops = more.drops,
                       .marks = more.marks,
                       .pauses = more.pauses,
                       .paused = Duration{fabric.paused(id)}});
  }
}

void look_at(const Fabric& fabric, std::int64_t when, std::vector<LinkState>& links) {
  links.resize(fabric.links().size());
  for (std::size_t id = 0; id < links.size(); ++id) {
    const FabricLink& link = fabric.links()[id];
    if (link.bytes == 0) continue;  // or it leaves another part
    const std::int64_t leaving = bytes_in(fabric.more()[id], std::max<std::int64_t>(link.free_at - when, 0));
    const std::int64_t held = fabric.waiting().empty() ? 0 : fabric.waiting()[id].bytes;
    links[id] = {.sent = Bytes{static_cast<std::int64_t>(link.bytes) - leaving},
                 .queued = Bytes{leaving + held}};
  }
}

void look_at(const LosslessFabric& fabric, std::int64_t when, std::vector<LinkState>& links) {
  links.resize(fabric.ports().size());
  for (std::size_t id = 0; id < links.size(); ++id) {
    const Port& port = fabric.ports()[id];
    const PortMore& more = fabric.more()[id];
    const std::int64_t leaving = bytes_in(more, std::max<std::int64_t>(port.free_at - when, 0));
    links[id] = {.sent = Bytes{static_cast<std::int64_t>(port.bytes) - leaving},
                 .queued = Bytes{leaving + more.queued}};
  }
}

std::uint64_t notifications(const Roce& transport) { return transport.notifications(); }
template <class Transport>
std::uint64_t notifications(const Transport&) {
  return 0;
}

// Queues add up how long their packets take: beyond this they would run out of time itself.
void require_fast_enough(const topology::Topology& topology, const PacketConfig& config) {
  constexpr std::chrono::seconds kLongestPacket(100);
  const Bytes packet = largest_packet(config);
  for (const topology::Link& link : topology.graph.links()) {
    if (transfer_time(packet, link.wire.rate) <= kLongestPacket) continue;
    throw UserError(
        fmt::format("a link of {} takes {} for one packet of {}", to_string(link.wire.rate),
                    to_string(transfer_time(packet, link.wire.rate)), to_string(packet)),
        fmt::format("use at least {}",
                    to_string(Bandwidth::bits_per_second(packet.count() * 8 / kLongestPacket.count() + 1))));
  }
}

}  // namespace

// The one place that knows all fabrics and transports.
Engine::AnyStack Engine::make_stack(const topology::Topology& topology, const PacketConfig& config,
                                    Pause pause) {
  require_sound(config);
  check(config.lossless.control != LinkControl::credits || config.transport != TransportKind::plain,
        "links with credits have an engine of their own");
  require_fast_enough(topology, config);
  switch (config.transport) {
    case TransportKind::tcp:
      return std::make_unique<Stack<Fabric, Tcp>>(
          topology, config, [&](Fabric& fabric) { return Tcp(config.tcp, fabric, pause); });
    case TransportKind::ndp:
      return std::make_unique<Stack<Fabric, Ndp>>(
          topology, config, [&](Fabric& fabric) { return Ndp(config.ndp, topology, fabric, pause); });
    case TransportKind::htsim_dctcp:
      return std::make_unique<Stack<Fabric, HtsimDctcp>>(
          topology, config, [&](Fabric& fabric) { return HtsimDctcp(config.htsim_dctcp, fabric, pause); });
    case TransportKind::roce:
    case TransportKind::plain: break;
  }
  return std::make_unique<Stack<LosslessFabric, Roce>>(
      topology, config, [&](LosslessFabric& fabric) { return Roce(config, topology, fabric, pause); });
}

Engine::AnyStack Engine::make_parallel(const topology::Topology& topology, const PacketConfig& config,
                                       Pause pause) {
  require_sound(config);
  require_fast_enough(topology, config);
  const auto refuse = [&](std::string_view why) {
    throw UserError({.key = "network.threads"}, fmt::format("{} threads: {}", config.threads, why),
                    "use 1 thread");
  };
  if (config.transport != TransportKind::tcp) refuse("only TCP and DCTCP run in parts so far");
  if (config.tcp.connections != ConnectionUse::per_pair) refuse("parts need one connection per pair");
  if (pause == Pause::at_delivery) refuse("parts do not stop at every delivery");
  if (window(topology.graph) == 0) refuse("parts need links with a delay between them");
  return std::make_unique<ParallelStack<Tcp>>(topology, config,
                                              [&](Fabric& fabric, Pause never, Tcp::Shared& shared) {
                                                return Tcp(config.tcp, fabric, never, shared);
                                              });
}

Engine::Engine(const topology::Topology& topology, const PacketConfig& config, Pause pause,
               const Faults& faults)
    : faults_(faults.touch_network() ? std::make_unique<PacketFaults>(faults, topology, config) : nullptr),
      stack_(config.threads == 1 ? make_stack(topology, config, pause)
                                 : make_parallel(topology, config, pause)),
      pause_(pause),
      window_(window(topology.graph)) {
  if (!faults_) return;
  std::visit([&](auto& stack) { stack->set_faults(*faults_); }, stack_);
}

void Engine::reserve(std::size_t connections) {
  std::visit([&](auto& stack) { stack->reserve(connections); }, stack_);
}

std::uint32_t Engine::post(int from, int to, std::int64_t bytes, std::int64_t when) {
  return std::visit([&](auto& stack) { return stack->post(from, to, bytes, when); }, stack_);
}

void Engine::run(std::int64_t limit) {
  std::visit(
      [&](auto& stack) {
        if (pause_ == Pause::at_delivery || !stack->kWindows) return stack->run(limit);
        if (stack->outstanding() > 0) {
          stack->run(limit);
          if (stack->outstanding() > 0) return;
          end_ = window_ == 0 ? stack->now() : stack->now() / window_ * window_ + window_ - 1;
        }
        stack->run(std::min(limit, end_));
      },
      stack_);
}

std::int64_t Engine::now() const {
  return std::visit([](const auto& stack) { return stack->now(); }, stack_);
}

std::int64_t Engine::next_time() const {
  return std::visit(
      [&](const auto& stack) {
        const std::int64_t next = stack->next_time();
        const bool done = pause_ != Pause::at_delivery && stack->outstanding() == 0 && next > end_;
        return done ? std::numeric_limits<std::int64_t>::max() : next;
      },
      stack_);
}

std::uint64_t Engine::outstanding() const {
  return std::visit([](const auto& stack) { return stack->outstanding(); }, stack_);
}

std::vector<Completion>& Engine::completions() {
  return std::visit([](auto& stack) -> std::vector<Completion>& { return stack->completions(); }, stack_);
}

std::uint64_t Engine::digest() const {
  std::uint64_t sum = 0;
  std::visit(
      [&](const auto& stack) {
        stack->each([&](const auto& fabric, const auto&) { sum += fabric.digest(); });
      },
      stack_);
  return sum;
}

Bytes Engine::delivered() const {
  Bytes sum;
  const auto add = [&](const auto&, const auto& transport) {
    sum += Bytes{static_cast<std::int64_t>(transport.counts().payload_bytes)};
  };
  std::visit([&](const auto& stack) { stack->each(add); }, stack_);
  return sum;
}

PacketStatistics Engine::statistics() const {
  PacketStatistics result;
  const auto add = [&](const auto& fabric, const auto& transport) {
    count(fabric, result);
    const TransportCounts& counts = transport.counts();
    result.data_packets += counts.data_packets;
    result.retransmissions += counts.retransmissions;
    result.timeouts += counts.timeouts;
    result.fast_recoveries += counts.recoveries;
    result.duplicates += counts.duplicates;
    result.notifications += notifications(transport);
    result.delivered += Bytes{static_cast<std::int64_t>(counts.payload_bytes)};
    result.flow_memory += transport.memory();
    result.connections = transport.flows();  // all parts know all
  };
  std::visit(
      [&](const auto& stack) {
        stack->each(add);
        result.flow_memory += stack->shared_memory();
      },
      stack_);
  if (!faults_) return result;
  result.faults = static_cast<std::uint64_t>(faults_->parts());
  result.lost = faults_->counts().lost;
  result.corrupted = faults_->counts().corrupted;
  result.reroutes = faults_->counts().reroutes;
  return result;
}

std::vector<LinkRecord> Engine::links() const {
  std::vector<LinkRecord> records;
  std::visit(
      [&](const auto& stack) {
        stack->each([&](const auto& fabric, const auto&) { record(fabric, stack->now(), records); });
      },
      stack_);
  return records;
}

void Engine::observe(std::int64_t when, std::vector<LinkState>& links) const {
  std::ranges::fill(links, LinkState{});
  std::visit(
      [&](const auto& stack) {
        stack->each([&](const auto& fabric, const auto&) { look_at(fabric, when, links); });
      },
      stack_);
}

}  // namespace overture::network::packet
