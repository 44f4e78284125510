// A cached training's graph, from traffic made by hand: what is sent, what waits for what, and that both ways
// to make messages of it carry what bytes_of() says.
#include "overture/workload/cached_dlrm.h"

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/workload/testing.h"

namespace overture::workload {
namespace {

using namespace literals;
using lookahead::RowLoad;
using lookahead::StepTraffic;

constexpr std::int64_t kHeader = lookahead::kMessageHeader;

// A step in which nobody sends a row to anybody.
StepTraffic quiet_step(std::int32_t batch, int trainers, int servers) {
  StepTraffic step{.batch = batch, .trainers = trainers, .servers = servers};
  const auto pairs = static_cast<std::size_t>(trainers * trainers);
  for (std::size_t round = 0; round < 2; ++round) {
    step.gradients[round].assign(pairs, 0);
    step.updates[round].assign(pairs, {});
  }
  step.stores.assign(static_cast<std::size_t>(trainers * servers), {});
  const auto each = static_cast<std::size_t>(trainers);
  step.evicted.assign(each, 0);
  step.fetched.assign(each, 0);
  step.rows.assign(each, 0);
  step.data.assign(each, 0);
  return step;
}

// The tables, a bottom layer and two top layers: 10, 20, 40 and 80 ns a pass.
Workload small_layers() {
  Workload workload{.parallelism = Parallelism::dlrm, .table_layers = 1, .last_bottom_layer = 1};
  Duration length = 10ns;
  for (const char* name : {"tables", "bottom", "top 0", "top 1"}) {
    Layer layer{.name = name};
    layer.forward.compute = layer.weight_gradient.compute = layer.input_gradient.compute = length;
    if (length > Duration{10ns})
      layer.weight_gradient.communication = {system::CollectiveKind::all_reduce, 500_B};
    workload.layers.push_back(layer);
    length *= 2;
  }
  return workload;
}

// Trainers, then servers, then the oracle, each on a rank of its own.
CachedTraining apart(int trainers, int servers, std::vector<StepTraffic> steps) {
  CachedTraining cached{.layers = small_layers(), .steps = std::move(steps), .ranks = trainers + servers + 1};
  for (int t = 0; t < trainers; ++t) cached.trainers.push_back(Rank{t});
  for (int s = 0; s < servers; ++s) cached.servers.push_back(Rank{trainers + s});
  cached.oracle = Rank{trainers + servers};
  return cached;
}

CachedTraining quiet_training(int trainers, int servers, int steps) {
  std::vector<StepTraffic> all;
  for (int i = 0; i < steps; ++i) all.push_back(quiet_step(i, trainers, servers));
  return apart(trainers, servers, std::move(all));
}

TEST(EvenMessage, IsTheBusiestPartysShareOfWhatItSends) {
  // With headers 0 sends 132 and 232, 1 sends 32 and 32: 0's average is 182.
  EXPECT_EQ(even_message({100_B, 200_B, 0_B, 0_B}, 2, 2), 182_B);
}

TEST(EvenMessage, OrOfWhatItReceives) {
  // Three senders give the only receiver 32, 33 and 35 bytes with their headers; 100 / 3, rounded up.
  EXPECT_EQ(even_message({0_B, 1_B, 3_B}, 3, 1), 35_B) << "a sender's own 35 is more";
  EXPECT_EQ(even_message({100_B, 0_B, 0_B, 100_B, 0_B, 0_B}, 2, 3), 132_B) << "all goes to one of three";
}

TEST(EvenMessage, WhatPartiesGiveThemselvesIsNotSent) {
  EXPECT_EQ(even_message({999_B, 10_B, 20_B, 999_B}, 2, 2, false), Bytes{20 + kHeader});
  EXPECT_EQ(even_message({999_B, 10_B, 20_B, 999_B}, 2, 2, true), Bytes{(999 + 20 + 2 * kHeader + 1) / 2});
}

TEST(CachedBytes, OfAQuietStepAreHeadersAndEmptyArrays) {
  const CachedStepBytes bytes = bytes_of(quiet_step(0, 2, 3));
  EXPECT_EQ(bytes.orders, Bytes{2 * (kHeader + 32 + 3 * 8)}) << "a head and three empty arrays each";
  EXPECT_EQ(bytes.fetches, 0_B);
  EXPECT_EQ(bytes.stores, 0_B) << "no clean-up";
  EXPECT_EQ(bytes.urgent_round, Bytes{2 * (2 * kHeader + 8 + 16)})
      << "gradients, and rows with their numbers";
  EXPECT_EQ(bytes.late_round, bytes.urgent_round);
}

TEST(CachedBytes, OfACleanUpHaveAStoreForEveryPair) {
  StepTraffic step = quiet_step(0, 2, 3);
  step.clean_up = true;
  step.stores[StepTraffic::pair(1, 2, 3)] = {.rows = 4, .numbers = 64};
  EXPECT_EQ(bytes_of(step).stores, Bytes{6 * (kHeader + 16) + 4 * 8 + 64 * 4});
}

TEST(CachedBytes, AFetchOfNothingIsNotSent) {
  StepTraffic step = quiet_step(0, 2, 1);
  step.fetches[3] = {{.rows = 0, .numbers = 0}, {.rows = 5, .numbers = 80}};
  EXPECT_EQ(bytes_of(step).fetches, Bytes{2 * kHeader + (8 + 8 + 5 * 8) + (8 + 80 * 4)});
}

TEST(CachedTasks, ATrainerAloneComputesAllPassesOneAfterTheOther) {
  CachedTraining cached = quiet_training(1, 1, 2);
  cached.orders = false;
  const TaskGraph graph = cached_dlrm_tasks(cached);
  EXPECT_EQ(sent_in(graph), 0_B);
  EXPECT_TRUE(tasks_of(graph, TaskKind::collective).empty());
  // Forward through all, back with both gradients; the tables' once.
  const Duration step = 150ns + 2 * 140ns + 10ns;
  EXPECT_EQ(GraphPlay(graph).end(), 2 * step);
}

TEST(CachedTasks, OrdersComeFromTheOracleBeforeAnythingIsComputed) {
  CachedTraining cached = quiet_training(2, 1, 1);
  cached.steps[0].data = {100, 300};
  const TaskGraph graph = cached_dlrm_tasks(cached);
  EXPECT_EQ(messages_named(graph, "order"), (std::vector<std::string>{"3>0 188", "3>1 388"}));
  const GraphPlay played(graph, GraphPlay::byte_a_nanosecond);
  const auto first = tasks_named(graph, "tables forward");
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(played.start(first[0]), 188ns);
  EXPECT_EQ(played.start(first[1]), 388ns);
}

TEST(CachedTasks, TheOracleLooksThreeStepsAhead) {
  const TaskGraph graph = cached_dlrm_tasks(quiet_training(2, 1, 5));
  const GraphPlay played(graph);
  const auto planned = tasks_named(graph, "plan");
  const auto ends = tasks_named(graph, "end");  // of both trainers
  ASSERT_EQ(planned.size(), 5U);
  ASSERT_EQ(ends.size(), 10U);
  EXPECT_FALSE(played.precedes(ends[0], planned[2]));
  for (const std::size_t trainer : {0U, 1U}) {
    EXPECT_TRUE(played.precedes(ends[trainer], planned[3]));
    EXPECT_FALSE(played.precedes(ends[2 + trainer], planned[3]));
    EXPECT_TRUE(played.precedes(ends[2 + trainer], planned[4]));
  }
}

TEST(CachedTasks, LateRowsAreNeededTwoStepsLater) {
  const TaskGraph graph = cached_dlrm_tasks(quiet_training(2, 1, 3));
  const GraphPlay played(graph);
  std::vector<TaskId> late;  // a junction for every trainer closes the round
  for (const TaskId id : tasks_named(graph, "late updates")) {
    if (graph.kind(id) == TaskKind::pause) late.push_back(id);
  }
  ASSERT_EQ(late.size(), 6U);
  EXPECT_FALSE(played.precedes(late[0], tasks_named(graph, "begin 1").at(0)));
  EXPECT_TRUE(played.precedes(late[0], tasks_named(graph, "begin 2").at(0)));
  EXPECT_FALSE(played.precedes(late[2], tasks_named(graph, "begin 2").at(0)));
}

TEST(CachedTasks, WhatLeavesTheCacheIsStoredBeforeAServerAnswers) {
  CachedTraining cached = quiet_training(2, 2, 1);
  StepTraffic& step = cached.steps[0];
  step.clean_up = true;
  step.fetches[0] = {{.rows = 1, .numbers = 4}, {}, {}, {.rows = 2, .numbers = 8}};
  const TaskGraph graph = cached_dlrm_tasks(cached);
  // Trainer 0 asks server 0, on rank 2, and trainer 1 asks server 1, on rank 3.
  EXPECT_EQ(messages_named(graph, "fetch"), (std::vector<std::string>{"0>2 56", "1>3 64"}));
  EXPECT_EQ(messages_named(graph, "rows"), (std::vector<std::string>{"2>0 56", "3>1 72"}));
  const GraphPlay played(graph);
  std::vector<TaskId> stores;
  for (const TaskId id : tasks_named(graph, "store")) {
    if (graph.kind(id) == TaskKind::message) stores.push_back(id);
  }
  ASSERT_EQ(stores.size(), 4U);
  const auto answers = tasks_named(graph, "rows");
  for (const TaskId store : stores) {
    for (const TaskId answer : answers)
      EXPECT_EQ(played.precedes(store, answer), graph.message(store).to == graph.message(answer).from);
  }
}

TEST(CachedTasks, RowsAreWaitedForByTheBatchThatNeedsThem) {
  CachedTraining cached = quiet_training(2, 1, 3);
  cached.steps[0].clean_up = true;
  cached.steps[0].fetches[2] = {{.rows = 1, .numbers = 4}, {}};
  const TaskGraph graph = cached_dlrm_tasks(cached);
  const GraphPlay played(graph);
  const TaskId rows = tasks_named(graph, "rows").at(0);
  const auto forward = tasks_named(graph, "tables forward");  // of trainers 0 and 1, three times
  ASSERT_EQ(forward.size(), 6U);
  EXPECT_FALSE(played.precedes(rows, forward[2]));
  EXPECT_TRUE(played.precedes(rows, forward[4]));
  EXPECT_FALSE(played.precedes(rows, forward[5])) << "the other trainer did not ask";
}

TEST(CachedTasks, RowsThatWereFetchedBeforeTheFirstStepAreThere) {
  CachedTraining cached = quiet_training(1, 1, 1);
  cached.steps[0].batch = 9;
  EXPECT_TRUE(tasks_named(cached_dlrm_tasks(cached), "rows are here").empty());
}

// The sums of a layer's weights are needed by its next forward pass, not by those of the layers before it.
TEST(CachedTasks, ALayersNextForwardPassWaitsForItsOwnSum) {
  const TaskGraph graph = cached_dlrm_tasks(quiet_training(2, 1, 2));
  const GraphPlay played(graph);
  const TaskId bottom = tasks_named(graph, "bottom forward").at(2);  // trainer 0, second step
  const TaskId top = tasks_named(graph, "top 0 forward").at(2);
  EXPECT_TRUE(played.precedes(tasks_named(graph, "bottom sum").at(0), bottom));
  EXPECT_FALSE(played.precedes(tasks_named(graph, "top 0 sum").at(0), bottom));
  EXPECT_TRUE(played.precedes(tasks_named(graph, "top 0 sum").at(0), top));
  EXPECT_FALSE(played.precedes(tasks_named(graph, "bottom sum").at(1), top));
}

TEST(CachedTasks, TheTablesHaveNoSumAndTheDenseLayersOneEach) {
  const TaskGraph graph = cached_dlrm_tasks(quiet_training(2, 1, 3));
  EXPECT_TRUE(tasks_named(graph, "tables sum").empty());
  for (const char* layer : {"bottom sum", "top 0 sum", "top 1 sum"}) {
    ASSERT_EQ(tasks_named(graph, layer).size(), 3U);
    const CollectiveTask& sum = graph.collective(tasks_named(graph, layer).at(0));
    EXPECT_EQ(sum.size, 500_B);
    EXPECT_EQ(ranks_of(graph, sum.group), (std::vector<Rank>{Rank{0}, Rank{1}}));
  }
}

TEST(CachedTasks, GradientsOfRowsLeaveBeforeTheBottomLayersAreComputed) {
  const TaskGraph graph = cached_dlrm_tasks(quiet_training(2, 1, 1));
  const GraphPlay played(graph);
  const TaskId gradients = tasks_named(graph, "gradients").at(0);
  const TaskId bottom = tasks_named(graph, "bottom weight gradient").at(0);
  EXPECT_EQ(played.start(gradients), played.start(bottom));
  EXPECT_GT(played.start(bottom), played.end(tasks_named(graph, "top 0 input gradient").at(0)))
      << "the tables' own gradients come between";
}

StepTraffic random_step(RandomStream& random, std::int32_t batch, int trainers, int servers) {
  StepTraffic step = quiet_step(batch, trainers, servers);
  const auto some = [&](std::uint64_t most) { return static_cast<std::int32_t>(random.below(most + 1)); };
  const auto load = [&] {
    const std::int32_t rows = some(3);
    return RowLoad{.rows = rows, .numbers = rows * 16};
  };
  for (std::size_t round = 0; round < 2; ++round) {
    for (auto& numbers : step.gradients[round]) numbers = some(500);
    for (auto& update : step.updates[round]) update = load();
  }
  for (auto* counts : {&step.evicted, &step.fetched, &step.rows}) {
    for (auto& count : *counts) count = some(30);
  }
  for (auto& bytes : step.data) bytes = some(4000);
  step.clean_up = random.below(2) == 0;
  if (!step.clean_up) return step;
  for (auto& store : step.stores) store = load();
  for (int i = some(2); i > 0; --i) {
    auto& fetches = step.fetches[batch + some(3)];
    fetches.resize(step.stores.size());
    for (auto& fetch : fetches) fetch = load();
  }
  return step;
}

Bytes whole(const CachedStepBytes& bytes) {
  return bytes.orders + bytes.fetches + bytes.stores + bytes.urgent_round + bytes.late_round;
}

TEST(CachedTasks, ExactMessagesAreTheBytesOfTheirSteps) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    RandomStream random = RandomStreams(seed).make("cached");
    const int trainers = 2 + static_cast<int>(random.below(4));
    const int servers = 1 + static_cast<int>(random.below(4));
    CachedTraining cached = apart(trainers, servers, {});
    Bytes expected;
    for (std::int32_t batch = 0; batch < 4; ++batch) {
      cached.steps.push_back(random_step(random, batch, trainers, servers));
      expected += whole(bytes_of(cached.steps.back()));
    }
    const TaskGraph graph = cached_dlrm_tasks(cached);
    EXPECT_EQ(sent_in(graph), expected) << seed;
    EXPECT_GT(GraphPlay(graph).end(), Duration{}) << seed;
    cached.orders = false;
    Bytes orders;
    for (const StepTraffic& step : cached.steps) orders += bytes_of(step).orders;
    EXPECT_EQ(sent_in(cached_dlrm_tasks(cached)), Bytes{expected.count() - orders.count()}) << seed;
  }
}

TEST(CachedTasks, EvenMessagesCarryAtLeastWhatExactOnesDo) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    RandomStream random = RandomStreams(seed).make("even");
    const int trainers = 2 + static_cast<int>(random.below(4));
    const int servers = trainers + 1;  // never an all-to-all with the servers: all of it are messages
    CachedTraining cached = apart(trainers, servers, {random_step(random, 0, trainers, servers)});
    const CachedStepBytes exact = bytes_of(cached.steps[0]);
    cached.messages = RowMessages::even;
    const TaskGraph graph = cached_dlrm_tasks(cached);
    Bytes rounds;
    for (const TaskId id : tasks_of(graph, TaskKind::collective)) {
      const CollectiveTask& task = graph.collective(id);
      if (task.kind == system::CollectiveKind::all_to_all) rounds += task.size * (trainers - 1);
    }
    EXPECT_GE(rounds, exact.urgent_round + exact.late_round) << seed;
    EXPECT_GE(sent_in(graph), exact.orders + exact.fetches + exact.stores) << seed;
  }
}

TEST(CachedTasks, EvenMessagesAreAnAllToAllWhereEveryTrainerHasAServer) {
  CachedTraining cached = quiet_training(4, 4, 1);
  cached.ranks = 4;
  cached.servers = cached.trainers;
  cached.messages = RowMessages::even;
  cached.orders = false;
  cached.steps[0].clean_up = true;
  const TaskGraph graph = cached_dlrm_tasks(cached);
  EXPECT_TRUE(graph.symbolic());
  EXPECT_TRUE(tasks_of(graph, TaskKind::message).empty());
  std::vector<TaskId> stores;
  for (const TaskId id : tasks_named(graph, "store")) {
    if (graph.kind(id) == TaskKind::collective) stores.push_back(id);
  }
  ASSERT_EQ(stores.size(), 1U);
  EXPECT_EQ(graph.collective(stores[0]).size, Bytes{4 * (kHeader + 16)}) << "four empty stores of a trainer";
}

// What the next batch needs goes before what can wait.
TEST(CachedTasks, TheRoundAtOnceOvertakes) {
  CachedTraining cached = quiet_training(3, 1, 1);
  cached.messages = RowMessages::even;
  const TaskGraph graph = cached_dlrm_tasks(cached);
  const auto policy = [&](const char* name) {
    return graph.collective(tasks_named(graph, name).at(0)).policy;
  };
  EXPECT_EQ(policy("gradients"), system::SchedulingPolicy::highest);
  EXPECT_EQ(policy("updates"), system::SchedulingPolicy::highest);
  EXPECT_EQ(policy("late gradients"), system::SchedulingPolicy::fifo);
  EXPECT_EQ(policy("late updates"), system::SchedulingPolicy::fifo);
}

}  // namespace
}  // namespace overture::workload
