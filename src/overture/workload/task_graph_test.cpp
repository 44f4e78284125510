// The graph as a container: what is put in comes out, and what makes no sense is our own mistake.
#include "overture/workload/task_graph.h"

#include <gtest/gtest.h>

#include "overture/workload/names.h"
#include "overture/workload/testing.h"

namespace overture::workload {
namespace {

using namespace literals;

TEST(TaskGraph, TasksComeOutAsTheyWentIn) {
  TaskGraph graph(3);
  const LabelId label = graph.add_label("work");
  const TaskId compute = graph.add(ComputeTask{Rank{2}, 7ns}, label);
  const TaskId pause = graph.add(PauseTask{5ns}, label);
  const TaskId message = graph.add(MessageTask{Rank{0}, Rank{1}, Bytes{9'000'000'000}}, label);
  const auto sizes = std::make_shared<const system::PairSizes>(3);
  const TaskId collective = graph.add(CollectiveTask{.group = graph.add_group_of_all(),
                                                     .kind = system::CollectiveKind::all_to_all,
                                                     .size = 4_KiB,
                                                     .policy = system::SchedulingPolicy::fifo,
                                                     .before = 1ns,
                                                     .after = 2ns,
                                                     .sizes = sizes},
                                      label);
  EXPECT_EQ(graph.size(), 4U);
  EXPECT_EQ(graph.kind(compute), TaskKind::compute);
  EXPECT_EQ(graph.compute(compute).rank, Rank{2});
  EXPECT_EQ(graph.compute(compute).duration, 7ns);
  EXPECT_EQ(graph.pause(pause).duration, 5ns);
  EXPECT_EQ(graph.message(message).from, Rank{0});
  EXPECT_EQ(graph.message(message).to, Rank{1});
  EXPECT_EQ(graph.message(message).size, Bytes{9'000'000'000});
  EXPECT_EQ(graph.collective(collective).sizes, sizes);
  EXPECT_EQ(graph.collective(collective).policy, system::SchedulingPolicy::fifo);
  EXPECT_EQ(graph.collective_number(collective), 0U);
  EXPECT_EQ(graph.name(pause), "work");
}

TEST(TaskGraph, CollectivesAreNumberedAmongThemselves) {
  TaskGraph graph(2);
  const LabelId label = graph.add_label("x");
  const RankGroup all = graph.add_group_of_all();
  graph.add(PauseTask{}, label);
  const TaskId first = graph.add(CollectiveTask{.group = all, .size = 1_B}, label);
  graph.add(PauseTask{}, label);
  const TaskId second = graph.add(CollectiveTask{.group = all, .size = 2_B}, label);
  EXPECT_EQ(graph.collective_number(first), 0U);
  EXPECT_EQ(graph.collective_number(second), 1U);
  EXPECT_EQ(graph.collectives().at(1).size, 2_B);
  EXPECT_EQ(graph.collective(second).size, 2_B);
}

TEST(TaskGraph, ManyTasksShareALabelAndLabelsMayBeAlike) {
  TaskGraph graph(1);
  const LabelId one = graph.add_label("same");
  const LabelId other = graph.add_label(
      Label{.name = "same", .layer = "top", .layer_number = 4, .pass = PassKind::input_gradient});
  EXPECT_NE(one, other);
  graph.add(PauseTask{}, one);
  graph.add(PauseTask{}, other);
  graph.add(PauseTask{}, one);
  EXPECT_EQ(tasks_named(graph, "same").size(), 3U);
  EXPECT_EQ(graph.labels().at(1).layer_number, 4);
  EXPECT_EQ(graph.labels().at(0).layer_number, -1);
}

TEST(TaskGraph, IsSymbolicUntilARankIsNamed) {
  TaskGraph graph(4);
  const LabelId label = graph.add_label("x");
  graph.add(ComputeTask{kEveryone, 1ns}, label);
  graph.add(PauseTask{1ns}, label);
  graph.add(CollectiveTask{.group = graph.add_group_of_all()}, label);
  graph.add(CollectiveTask{.group = graph.add_group_along({true, false})}, label);
  EXPECT_TRUE(graph.symbolic());
  TaskGraph computes = graph;
  computes.add(ComputeTask{Rank{0}, 1ns}, label);
  EXPECT_FALSE(computes.symbolic());
  TaskGraph groups = graph;
  groups.add_group({Rank{1}, Rank{0}});
  EXPECT_FALSE(groups.symbolic());
  graph.add(MessageTask{Rank{0}, Rank{0}, 1_B}, label);
  EXPECT_FALSE(graph.symbolic());
}

TEST(TaskGraph, GroupsKeepTheirOrder) {
  TaskGraph graph(5);
  const RankGroup ring = graph.add_group({Rank{3}, Rank{1}, Rank{4}});
  const RankGroup all = graph.add_group_of_all();
  EXPECT_EQ(graph.group_size(ring), 3);
  EXPECT_EQ(graph.group_size(all), 5);
  EXPECT_EQ(ranks_of(graph, ring), (std::vector<Rank>{Rank{3}, Rank{1}, Rank{4}}));
  EXPECT_EQ(ranks_of(graph, all), (std::vector<Rank>{Rank{0}, Rank{1}, Rank{2}, Rank{3}, Rank{4}}));
  EXPECT_TRUE(graph.group(all).everyone());
  EXPECT_FALSE(graph.group(ring).everyone());
}

TEST(TaskGraph, ATaskBelongsToTheIterationThatBeganLast) {
  TaskGraph graph(1);
  const LabelId label = graph.add_label("x");
  std::vector<TaskId> tasks;
  for (const int count : {2, 1, 3}) {
    graph.begin_iteration();
    for (int i = 0; i < count; ++i) tasks.push_back(graph.add(PauseTask{}, label));
  }
  std::vector<int> iterations;
  for (const TaskId task : tasks) iterations.push_back(iteration_of(graph, task));
  EXPECT_EQ(iterations, (std::vector<int>{0, 0, 1, 2, 2, 2}));
  TaskGraph none(1);
  EXPECT_EQ(iteration_of(none, none.add(PauseTask{}, none.add_label("x"))), 0);
}

TEST(TaskGraph, KindsOfCollectiveAreToldInTheOrderOfTheirFirst) {
  using enum system::CollectiveKind;
  TaskGraph graph(2);
  const LabelId label = graph.add_label("x");
  const RankGroup all = graph.add_group_of_all();
  EXPECT_TRUE(collectives_used(graph).empty());
  for (const auto kind : {all_to_all, barrier, all_to_all, all_reduce, barrier})
    graph.add(CollectiveTask{.group = all, .kind = kind}, label);
  EXPECT_EQ(collectives_used(graph), (std::vector<system::CollectiveKind>{all_to_all, barrier, all_reduce}));
}

TEST(SharedHost, CarriesForFreeUntilAMessageOrAByteCosts) {
  EXPECT_TRUE(SharedHost{.cores = 4}.carries_for_free());
  EXPECT_FALSE((SharedHost{.message = 1ns}.carries_for_free()));
  EXPECT_FALSE((SharedHost{.per_million = 1ns}.carries_for_free()));
}

TEST(TaskGraphDeathTest, RanksLabelsAndGroupsAreThoseOfTheGraph) {
  TaskGraph graph(2);
  const LabelId label = graph.add_label("x");
  EXPECT_DEATH(graph.add(ComputeTask{Rank{2}, 1ns}, label), "a task names ranks of its graph");
  EXPECT_DEATH(graph.add(MessageTask{Rank{0}, Rank{-2}, 1_B}, label), "a task names ranks of its graph");
  EXPECT_DEATH(graph.add_group({Rank{0}, Rank{5}}), "a task names ranks of its graph");
  EXPECT_DEATH(graph.add_group({}), "a group has ranks");
  EXPECT_DEATH(graph.add_group_along({}), "says along which");
  EXPECT_DEATH(graph.add(PauseTask{}, LabelId{1}), "a task has a label of its graph");
  EXPECT_DEATH(graph.add(CollectiveTask{.group = RankGroup{0}}, label), "has a group of its graph");
  EXPECT_DEATH(graph.add(PauseTask{-1ns}, label), "does not end before it starts");
}

TEST(TaskGraphDeathTest, AGroupAlongDimensionsHasNoRanksHere) {
  TaskGraph graph(4);
  const RankGroup along = graph.add_group_along({true});
  EXPECT_DEATH(graph.group_size(along), "the machine's");
  EXPECT_DEATH(ranks_of(graph, along), "the machine's");
}

// ---- words

TEST(AstraNames, ReadBackAndAreAsLongAsTheVocabulary) {
  int known = 0;
  for (const auto& [parallelism, word] : vocabulary(Parallelism{})) {
    const auto read = parse_parallelism(astra_name(parallelism));
    if (parallelism == Parallelism::dlrm) {
      EXPECT_FALSE(read) << "no file of ASTRA-sim's has it";
      continue;
    }
    ASSERT_TRUE(read) << word;
    EXPECT_EQ(*read, parallelism);
    ++known;
  }
  EXPECT_EQ(parallelism_names().size(), static_cast<std::size_t>(known));
  EXPECT_FALSE(parse_parallelism("hybrid_dlrm")) << "ASTRA-sim's words are in capitals";
}

TEST(AstraNames, FourKindsOfCollectiveHaveOne) {
  using enum system::CollectiveKind;
  for (const auto kind : {all_reduce, all_to_all, all_gather, reduce_scatter})
    EXPECT_EQ(parse_collective(astra_name(kind)), kind);
  EXPECT_EQ(astra_name(barrier), "?");
  EXPECT_FALSE(parse_collective("NONE"));
  EXPECT_FALSE(parse_collective("BROADCAST"));
}

}  // namespace
}  // namespace overture::workload
