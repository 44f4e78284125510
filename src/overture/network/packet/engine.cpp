#include "overture/network/packet/engine.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/network/packet/parallel_partition.h"

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

std::unique_ptr<Stack> stack_in_parts(const topology::Topology& topology, const PacketConfig& config,
                                      Pause pause) {
  const auto refuse = [&](std::string_view why) {
    throw UserError({.key = "network.threads"}, fmt::format("{} threads: {}", config.threads, why),
                    "use 1 thread");
  };
  return with_chosen(config, [&](const auto& numbers) {
    std::unique_ptr<Stack> stack;
    if constexpr (requires { numbers.make_parts(topology, config); }) {
      if (numbers.connection_use() != ConnectionUse::per_pair) refuse("parts need one connection per pair");
      if (pause == Pause::at_delivery) refuse("parts do not stop at every delivery");
      if (window(topology.graph) == 0) refuse("parts need links with a delay between them");
      stack = numbers.make_parts(topology, config);
    } else {
      refuse("only TCP and DCTCP run in parts so far");
    }
    return stack;
  });
}

std::unique_ptr<Stack> stack_of(const topology::Topology& topology, const PacketConfig& config, Pause pause) {
  require_sound(config);
  require_fast_enough(topology, config);
  if (config.threads > 1) return stack_in_parts(topology, config, pause);
  return with_chosen(config, [&](const auto& numbers) { return numbers.make(topology, config, pause); });
}

}  // namespace

Engine::Engine(const topology::Topology& topology, const PacketConfig& config, Pause pause,
               const Faults& faults)
    : faults_(faults.touch_network() ? std::make_unique<PacketFaults>(faults, topology, config) : nullptr),
      stack_(stack_of(topology, config, pause)),
      pause_(pause),
      window_(window(topology.graph)) {
  if (faults_) stack_->set_faults(*faults_);
}

void Engine::reserve(std::size_t connections) { stack_->reserve(connections); }

std::uint32_t Engine::post(int from, int to, std::int64_t bytes, std::int64_t when) {
  return stack_->post(from, to, bytes, when);
}

void Engine::run(std::int64_t limit) {
  if (pause_ == Pause::at_delivery || !stack_->ends_with_window()) return stack_->run(limit);
  if (outstanding() > 0) {
    stack_->run(limit);
    if (outstanding() > 0) return;
    end_ = window_ == 0 ? now() : now() / window_ * window_ + window_ - 1;
  }
  stack_->run(std::min(limit, end_));
}

std::int64_t Engine::now() const { return stack_->now(); }

std::int64_t Engine::next_time() const {
  const std::int64_t next = stack_->next_time();
  const bool done = pause_ != Pause::at_delivery && outstanding() == 0 && next > end_;
  return done ? std::numeric_limits<std::int64_t>::max() : next;
}

std::uint64_t Engine::outstanding() const { return stack_->outstanding(); }

std::vector<Completion>& Engine::completions() { return stack_->completions(); }

// Calls visit(fabric) for every part.
template <class Visit>
void Engine::each_fabric(Visit visit) const {
  for (const StackPart& part : stack_->parts())
    std::visit([&](const auto* fabric) { visit(*fabric); }, part.fabric);
}

std::uint64_t Engine::digest() const {
  std::uint64_t sum = 0;
  each_fabric([&](const auto& fabric) { sum += fabric.digest(); });
  return sum;
}

Bytes Engine::delivered() const {
  Bytes sum;
  for (const StackPart& part : stack_->parts())
    sum += Bytes{static_cast<std::int64_t>(part.transport->counts().payload_bytes)};
  return sum;
}

PacketStatistics Engine::statistics() const {
  PacketStatistics result;
  each_fabric([&](const auto& fabric) { count(fabric, result); });
  for (const StackPart& part : stack_->parts()) {
    const TransportCounts& counts = part.transport->counts();
    result.data_packets += counts.data_packets;
    result.retransmissions += counts.retransmissions;
    result.timeouts += counts.timeouts;
    result.fast_recoveries += counts.recoveries;
    result.duplicates += counts.duplicates;
    result.notifications += counts.notifications;
  }
  result.delivered = delivered();
  result.flow_memory = stack_->memory();
  result.connections = stack_->connections();
  if (!faults_) return result;
  result.faults = static_cast<std::uint64_t>(faults_->parts());
  result.lost = faults_->counts().lost;
  result.corrupted = faults_->counts().corrupted;
  result.reroutes = faults_->counts().reroutes;
  return result;
}

std::vector<LinkRecord> Engine::links() const {
  std::vector<LinkRecord> records;
  each_fabric([&](const auto& fabric) { record(fabric, now(), records); });
  return records;
}

void Engine::observe(std::int64_t when, std::vector<LinkState>& links) const {
  std::ranges::fill(links, LinkState{});
  each_fabric([&](const auto& fabric) { look_at(fabric, when, links); });
}

}  // namespace overture::network::packet
