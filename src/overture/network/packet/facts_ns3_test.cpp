// "Facts worth testing" of tests/golden/ns3/README.md: what ns-3 gave in runs without a table of their own.
#include <gtest/gtest.h>

#include "overture/network/packet/patterns.h"
#include "overture/network/packet/run_flows.h"
#include "overture/topology/fat_tree.h"
#include "overture/topology/star.h"

namespace overture::network::packet {
namespace {

using namespace literals;
using topology::PathRule;

double makespan_us(int hosts, const PacketConfig& config, const std::vector<FlowSpec>& flows) {
  return to_us(run_flows(topology::star({.hosts = hosts}), config, flows).makespan);
}

TEST(FactsNs3, NoTwoSendersMeetInASynchronisedRotatedAllToAll) {
  PacketConfig blast;
  blast.tcp.initial_window = 363;
  EXPECT_NEAR(makespan_us(16, blast, all_to_all(16, 256_KiB)), 327.133, 0.001);
  EXPECT_NEAR(makespan_us(16, {}, all_to_all(16, 256_KiB)), 333.158, 0.001);
}

TEST(FactsNs3, NaiveOrderIsSlower) {
  // Its many exact ties may run in another order than in ns-3.
  EXPECT_NEAR(makespan_us(16, {}, all_to_all(16, 256_KiB, AllToAllOrder::naive)), 444.088, 0.01 * 444.088);
  // Here too: events at the same time that are equally old run by link number, so that it is the same on any
  // number of threads; ns-3 runs them as they were scheduled. The last flow ends one packet (0.12 us) later.
  EXPECT_NEAR(makespan_us(64, {}, all_to_all(64, 32_KiB, AllToAllOrder::naive)), 258.978, 0.13);
}

TEST(FactsNs3, WithSmallBuffersTheMinimumRtoDecides) {
  const auto naive = all_to_all(64, 32_KiB, AllToAllOrder::naive);
  PacketConfig config;
  config.queue.port_limit = 512_KiB;
  for (const Duration min_rto : {Duration{1ms}, Duration{10ms}, Duration{200ms}}) {
    config.tcp.min_rto = min_rto;
    const PacketRun result = run_flows(topology::star({.hosts = 64}), config, naive);
    EXPECT_NEAR(static_cast<double>(result.statistics.drops), 17319, 0.01 * 17319);
    EXPECT_NEAR(to_us(result.makespan - min_rto), 224.8, 50);
  }
  EXPECT_NEAR(makespan_us(64, config, all_to_all(64, 32_KiB)), 173.255, 0.001);
}

TEST(FactsNs3, PathRulesOnAFatTree) {
  const topology::Topology tree = topology::fat_tree({.k = 4});
  const auto mean_makespan = [&](PathRule rule) {
    double sum = 0;
    PacketConfig config{.paths = rule};
    for (config.seed = 1; config.seed <= 5; ++config.seed) {
      sum += to_us(run_flows(tree, config, all_to_all(16, 256_KiB)).makespan) / 5;
    }
    return sum;
  };
  EXPECT_NEAR(mean_makespan(PathRule::by_destination), 401, 0.01 * 401);
  EXPECT_NEAR(mean_makespan(PathRule::hash_per_flow), 457, 0.1 * 457);
  EXPECT_NEAR(mean_makespan(PathRule::spray), 425, 0.1 * 425);
}

}  // namespace
}  // namespace overture::network::packet
