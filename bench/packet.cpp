// How many packet-hops and data packets a second the packet engine carries on fat trees of 128 and 1,024
// hosts, and what a flow costs in memory. Times cover the whole run: connections, events and results. For
// instructions per data packet, run one case under callgrind and divide by the counter data_packets:
//   valgrind --tool=callgrind bench_packet --benchmark_filter=... --benchmark_min_time=0.001
#include <cstdint>
#include <vector>

#include <benchmark/benchmark.h>

#include "overture/network/packet/packet_network.h"
#include "overture/network/packet/patterns.h"
#include "overture/network/packet/run_flows.h"
#include "overture/sim/event_queue.h"
#include "overture/topology/fat_tree.h"

namespace overture::network::packet {
namespace {

using namespace literals;

PacketConfig tcp(int threads = 1) { return {.threads = threads}; }

PacketConfig dctcp(int threads = 1) {
  PacketConfig config{.threads = threads};
  config.of<TcpConfig>().control = kControl<DctcpConfig>;
  config.queue.mark_above = Bytes{100'000};  // about 65 packets, as RFC 8257 suggests for 10 Gb/s and more
  return config;
}

PacketConfig lossy() {
  PacketConfig config;
  config.queue.port_limit = 512_KiB;
  return config;
}

void run(benchmark::State& state, const topology::Topology& tree, const PacketConfig& config,
         const std::vector<FlowSpec>& flows) {
  PacketStatistics total;
  double per_flow = 0;
  for (auto _ : state) {
    const PacketRun result = run_flows(tree, config, flows);
    if (result.finished != flows.size()) state.SkipWithError("not all flows finished");
    total.packet_hops += result.statistics.packet_hops;
    total.data_packets += result.statistics.data_packets;
    per_flow = static_cast<double>(result.statistics.flow_memory) / static_cast<double>(flows.size());
  }
  using benchmark::Counter;
  const auto rate = [](std::uint64_t n) { return Counter(static_cast<double>(n), Counter::kIsRate); };
  state.counters["hops/s"] = rate(total.packet_hops);
  state.counters["data_packets/s"] = rate(total.data_packets);
  state.counters["data_packets"] = Counter(static_cast<double>(total.data_packets), Counter::kAvgIterations);
  state.counters["flow_bytes"] = per_flow;
}

void all_to_all_on(benchmark::State& state, const PacketConfig& config, int k, int group, Bytes size) {
  const topology::Topology tree = topology::fat_tree({.k = k});
  run(state, tree, config, all_to_all(tree.graph.hosts(), size, AllToAllOrder::rotated, group));
}

void permutation_on(benchmark::State& state, const PacketConfig& config, int k, Bytes size) {
  const topology::Topology tree = topology::fat_tree({.k = k});
  run(state, tree, config, permutation(tree.graph.hosts(), size, 1));
}

// The same traffic through the Network interface. With something else pending in the shared queue, the engine
// cannot run ahead and takes an event of that queue for each of its own times.
void network_on(benchmark::State& state, int k, Bytes size, bool something_pending) {
  std::uint64_t hops = 0;
  for (auto _ : state) {
    sim::EventQueue events;
    PacketNetwork network(topology::fat_tree({.k = k}), tcp(), events);
    if (something_pending) events.at(Time{1s}, [] {});
    const std::vector<FlowSpec> flows = all_to_all(network.graph().hosts(), size);
    for (const FlowSpec& flow : flows) {
      // Starts a few picoseconds apart, so that no two packets are at the same place in time.
      events.at(Time{131_ps * index(flow.from)}, [&network, &flow] {
        network.send({.from = flow.from, .to = flow.to, .size = flow.size}, [] {});
      });
    }
    events.run();
    hops += network.statistics().packet_hops;
  }
  state.counters["hops/s"] = benchmark::Counter(static_cast<double>(hops), benchmark::Counter::kIsRate);
}

#define OVERTURE_CASE(function, name, ...) \
  BENCHMARK_CAPTURE(function, name, __VA_ARGS__)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()
// With threads, the wall's clock counts. Compare with the same case on one thread, which has the same digest.
#define OVERTURE_THREADS(function, name, ...) \
  BENCHMARK_CAPTURE(function, name, __VA_ARGS__)->Unit(benchmark::kMillisecond)->UseRealTime()

OVERTURE_CASE(all_to_all_on, tcp_128, tcp(), 8, 128, 32_KiB);
OVERTURE_CASE(all_to_all_on, dctcp_128, dctcp(), 8, 128, 32_KiB);
OVERTURE_CASE(permutation_on, tcp_128, tcp(), 8, 1_MiB);
OVERTURE_CASE(permutation_on, dctcp_128, dctcp(), 8, 1_MiB);
OVERTURE_CASE(all_to_all_on, tcp_1024_groups_of_32, tcp(), 16, 32, 32_KiB);
OVERTURE_CASE(all_to_all_on, dctcp_1024_groups_of_32, dctcp(), 16, 32, 32_KiB);
OVERTURE_CASE(all_to_all_on, tcp_1024, tcp(), 16, 1024, 4_KiB);
OVERTURE_CASE(permutation_on, tcp_1024, tcp(), 16, 1_MiB);
OVERTURE_CASE(permutation_on, dctcp_1024, dctcp(), 16, 1_MiB);
// How cost grows with hosts (the same load for each) and with load (bytes per pair; 512 KiB ports lose
// packets).
OVERTURE_CASE(permutation_on, tcp_16, tcp(), 4, 1_MiB);
OVERTURE_CASE(permutation_on, tcp_432, tcp(), 12, 1_MiB);
OVERTURE_CASE(all_to_all_on, tcp_128_load_4k, tcp(), 8, 128, 4_KiB);
OVERTURE_CASE(all_to_all_on, tcp_128_load_256k, tcp(), 8, 128, 256_KiB);
OVERTURE_CASE(all_to_all_on, lossy_128_load_256k, lossy(), 8, 128, 256_KiB);
OVERTURE_THREADS(all_to_all_on, tcp_128_threads_1, tcp(1), 8, 128, 32_KiB);
OVERTURE_THREADS(all_to_all_on, tcp_128_threads_2, tcp(2), 8, 128, 32_KiB);
OVERTURE_THREADS(permutation_on, tcp_128_threads_1, tcp(1), 8, 1_MiB);
OVERTURE_THREADS(permutation_on, tcp_128_threads_2, tcp(2), 8, 1_MiB);
OVERTURE_THREADS(all_to_all_on, tcp_1024_threads_1, tcp(1), 16, 1024, 4_KiB);
OVERTURE_THREADS(all_to_all_on, tcp_1024_threads_2, tcp(2), 16, 1024, 4_KiB);
OVERTURE_THREADS(permutation_on, tcp_1024_threads_1, tcp(1), 16, 1_MiB);
OVERTURE_THREADS(permutation_on, tcp_1024_threads_2, tcp(2), 16, 1_MiB);
OVERTURE_THREADS(permutation_on, dctcp_1024_threads_2, dctcp(2), 16, 1_MiB);
// Sizes are those of the htsim runs that opera-htsim section 9 lists.
OVERTURE_CASE(all_to_all_on, ndp_128, ndp(), 8, 128, Bytes{100'000});
OVERTURE_CASE(permutation_on, ndp_128, ndp(), 8, Bytes{2'000'000});
OVERTURE_CASE(all_to_all_on, ndp_1024_groups_of_32, ndp(), 16, 32, Bytes{90'000});
OVERTURE_CASE(permutation_on, ndp_1024, ndp(), 16, Bytes{2'000'000});
OVERTURE_CASE(network_on, alone_128, 8, 32_KiB, false);
OVERTURE_CASE(network_on, shared_128, 8, 32_KiB, true);

}  // namespace
}  // namespace overture::network::packet
