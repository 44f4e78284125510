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
  blast.of<TcpConfig>().initial_window = 363;
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
    config.of<TcpConfig>().min_rto = min_rto;
    const PacketRun result = run_flows(topology::star({.hosts = 64}), config, naive);
    EXPECT_NEAR(static_cast<double>(result.statistics.drops), 17319, 0.01 * 17319);
    EXPECT_NEAR(to_us(result.makespan - min_rto), 224.8, 50);
  }
  EXPECT_NEAR(makespan_us(64, config, all_to_all(64, 32_KiB)), 173.255, 0.001);
}

struct TimedFlow {
  int from;
  std::int64_t bytes;
  std::int64_t start_ns;
  double fct_ns;  // ns-3.37's
};

// All of them to host 0 of a star.
void expect_completions(const topology::Topology& star, const PacketConfig& config,
                        const std::vector<TimedFlow>& reference) {
  std::vector<FlowSpec> flows;
  for (const TimedFlow& flow : reference) {
    flows.push_back({.from = Rank{flow.from},
                     .to = Rank{0},
                     .size = Bytes{flow.bytes},
                     .start = Time{std::chrono::nanoseconds(flow.start_ns)}});
  }
  const PacketRun result = run_flows(star, config, flows);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    EXPECT_NEAR(to_ns(result.completion[i].value()), reference[i].fct_ns, 0.0011) << i;
  }
}

// Queues make the round trip longer than the minimum RTO: every segment is a sample of it.
TEST(FactsNs3, TimeoutsFollowTheRoundTripOfEverySegment) {
  PacketConfig config;
  config.queue.port_limit = Bytes{300'000};
  expect_completions(topology::star({.hosts = 6, .wire = {.rate = 1_Gbps, .delay = 400us}}), config,
                     {{2, 1'171'856, 37'171, 68'749'488.001},
                      {4, 8'555'370, 261'752, 205'772'243.001},
                      {5, 1'574'661, 292'846, 32'398'941.001},
                      {1, 6'828'797, 372'572, 194'570'799.001},
                      {3, 8'652'673, 714'689, 240'478'418.001}});
}

// The short end of a message is lost, and sent again with the beginning of the next one.
TEST(FactsNs3, ARetransmissionMayHoldTheEndOfAMessageAndSomeOfTheNext) {
  PacketConfig config;
  config.queue.port_limit = Bytes{12'000};
  expect_completions(topology::star({.hosts = 3, .wire = {.rate = 10_Gbps, .delay = 5us}}), config,
                     {{2, 900, 956, 11'507.201},
                      {2, 2'000, 1'492, 13'392.001},
                      {1, 900, 1'703, 11'513.801},
                      {1, 5'000, 2'905, 16'113.401},
                      {1, 2'000, 14'165, 12'859.201},
                      {1, 5'000, 24'215, 15'326.401},
                      {2, 5'000, 31'034, 15'326.401},
                      {2, 20'000, 47'968, 1'098'848.001},
                      {1, 20'000, 50'646, 36'904.401},
                      {2, 2'000, 56'824, 1'090'966.401}});
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
