// Random networks, configurations and traffic for property tests: small, varied, and harsh enough to lose
// packets; and what must hold on all of them.
#pragma once

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/network/packet/run_flows.h"
#include "overture/topology/fat_tree.h"
#include "overture/topology/hierarchical_switch.h"
#include "overture/topology/leaf_spine.h"
#include "overture/topology/star.h"
#include "overture/topology/torus.h"

namespace overture::network::packet {

inline topology::Topology draw_topology(RandomStream& random) {
  using namespace literals;
  const std::vector<Bandwidth> rates{10_Gbps, 25_Gbps, 37_Gbps, 100_Gbps, 400_Gbps, 800_Gbps};
  const auto wire = [&](int tier) {
    return topology::Wire{.rate = rates[random.below(rates.size())],
                          .delay = Duration{static_cast<std::int64_t>(random.below(2'000'000))},
                          .tier = tier};
  };
  switch (random.below(5)) {
    case 0: return topology::star({.hosts = 9, .wire = wire(0)});
    case 1:
      return topology::leaf_spine(
          {.leaves = 3, .hosts_per_leaf = 3, .spines = 2, .host = wire(0), .spine = wire(1)});
    case 2: return topology::fat_tree({.k = 4, .host = wire(0), .aggregation = wire(1), .core = wire(2)});
    case 3: return topology::torus({.sizes = {3, 4}, .ring = wire(1)});
    default:
      return topology::hierarchical_switch({.gpus_per_node = 4, .nics_per_node = 2},
                                           topology::star({.hosts = 6, .wire = wire(0)}));
  }
}

inline PacketConfig draw_tcp(RandomStream& random) {
  PacketConfig config;
  config.seed = random();
  config.paths = static_cast<topology::PathRule>(random.below(3));
  if (random.below(3) != 0)
    config.queue.port_limit = Bytes{3'000 + static_cast<std::int64_t>(random.below(60'000))};
  if (random.below(3) == 0)
    config.queue.shared_limit = Bytes{10'000 + static_cast<std::int64_t>(random.below(90'000))};
  if (random.below(2) == 0) {
    config.of<TcpConfig>().control = kControl<DctcpConfig>;
    config.queue.mark_above = Bytes{static_cast<std::int64_t>(random.below(40'000))};
    config.queue.mark_at = random.below(2) == 0 ? MarkAt::enqueue : MarkAt::dequeue;
  }
  config.of<TcpConfig>().initial_window = 1 + static_cast<int>(random.below(40));
  if (random.below(4) == 0)
    config.of<TcpConfig>().ack_delay = Duration{static_cast<std::int64_t>(random.below(900'000))};
  if (random.below(4) == 0) config.of<TcpConfig>().connections = ConnectionUse::per_message;
  return config;
}

inline PacketConfig draw_htsim_dctcp(RandomStream& random) {
  PacketConfig config = dlrm_study_dctcp();
  config.seed = random();
  config.paths = static_cast<topology::PathRule>(random.below(3));
  config.queue.port_limit = Bytes{9'000 + static_cast<std::int64_t>(random.below(60'000))};
  config.queue.mark_above = Bytes{static_cast<std::int64_t>(random.below(40'000))};
  config.of<HtsimDctcpConfig>().packet = Bytes{1'000 + static_cast<std::int64_t>(random.below(8'000))};
  config.of<HtsimDctcpConfig>().initial_window = 1 + static_cast<int>(random.below(100));
  config.of<HtsimDctcpConfig>().min_rto =
      Duration{random.below(2) == 0 ? std::chrono::milliseconds(10) : std::chrono::milliseconds(1)};
  config.of<HtsimDctcpConfig>().stamp_syn = random.below(2) == 0;
  return config;
}

inline std::vector<FlowSpec> draw_flows(RandomStream& random, int hosts) {
  std::vector<FlowSpec> flows;
  for (int i = 0; i < 120; ++i) {
    const int from = static_cast<int>(random.below(static_cast<std::uint64_t>(hosts)));
    const int to = static_cast<int>(random.below(static_cast<std::uint64_t>(hosts)));
    const std::int64_t most = random.below(3) == 0 ? 300'000 : 5'000;
    flows.push_back(
        {.from = Rank{from},
         .to = Rank{to},
         .size = Bytes{1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most)))},
         .start = Time{Duration{static_cast<std::int64_t>(random.below(100'000'000))}}});
  }
  return flows;
}

inline PacketConfig draw_ndp(RandomStream& random) {
  using namespace literals;
  PacketConfig config = ndp();
  config.seed = random();
  config.paths = static_cast<topology::PathRule>(random.below(3));
  if (random.below(2) == 0)
    config.of<NdpConfig>().payload = Bytes{1'000 + static_cast<std::int64_t>(random.below(8'000))};
  config.of<NdpConfig>().initial_window = 1 + static_cast<int>(random.below(80));
  config.of<NdpConfig>().pull_rate = 0.5 + random.unit() / 2;
  config.of<NdpConfig>().pad_packets = random.below(2) == 0;
  config.of<NdpConfig>().min_rto = random.below(2) == 0 ? Duration{1ms} : Duration{20us};  // or far too early
  if (random.below(4) == 0) config.of<NdpConfig>().complete_at = CompleteAt::last_ack;
  TrimConfig& trim = config.queue.trim;
  trim.data_limit = Bytes{9'064 + static_cast<std::int64_t>(random.below(60'000))};
  // Often so little that headers and control packets are lost.
  trim.control_limit =
      Bytes{64 + static_cast<std::int64_t>(random.below(random.below(2) == 0 ? 200 : 100'000))};
  trim.trim_arriving = random.unit();
  return config;
}

// The least time that a flow can take: the whole message over its slowest link, and its last byte over all
// the wires. Sprayed packets share only the first and the last link.
inline Duration on_an_empty_wire(const topology::Topology& topology, const FlowSpec& flow, bool spray) {
  Duration wires{};
  Duration slowest{};
  const auto links = path(topology, index(flow.from), index(flow.to), topology::Pick::by_destination());
  for (const int link : links) {
    wires += topology.graph.links()[link].wire.delay;
    if (spray && link != links.front() && link != links.back()) continue;
    slowest = std::max(slowest, transfer_time(flow.size, topology.graph.links()[link].wire.rate));
  }
  return wires + slowest;
}

// Every message is complete, every byte was delivered once, and nothing came before it could.
inline void expect_all_delivered(const topology::Topology& topology, const PacketConfig& config,
                                 const std::vector<FlowSpec>& flows, const PacketRun& result,
                                 std::uint64_t seed) {
  Bytes sent{0};
  const bool spray = config.paths == topology::PathRule::spray;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    ASSERT_TRUE(result.completion[i]) << "seed " << seed << " flow " << i;
    if (flows[i].from != flows[i].to) sent += flows[i].size;
    EXPECT_GE(*result.completion[i], on_an_empty_wire(topology, flows[i], spray))
        << "seed " << seed << " flow " << i;
  }
  EXPECT_EQ(result.statistics.delivered, sent) << "seed " << seed;
}

}  // namespace overture::network::packet
