#include "overture/simulation/simulation.h"

#include <cstdio>

#include <gtest/gtest.h>
#include <unistd.h>

#include "overture/base/memory.h"
#include "overture/base/testing.h"
#include "overture/simulation/testing.h"

namespace overture::simulation {
namespace {

using namespace literals;
using system::AlgorithmKind;
using system::CollectiveKind;

// A layer that sends 80 bytes, on ranks that are a switch apart.
SimulationConfig one_layer(AlgorithmKind algorithm, int ranks) {
  SimulationConfig config;
  config.network = network::AnalyticalConfig{.dimensions = {{.kind = topology::DimensionKind::switched,
                                                             .size = ranks,
                                                             .link_latency_ns = 5,
                                                             .link_gib_per_s = kBytePerNs}}};
  for (auto& implementation : config.system.implementations) implementation = everywhere({algorithm}, 1);
  config.system.endpoint_delay = Duration{};
  config.workload.parallelism = Parallelism::distributed_inference;
  config.workload.layers = {{.name = "fc1"}};
  config.workload.layers[0].forward.communication = {CollectiveKind::all_reduce, 80_B};
  return config;
}

// Delivers everything after 10 ns, except the first message of one pair.
class LossyNetwork final : public network::Network {
 public:
  LossyNetwork(int ranks, sim::EventQueue& events, Rank from, Rank to)
      : Network(ranks, events), from_(from), to_(to) {}

 private:
  void carry(const network::Message& message, Action delivered) override {
    if (!lost_ && message.from == from_ && message.to == to_) {
      lost_ = true;
    } else {
      events().after(10ns, delivered);
    }
  }

  Rank from_;
  Rank to_;
  bool lost_ = false;
};

std::string deadlock(SimulationConfig config, Rank from, Rank to) {
  config.scope = system::Scope::all;
  sim::EventQueue events;
  LossyNetwork network(system_dimensions(config).ranks(), events, from, to);
  return user_error([&] { simulate(config, network, events); });
}

TEST(Simulate, ADeadlockNamesWhoWaitsForWhom) {
  EXPECT_EQ(
      deadlock(one_layer(system::kRing, 4), Rank{2}, Rank{3}),
      "deadlock at 40.00 ns: \"fc1 forward\" does not end, and 1 tasks wait for it\n"
      "  all_reduce of 80 B has 1 of 1 chunks left\n"
      "  chunk 0 runs all_reduce on dimension 0: rank 3 has received 0 of 6 messages and waits for rank 2");
}

TEST(Simulate, ADeadlockOfMessagesSentAtOnceDoesNotGuessWhichIsMissing) {
  const std::string error = deadlock(one_layer(system::kDirect, 4), Rank{0}, Rank{1});
  EXPECT_TRUE(error.ends_with("dimension 0: rank 1 has received 2 of 6 messages")) << error;
}

TEST(Simulate, ADeadlockInATreeNamesTheNode) {
  // 3 is the root, 1 its child, 0 and 2 are the leaves.
  const auto tree = [](int from, int to) {
    return deadlock(one_layer(system::kDoubleBinaryTree, 4), Rank{from}, Rank{to});
  };
  EXPECT_TRUE(tree(2, 1).ends_with("dimension 0: rank 1 waits for its children in the tree"));
  EXPECT_TRUE(tree(1, 3).ends_with("dimension 0: rank 3 waits for its children in the tree"));
  EXPECT_TRUE(tree(3, 1).ends_with("dimension 0: rank 1 waits for its parent in the tree"));
  EXPECT_TRUE(tree(1, 2).ends_with("dimension 0: rank 2 waits for its parent in the tree"));
}

TEST(Simulate, ADeadlockAfterTheLoopIsOneToo) {
  SimulationConfig config = one_layer(system::kRing, 2);
  config.workload.parallelism = Parallelism::micro;
  config.workload.layers[0].weight_gradient = config.workload.layers[0].forward;
  const std::string error = deadlock(config, Rank{0}, Rank{1});
  EXPECT_NE(error.find("\"fc1 weight gradient\" does not end\n"
                       "  all_reduce of 80 B has 1 of 1 chunks left"),
            std::string::npos)
      << error;
}

TEST(Simulate, SizesBelowTheNumberOfSplitsWork) {
  SimulationConfig config = one_layer(system::kRing, 4);
  config.system.splits = 7;
  config.workload.layers[0].forward.communication->size = 3_B;
  const auto result = simulate(config);
  EXPECT_EQ(result.dimensions[0].chunks, 3);
  EXPECT_EQ(result.finished, 3 * 6 * 10ns) << "of a byte, a fourth is nothing: only the latency";
}

TEST(Simulate, ChunksOfManyGigabytesWorkInEveryScope) {
  SimulationConfig config = one_layer(system::kHalvingDoubling, 2);
  config.workload.layers[0].forward.communication->size = 6_GiB;
  for (const auto scope : {system::Scope::rank_0, system::Scope::group, system::Scope::all}) {
    config.scope = scope;
    const auto result = simulate(config);
    EXPECT_EQ(result.finished, 2 * Nanoseconds{10 + (std::int64_t{3} << 30)});
    EXPECT_EQ(result.sent_by_rank_0[0], 6_GiB);
  }
}

TEST(Simulate, AnAlgorithmThatDoesNotFitIsRefusedBeforeTimeZero) {
  SimulationConfig config = one_layer(system::kHalvingDoubling, 3);
  config.system_file = "system.txt";
  EXPECT_TRUE(
      user_error([&] { simulate(config); }).starts_with("system.txt: halving_doubling needs a power of two"));
}

TEST(Simulate, AScopeThatIsTooSmallIsWidened) {
  SimulationConfig config = one_layer(system::kDoubleBinaryTree, 4);
  config.scope = system::Scope::rank_0;
  EXPECT_EQ(simulate(config).scope, system::Scope::group);
}

TEST(CollectivesUsed, NamesEachKindOnce) {
  SimulationConfig config = one_layer(system::kRing, 2);
  config.workload.layers.push_back(config.workload.layers[0]);
  config.workload.layers.push_back({.name = "fc3"});
  config.workload.layers[2].forward.communication = {CollectiveKind::all_gather, 1_B};
  EXPECT_EQ(collectives_used(simulate(config).graph),
            (std::vector{CollectiveKind::all_reduce, CollectiveKind::all_gather}));
}

// NPUs compute for 10 us and then reduce.
SimulationConfig reducing(AlgorithmKind algorithm, int npus = 100) {
  SimulationConfig config{
      .network = network::AnalyticalConfig{.dimensions = {{.kind = topology::DimensionKind::switched,
                                                           .size = npus,
                                                           .link_latency_ns = 500,
                                                           .link_gib_per_s = 10}},
                                           .contention = network::Contention::links}};
  config.workload.parallelism = workload::Parallelism::data;
  workload::Layer& layer = config.workload.layers.emplace_back();
  layer.name = "only";
  layer.weight_gradient = {.compute = 10us, .communication = {{CollectiveKind::all_reduce, 1_MiB}}};
  config.system.implementation(CollectiveKind::all_reduce) = {.per_dimension = {{algorithm}}};
  return config;
}

TEST(Simulation, ARunThatIsCutShortCountsWhatWasDoneByThen) {
  const SimulationConfig config = reducing(system::kRing);
  // While it computes.
  const SimulationResult early = simulate(config, {}, {.until = Time{4us}});
  EXPECT_FALSE(early.complete);
  EXPECT_LE(early.compute(), early.finished);
  EXPECT_GE(early.exposed(), Duration{});
  // While it reduces: a dimension that is in use is so until then, and no longer.
  const SimulationResult late = simulate(config, {}, {.until = Time{20us}});
  EXPECT_FALSE(late.complete);
  EXPECT_EQ(late.compute(), Duration{10us});
  ASSERT_EQ(late.dimensions[0].busy.size(), 1U);
  EXPECT_EQ(late.dimensions[0].busy[0].to, Time{late.finished});
}

TEST(Simulation, MoreMessagesAtOnceThanFitIntoMemoryAreRefused) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they know no limit
  // In a process of its own, which keeps the limit: 2.7 million messages.
  const auto run = [](AlgorithmKind algorithm) {
    limit_memory(Bytes{512 << 20});
    const std::string refused = user_error([&] { simulate(reducing(algorithm, 2000)); });
    std::fputs(refused.c_str(), stderr);
    _exit(refused.empty() ? 0 : 2);
  };
  EXPECT_EXIT(run(system::kRing), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(run(system::kDirect), ::testing::ExitedWithCode(0), "");  // one rank stands for all
  EXPECT_EXIT(run(system::kDistributedParameterServer), ::testing::ExitedWithCode(2),
              "distributed_parameter_server among 2000 ranks has 4e.06 messages");
#endif
}

}  // namespace
}  // namespace overture::simulation
