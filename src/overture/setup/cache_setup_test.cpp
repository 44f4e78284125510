#include "overture/setup/cache_setup.h"

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/setup/setup.h"
#include "overture/simulation/traffic.h"

namespace overture::setup {
namespace {

constexpr const char* kCached = R"(
passes: 3
network: {backend: flow, topology: {star: {hosts: 4, wire: {rate: 100 Gbps}}}}
workload:
  dlrm:
    dense_features: 13
    bottom: {widths: [32, 16]}
    top: {widths: [32, 1]}
    tables: {count: 26, rows: 20000000, columns: 16}
    batch: 64
  cache:
    lookahead: 4
    servers: 2
    data: {synthetic: kaggle, scale: 0.001}
)";

Setup cached(const std::vector<std::string>& overrides = {}) {
  return parse_setup(kCached, "cached.yaml", overrides);
}

// What the network carries for messages of the graph.
Bytes carried(const Setup& setup) {
  Bytes bytes;
  const simulation::Observers observers{
      .before = [&](const workload::TaskGraph& graph, network::Network& network) {
        network.on_delivery([&](const network::Delivery& delivery) {
          if (simulation::traffic_kind(graph, delivery.message.name) == "message")
            bytes += delivery.message.size;
        });
      }};
  simulate(setup.simulation, observers);
  return bytes;
}

TEST(CacheSetup, TheNetworkCarriesWhatThePlannerDecided) {
  const auto setup = cached();
  ASSERT_TRUE(setup.simulation.tasks);
  const workload::TaskGraph& graph = *setup.simulation.tasks;
  Bytes sent;
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    if (graph.kind(workload::TaskId{i}) == workload::TaskKind::message)
      sent += graph.message(workload::TaskId{i}).size;
  }
  EXPECT_GT(sent, Bytes{100'000});
  EXPECT_EQ(carried(setup), sent);
  EXPECT_NE(setup.simulation.tasks_note.find("in the cache already"), std::string::npos);
}

TEST(CacheSetup, EvenMessagesTakeAboutAsLongAsExactOnes) {
  const auto time = [](const std::string& messages) {
    return static_cast<double>(
        simulate(cached({"workload.cache.messages=" + messages}).simulation).finished.count());
  };
  EXPECT_NEAR(time("even") / time("exact"), 1, 0.25);
}

TEST(CacheSetup, ServersCanStandApart) {
  const auto setup = cached({"workload.cache.apart=true", "workload.cache.servers=1"});
  EXPECT_GT(simulate(setup.simulation).finished, Duration{});
}

TEST(CacheSetup, ManyTrainersWithoutOrdersAreSymbolic) {
  const auto setup =
      cached({"workload.cache.messages=even", "workload.cache.orders=false", "workload.cache.servers=0"});
  EXPECT_TRUE(setup.simulation.tasks->symbolic());
}

TEST(CacheSetup, PlansOnceWhatFollowsFromTheSameKeys) {
  PlannedTraffic planned;
  const auto parse = [&](const std::string& bandwidth) {
    return parse_setup(kCached, "cached.yaml", {"network.topology.star.wire.rate=" + bandwidth},
                       Needs::workload, &planned);
  };
  const auto slow = simulate(parse("1 Gbps").simulation).finished;
  const auto fast = simulate(parse("100 Gbps").simulation).finished;
  EXPECT_LT(fast, slow);
}

TEST(CacheSetup, SaysWhatIsWrong) {
  EXPECT_THROW(cached({"workload.cache.lookahead=0"}), UserError);
  EXPECT_THROW(cached({"workload.cache.servers=9"}), UserError);
  EXPECT_THROW(cached({"workload.dlrm.tables.count=25"}), UserError);
  EXPECT_THROW(cached({"workload.dlrm.tables.rows=10"}), UserError);
  EXPECT_THROW(cached({"workload.cache.data.synthetic=nonsense"}), UserError);
  EXPECT_THROW(cached({"workload.dlrm.precision.rows=fp16"}), UserError);
  EXPECT_THROW(cached({"workload.cache.capacity=3"}), UserError);
}

}  // namespace
}  // namespace overture::setup
