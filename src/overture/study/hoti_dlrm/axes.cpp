#include "overture/study/hoti_dlrm/axes.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::study::hoti {
namespace {

using Keys = std::vector<std::string>;

const char* const kRate = "network.topology.star.wire.rate=800 Gbps";
const char* const kNaive = "system.all_to_all=naive_direct";
const char* const kFlatNaive = "system.all_to_all=[flat_naive_direct]";
const char* const kSmall = "network.queue.port_limit=512 KiB";

Keys concurrency(int chunks, int parallel) {
  return {fmt::format("system.chunks={}", chunks), fmt::format("system.active_chunks={}", parallel)};
}

// 1,024 chunks, 64 at a time, are the default of flat systems, and 128 that of hierarchical ones.
AxisValue concurrent(int chunks, int parallel) {
  const Keys keys = concurrency(chunks, parallel);
  return {.label = fmt::format("{} x {}", chunks, parallel),
          .keys = chunks == 1024 && parallel == 64 ? Keys{} : keys,
          .hierarchical = chunks == 128 && parallel == 64 ? Keys{} : keys};
}

// NICs per node; the switch keeps its buffer, for fewer ports.
AxisValue nics(int count) {
  return {.label = fmt::format("{} per node", count),
          .keys = {fmt::format("network.nodes.nics_per_node={}", count),
                   fmt::format("network.topology.star.hosts={}", 16 * count),
                   fmt::format("network.queue.port_limit={} MiB", 64 / count)}};
}

// The rows of the published table.
std::vector<Axis> published_axes() {
  return {
      {"bandwidth",
       "Scale-out link BW",
       {{"100 Gbps", {}}, {"800 Gbps", {kRate}, Keys{kRate, "network.nodes.pcie.rate=800 Gbps"}, "Flat800G"}},
       {"Flat100G", "Hier", "HierOpt"}},
      {"buffer",
       "Scale-out switch buffer",
       {{"1 GB, per port", {}},
        {"64 MB, per port", {kSmall}},
        {"1 GB, shared", {"network.queue={shared_limit: 1 GiB}"}},
        {"64 MB, shared", {"network.queue={shared_limit: 64 MiB}"}}}},
      {"latency",
       "Link latency + TCP Ack delay",
       {{"0.5 us + 0 us", {}},
        {"0.25 us + 0.25 us", {"network.topology.star.wire.delay=250 ns", "network.tcp.ack_delay=250 ns"}}}},
      {"injection",
       "Injection latency",
       {{"0.01 us", {}},
        {"1 us", {"system.endpoint_delay=1 us"}},
        {"10 us", {"system.endpoint_delay=10 us"}},
        {"100 us", {"system.endpoint_delay=100 us"}}}},
      {"window", "TCP window size", {{"0.5 MB", {}}, {"0.1 MB", {"network.tcp.receive_window=104858 B"}}}},
      // A direct all-reduce of 1,024 chunks on 128 GPUs sends 1.3 thousand million messages of 64 B: not
      // tried.
      {"algorithm",
       "all-reduce algorithm",
       {{"DBT", {}},
        {"A2A, 32 chunks",
         {"system.all_reduce=direct", "system.chunks=32"},
         Keys{"system.all_reduce=[direct, direct]", "system.chunks=32"}}}},
      {"concurrency",
       "Number of chunks, Chunk parallelism",
       {concurrent(1024, 64), concurrent(1024, 128), concurrent(128, 64), concurrent(128, 128),
        concurrent(32, 64), concurrent(32, 128), concurrent(128, 4)}},
      {"scheduling", "Collective Scheduling", {{"LIFO", {}}, {"FIFO", {"system.scheduling=fifo"}}}},
  };
}

// What the table leaves open.
std::vector<Axis> open_axes() {
  return {
      {"order",
       "",
       {{"rotated", {}},
        {"naive, 1 GB", {kNaive}, Keys{kFlatNaive}},
        {"naive, 64 MB, RTO 1 ms", {kNaive, kSmall}, Keys{kFlatNaive, kSmall}},
        {"naive, 64 MB, RTO 10 ms",
         {kNaive, kSmall, "network.tcp.min_rto=10 ms"},
         Keys{kFlatNaive, kSmall, "network.tcp.min_rto=10 ms"}}}},
      {"exchange", "", {{"1 chunk", {}}, {"32 chunks", {"system.all_to_all_chunks=32"}}}},
      {"segment", "", {{"1448 B", {}}, {"8960 B", {"network.tcp.segment=8960 B"}}}},
      {"nics", "", {{"8 per node", {}}, nics(4), nics(2), nics(1)}, {"Hier", "HierOpt"}},
      {"scale-up",
       "",
       {{"150 GB/s", {}},
        {"25 GB/s", {"network.nodes.inside.rate=25 GB/s"}},
        {"300 GB/s", {"network.nodes.inside.rate=300 GB/s"}}},
       {"Hier", "HierOpt"}},
      // GPUs so slow that an all-reduce ends before the next layer issues its own: no collective waits for
      // another.
      {"compute",
       "",
       {{"60 TFLOPS", {}},
        {"3 TFLOPS, FIFO", {"workload.dlrm.compute=roofline:3 TFLOPS", "system.scheduling=fifo"}}}},
  };
}

}  // namespace

const std::vector<Axis>& axes() {
  static const std::vector<Axis> all = [] {
    std::vector<Axis> axes = published_axes();
    std::ranges::move(open_axes(), std::back_inserter(axes));
    return axes;
  }();
  return all;
}

const Axis& axis_named(const std::string& name) {
  const auto found = std::ranges::find(axes(), name, &Axis::name);
  if (found != axes().end()) return *found;
  std::vector<std::string> known;
  for (const Axis& axis : axes()) known.push_back(axis.name);
  throw UserError({.key = "--axes"}, fmt::format("unknown axis \"{}\"", name), suggest(name, known));
}

bool concerns(const Axis& axis, const SystemSetup& system) {
  return axis.only.empty() || std::ranges::find(axis.only, system.name) != axis.only.end();
}

bool becomes_another(const AxisValue& value, const SystemSetup& system) {
  return !system.hierarchical && !value.flat_becomes.empty();
}

const std::vector<std::string>& keys_of(const AxisValue& value, const SystemSetup& system) {
  return system.hierarchical && value.hierarchical ? *value.hierarchical : value.keys;
}

}  // namespace overture::study::hoti
