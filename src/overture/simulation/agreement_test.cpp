// One rank, one group or every rank simulated: the same numbers. Small random machines, systems and workloads
// of every kind; the seed of a failure draws it again.
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include <gtest/gtest.h>

#include "overture/simulation/testing.h"
#include "overture/simulation/traffic.h"

namespace overture::simulation {
namespace {

void expect_same(const SimulationResult& a, const SimulationResult& b) {
  EXPECT_EQ(a.finished, b.finished);
  ASSERT_EQ(a.layers.size(), b.layers.size());
  for (std::size_t l = 0; l < a.layers.size(); ++l) {
    for (std::size_t k = 0; k < kPassKinds; ++k) {
      EXPECT_EQ(a.layers[l].passes[k].compute, b.layers[l].passes[k].compute);
      EXPECT_EQ(a.layers[l].passes[k].communication, b.layers[l].passes[k].communication);
      EXPECT_EQ(a.layers[l].passes[k].exposed, b.layers[l].passes[k].exposed);
    }
    EXPECT_EQ(a.layers[l].collectives, b.layers[l].collectives);
    EXPECT_EQ(a.layers[l].queueing_ns, b.layers[l].queueing_ns);
    EXPECT_EQ(a.layers[l].network_ns, b.layers[l].network_ns);
  }
  for (std::size_t d = 0; d < a.dimensions.size(); ++d) {
    EXPECT_EQ(a.dimensions[d].chunks, b.dimensions[d].chunks);
    EXPECT_EQ(a.dimensions[d].running, b.dimensions[d].running);
    ASSERT_EQ(a.dimensions[d].busy.size(), b.dimensions[d].busy.size());
    for (std::size_t i = 0; i < a.dimensions[d].busy.size(); ++i) {
      EXPECT_EQ(a.dimensions[d].busy[i].from, b.dimensions[d].busy[i].from);
      EXPECT_EQ(a.dimensions[d].busy[i].to, b.dimensions[d].busy[i].to);
    }
  }
  EXPECT_EQ(a.sent_by_rank_0, b.sent_by_rank_0);
}

void compare_scopes(network::Contention contention, int count) {
  int compared = 0;
  for (int seed = 1; seed <= count; ++seed) {
    SCOPED_TRACE(seed);
    SimulationConfig config = RandomSimulation(static_cast<std::uint64_t>(seed)).draw(contention);
    const SimulationResult exact = simulate(config);
    if (exact.scope == system::Scope::all) continue;
    ++compared;
    config.scope = system::Scope::all;
    expect_same(exact, simulate(config));
    if (testing::Test::HasFailure()) return;  // one seed tells more than hundreds
  }
  EXPECT_GT(compared, count / 3);
}

struct WatchedRun {
  SimulationResult result;
  network::NetworkRecord record;
  std::map<std::tuple<std::string_view, Rank, Rank>, Bytes> pairs;
};

WatchedRun watched(const SimulationConfig& config) {
  WatchedRun run;
  std::optional<TrafficCounter> traffic;
  Observers observers;
  observers.before = [&](const workload::TaskGraph& graph, network::Network& network) {
    traffic.emplace(graph);
    traffic->watch(network);
  };
  observers.after = [&](network::Network& network) {
    run.record = network.record();
    run.pairs = traffic->pairs();
  };
  run.result = simulate(config, observers);
  return run;
}

TEST(Agreement, TheFirstNodeTellsWhatAllDoInside) {
  int compared = 0;
  for (int seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(seed);
    SimulationConfig config = RandomSimulation(static_cast<std::uint64_t>(seed)).draw_nodes();
    const WatchedRun few = watched(config);
    if (!few.result.first_machine) continue;
    ++compared;
    config.scope = system::Scope::all;
    const WatchedRun all = watched(config);
    EXPECT_FALSE(all.result.first_machine);
    expect_same(few.result, all.result);
    EXPECT_EQ(few.pairs, all.pairs);
    EXPECT_EQ(few.record.delivered, all.record.delivered);
    for (std::size_t i = 0; i < all.record.links.size(); ++i) {
      EXPECT_EQ(few.record.links[i].total.carried, all.record.links[i].total.carried) << i;
      EXPECT_EQ(few.record.links[i].total.peak_queue, all.record.links[i].total.peak_queue) << i;
    }
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(compared, 50);
}

TEST(Agreement, FewRanksTellAllWithoutContention) { compare_scopes(network::Contention::none, 1000); }
TEST(Agreement, FewRanksTellAllOnSharedLinks) { compare_scopes(network::Contention::links, 1000); }

}  // namespace
}  // namespace overture::simulation
