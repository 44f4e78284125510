// Networks with pause frames: they lose nothing, and what that costs is visible.
#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/network/packet/engine.h"
#include "overture/network/packet/patterns.h"
#include "overture/network/packet/testing.h"

namespace overture::network::packet {
namespace {

using namespace literals;
using topology::Topology;

PacketConfig without_control() {
  PacketConfig config = roce();
  config.of<RoceConfig>().control = RateControl::none;
  return config;
}

Bytes peak_queue(const PacketRun& result) {
  return std::ranges::max(result.links, {}, &LinkRecord::peak_queue).peak_queue;
}

// A tree: on rings PFC may deadlock.
Topology draw_tree(RandomStream& random) {
  for (;;) {
    Topology topology = draw_topology(random);
    if (topology.graph.tiers().back() != "ring") return topology;
  }
}

PacketConfig draw_pfc(RandomStream& random) {
  PacketConfig config = roce();
  config.seed = random();
  config.paths =
      random.below(2) == 0 ? topology::PathRule::by_destination : topology::PathRule::hash_per_flow;
  LosslessConfig& lossless = config.lossless;
  lossless.buffer = Bytes{64'000'000};
  lossless.pfc.dynamic_alpha = 1.0 / static_cast<double>(1 + random.below(5'000));
  if (random.below(2) == 0)
    lossless.pfc.xoff = Bytes{1'000 + static_cast<std::int64_t>(random.below(40'000))};
  lossless.pfc.xon_gap = Bytes{static_cast<std::int64_t>(random.below(5'000))};
  lossless.ecn.max = Bytes{5'000 + static_cast<std::int64_t>(random.below(100'000))};
  if (random.below(2) == 0) lossless.small_first = {2_KiB, 64_KiB};
  if (random.below(2) == 0) config.of<RoceConfig>().control = RateControl::none;
  config.of<RoceConfig>().payload = Bytes{500 + static_cast<std::int64_t>(random.below(4'000))};
  config.of<RoceConfig>().ack_every = 1 + static_cast<int>(random.below(32));
  if (random.below(4) == 0) {
    config.transport = kTransport<PlainConfig>;
    config.paths = static_cast<topology::PathRule>(random.below(3));
    if (random.below(2) == 0) config.of<PlainConfig>().inject = 7_Gbps;
  }
  return config;
}

TEST(Pfc, DeliversEveryByteOnceAndDropsNothing) {
  PacketStatistics total;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    RandomStream random = RandomStreams(seed).make("pfc properties");
    const Topology topology = draw_tree(random);
    const PacketConfig config = draw_pfc(random);
    const std::vector<FlowSpec> flows = draw_flows(random, topology.graph.hosts());
    const PacketRun result = run_flows(topology, config, flows);
    expect_all_delivered(topology, config, flows, result, seed);
    EXPECT_EQ(result.statistics.drops, 0) << "seed " << seed;
    EXPECT_EQ(run_flows(topology, config, flows).digest, result.digest) << "seed " << seed;
    total.pauses += result.statistics.pauses;
    total.notifications += result.statistics.notifications;
  }
  EXPECT_GT(total.pauses, 10'000);  // the draws are harsh enough to mean something
  EXPECT_GT(total.notifications, 1'000);
}

// Without pauses, small buffers lose packets and go-back-N makes up for it.
TEST(Roce, DeliversEveryByteOnceWhateverIsLost) {
  PacketStatistics total;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random = RandomStreams(seed).make("go-back-n");
    const Topology topology = draw_topology(random);
    PacketConfig config = draw_pfc(random);
    config.transport = kTransport<RoceConfig>;
    config.paths = topology::PathRule::hash_per_flow;
    config.lossless.control = LinkControl::none;
    config.lossless.buffer = Bytes{8'000 + static_cast<std::int64_t>(random.below(60'000))};
    config.lossless.dynamic_alpha = 0.5 + random.unit() * 4;
    config.of<RoceConfig>().min_rto = 200us;
    const std::vector<FlowSpec> flows = draw_flows(random, topology.graph.hosts());
    const PacketRun result = run_flows(topology, config, flows);
    expect_all_delivered(topology, config, flows, result, seed);
    EXPECT_EQ(run_flows(topology, config, flows).digest, result.digest) << "seed " << seed;
    total.drops += result.statistics.drops;
    total.timeouts += result.statistics.timeouts;
    total.fast_recoveries += result.statistics.fast_recoveries;
    EXPECT_EQ(result.statistics.pauses, 0);
  }
  EXPECT_GT(total.drops, 10'000);
  EXPECT_GT(total.timeouts, 50);
  EXPECT_GT(total.fast_recoveries, 1'000);
}

TEST(Roce, OnAnEmptyStarIsExact) {
  const Topology star = topology::star({.hosts = 2});
  const auto completion = [&](Bytes size) {
    return run_flows(star, roce(), {{.from = Rank{0}, .to = Rank{1}, .size = size}}).completion[0].value();
  };
  EXPECT_EQ(completion(1_B), 2 * (transfer_time(Bytes{63}, 100_Gbps) + 500ns));
  EXPECT_EQ(completion(Bytes{1'025}),
            2 * transfer_time(Bytes{1'086}, 100_Gbps) + transfer_time(Bytes{63}, 100_Gbps) + 1us);
}

TEST(Roce, MessagesOfAPairComeInOrder) {
  std::vector<FlowSpec> flows(50, {.from = Rank{0}, .to = Rank{1}, .size = 10_KiB});
  const PacketRun result = run_flows(topology::star({.hosts = 2}), roce(), flows);
  EXPECT_TRUE(std::ranges::is_sorted(result.completion, {}, [](const auto& fct) { return *fct; }));
  EXPECT_EQ(result.statistics.connections, 1);
}

TEST(Pfc, ABusyPortNeverRests) {
  PacketConfig config = without_control();
  config.lossless.buffer = 4_MiB;
  const int senders = 20;
  const PacketRun result = run_flows(topology::star({.hosts = 21}), config, incast(senders, 1_MiB));
  const Duration packet = transfer_time(Bytes{1'086}, 100_Gbps);
  EXPECT_EQ(result.makespan, packet + 500ns + senders * 1'024 * packet + 500ns);
  EXPECT_GT(result.statistics.pauses, 100);
  EXPECT_EQ(result.statistics.drops, 0);
  EXPECT_LE(peak_queue(result), config.lossless.buffer);
}

// All hosts of a fat tree to one: the pauses reach every sender, and all is delivered at the rate of one
// link.
TEST(Pfc, IncastThroughAFatTreeNeitherDropsNorLocks) {
  PacketConfig config = without_control();
  config.lossless.pfc.xoff = 20_KiB;
  const Topology tree = topology::fat_tree({.k = 4});
  const PacketRun result = run_flows(tree, config, incast(15, 256_KiB));
  EXPECT_EQ(result.finished, 15);
  EXPECT_EQ(result.statistics.drops, 0);
  const Duration ideal = 15 * 256 * transfer_time(Bytes{1'086}, 100_Gbps);
  EXPECT_LT(result.makespan, ideal * 101 / 100 + 5us);
  for (int host = 1; host < 16; ++host) {
    EXPECT_GT(result.links[tree.graph.first_link(host)].paused, Duration::zero()) << host;
  }
}

// Two leaves, one spine. Hosts 1 to 3 of the first leaf fill the link to host 4 of the second one; host 0
// sends to host 5, whose link is idle, and is held up all the same: pauses stop a whole port.
TEST(Pfc, PausesHoldUpThoseWhoHaveNothingToDoWithTheCongestion) {
  const Topology leaves = topology::leaf_spine({.leaves = 2,
                                                .hosts_per_leaf = 4,
                                                .spines = 1,
                                                .host = {.rate = 100_Gbps, .delay = 500ns},
                                                .spine = {.rate = 400_Gbps, .delay = 500ns, .tier = 1}});
  std::vector<FlowSpec> flows{{.from = Rank{0}, .to = Rank{5}, .size = 1_MiB, .start = Time{2ms}}};
  const auto victim = [&](const PacketConfig& config) {
    return run_flows(leaves, config, flows).completion[0].value();
  };
  PacketConfig config = without_control();
  config.lossless.pfc.xoff = 50_KiB;
  const Duration alone = victim(config);
  for (int host = 1; host < 4; ++host) flows.push_back({.from = Rank{host}, .to = Rank{4}, .size = 32_MiB});
  const Duration paused = victim(config);
  EXPECT_GT(paused, alone * 2);
  // Rate control at the senders removes the cause, if it marks before it pauses.
  config.of<RoceConfig>().control = RateControl::dcqcn;
  config.lossless.ecn = {.min = Bytes{5'000}, .max = Bytes{200'000}, .probability = 0.01};
  EXPECT_LT(victim(config), alone * 11 / 10);
  // And with room for everything nobody is stopped.
  config = without_control();
  config.lossless.buffer = 256_MiB;
  config.lossless.pfc.xoff = 128_MiB;
  EXPECT_LT(victim(config), alone * 11 / 10);
}

TEST(Pfc, SmallMessagesOvertakeLargeOnes) {
  PacketConfig config = without_control();
  const std::vector<FlowSpec> flows{{.from = Rank{1}, .to = Rank{0}, .size = 4_MiB},
                                    {.from = Rank{2}, .to = Rank{0}, .size = 4_MiB},
                                    {.from = Rank{2}, .to = Rank{0}, .size = 1_KiB, .start = Time{50us}}};
  const auto small = [&] {
    return run_flows(topology::star({.hosts = 3}), config, flows).completion[2].value();
  };
  EXPECT_GT(small(), 50us);  // behind half a megabyte
  config.lossless.small_first = {1_KiB};
  // At most a packet that has begun at each of the two links.
  EXPECT_LE(small(), 4 * transfer_time(Bytes{1'086}, 100_Gbps) + 1us);
}

TEST(Pfc, MarksAStepWhereMinAndMaxAreOne) {
  PacketConfig config = without_control();
  config.lossless.ecn = {.min = Bytes{3 * 1'086}, .max = Bytes{3 * 1'086}, .probability = 0};
  // Six packets come at once: one is sent, five wait, the last two of them with more than three in the queue.
  EXPECT_EQ(run_flows(topology::star({.hosts = 7}), config, incast(6, 1_KiB)).statistics.marks, 2);
}

// The DCQCN paper's own numbers, for its testbed of 40 Gbps.
PacketConfig roce_of_2015() {
  PacketConfig config = roce();
  config.lossless.ecn = {.min = Bytes{5'000}, .max = Bytes{200'000}, .probability = 0.01};
  return config;
}

TEST(Ecn, ThresholdsGrowWithTheLinkUnlessGiven) {
  const EcnConfig usual;
  EXPECT_EQ(usual.min_at(25_Gbps), Bytes{100'000});
  EXPECT_EQ(usual.max_at(100_Gbps), Bytes{1'600'000});
  EXPECT_EQ((EcnConfig{.min = Bytes{7}}.min_at(100_Gbps)), Bytes{7});
  EXPECT_EQ((EcnConfig{.max = Bytes{50'000}}.min_at(100_Gbps)), Bytes{50'000});
  EXPECT_EQ((EcnConfig{.min = Bytes{9'000'000}}.max_at(100_Gbps)), Bytes{9'000'000});
}

// Senders that DCQCN has slowed down recover slowly; marking later slows them down less.
TEST(Dcqcn, AnIncastAtAHundredGbpsIsFasterThanWithTheThresholdsForForty) {
  const Topology star = topology::star({.hosts = 17});
  const PacketRun usual = run_flows(star, roce(), incast(16, 8_MiB));
  const PacketRun early = run_flows(star, roce_of_2015(), incast(16, 8_MiB));
  EXPECT_LT(usual.makespan, early.makespan);  // 16.4 and 18.1 ms, where the link alone needs 11.4
}

TEST(Dcqcn, AnIncastNeedsFarFewerPauses) {
  PacketConfig config = roce_of_2015();
  config.lossless.pfc.xoff = 200'000_B;
  const Topology star = topology::star({.hosts = 17});
  const PacketRun with = run_flows(star, config, incast(16, 8_MiB));
  config.of<RoceConfig>().control = RateControl::none;
  const PacketRun stopped = run_flows(star, config, incast(16, 8_MiB));
  EXPECT_EQ(with.statistics.drops + stopped.statistics.drops, 0);
  EXPECT_GT(with.statistics.notifications, 0);
  EXPECT_LT(with.statistics.pauses * 10, stopped.statistics.pauses);
}

// Bytes that have left hosts 1 and 2 by then.
std::pair<double, double> sent_by(const std::vector<FlowSpec>& flows, const PacketConfig& config, Time when) {
  const Topology star = topology::star({.hosts = 3, .wire = {.rate = 40_Gbps, .delay = 500ns}});
  const PacketRun result = run_flows(star, config, flows, {.until = when});
  const auto carried = [&](int host) {
    return static_cast<double>(result.links[star.graph.first_link(host)].carried.count());
  };
  return {carried(1), carried(2)};
}

// The second flow starts when the first one has had the link for a while.
TEST(Dcqcn, TwoFlowsConvergeToAFairShareAndAShortQueue) {
  const std::vector<FlowSpec> flows{{.from = Rank{1}, .to = Rank{0}, .size = 1_GiB},
                                    {.from = Rank{2}, .to = Rank{0}, .size = 1_GiB, .start = Time{200us}}};
  const PacketConfig config = roce_of_2015();
  const auto before = sent_by(flows, config, Time{40ms});
  const auto after = sent_by(flows, config, Time{60ms});
  const double first = after.first - before.first;
  const double second = after.second - before.second;
  EXPECT_NEAR(first / (first + second), 0.5, 0.1);
  EXPECT_GT((first + second) / 100e6, 0.85);  // of 40 Gbps in 20 ms

  const Topology star = topology::star({.hosts = 3, .wire = {.rate = 40_Gbps, .delay = 500ns}});
  const PacketRun result = run_flows(star, config, flows, {.until = Time{60ms}},
                                     MonitorConfig{.interval = 100us, .samples = 1024});
  const auto to_receiver = static_cast<std::size_t>(star.graph.first_link(3));
  double queued = 0;
  Bytes longest{};
  for (std::int64_t i = 400; i < result.history.samples(); ++i) {
    queued += static_cast<double>(result.history.at(i, to_receiver).queued.count());
    longest = std::max(longest, result.history.at(i, to_receiver).queued);
  }
  queued /= static_cast<double>(result.history.samples() - 400);
  EXPECT_GT(queued, static_cast<double>(config.lossless.ecn.min->count()));
  EXPECT_LT(queued, static_cast<double>(config.lossless.ecn.max->count()));
  EXPECT_LT(longest, *config.lossless.ecn.max * 3 / 2);
  EXPECT_EQ(result.statistics.pauses, 0);
}

TEST(Pfc, AStoppedRunGoesOnAsIfNothingHadHappened) {
  PacketConfig config = roce();
  config.lossless.pfc.xoff = 20_KiB;
  const Topology tree = topology::fat_tree({.k = 4});
  const auto digest = [&](std::int64_t step) {
    Engine engine(tree, config, Pause::when_idle);
    for (const FlowSpec& flow : all_to_all(16, 64_KiB)) {
      engine.post(index(flow.from), index(flow.to), flow.size.count(), 0);
    }
    for (std::int64_t until = step; engine.outstanding() > 0; until += step) engine.run(until);
    return engine.digest();
  };
  const std::uint64_t whole = digest(std::int64_t{1} << 60);
  EXPECT_EQ(digest(1'000'000), whole);
  EXPECT_EQ(digest(77'777), whole);
}

TEST(Pfc, RefusesWhatCannotWork) {
  const Topology star = topology::star({.hosts = 4});
  const auto refused = [&](auto change) {
    PacketConfig config = roce();
    change(config);
    EXPECT_THROW(run_flows(star, config, {}), UserError);
  };
  refused([](PacketConfig& c) { c.lossless.buffer = 10_KiB; });  // less than the headroom
  refused([](PacketConfig& c) { c.lossless.ecn = {.min = 5_KiB, .max = 4_KiB}; });
  refused([](PacketConfig& c) { c.lossless.pfc.dynamic_alpha = 0; });
  refused([](PacketConfig& c) { c.lossless.small_first = {2_KiB, 1_KiB}; });
  refused([](PacketConfig& c) { c.paths = topology::PathRule::spray; });
  refused([](PacketConfig& c) { c.of<RoceConfig>().payload = 64_KiB; });
  refused([](PacketConfig& c) { c.of<RoceConfig>().dcqcn.gain = 0; });
  refused([](PacketConfig& c) {
    c.transport = kTransport<PlainConfig>;
    c.lossless.control = LinkControl::none;
  });
  EXPECT_NO_THROW(run_flows(star, roce(), {}));
}

}  // namespace
}  // namespace overture::network::packet
