// What the parties of a training run compute and send, as a graph: what waits for what, and how many bytes.
// Times are checked by hand where a byte takes a nanosecond and nothing waits for a link.
#include "overture/workload/trained_run.h"

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/base/testing.h"
#include "overture/workload/testing.h"

namespace overture::workload {
namespace {

using namespace literals;

constexpr std::int64_t kHeader = lookahead::kMessageHeader;

TrainedStep step_of(std::int64_t batch, int trainers) {
  TrainedStep step{.batch = batch, .oracle = 5ns};
  for (int t = 0; t < trainers; ++t) {
    step.trainers.push_back({.order = 100_B,
                             .begin = 7ns,
                             .chores = {{Work::gather, {}, 11ns}, {Work::forward, {}, 13ns}},
                             .dense = 3ns,
                             .apply = {17ns, 19ns},
                             .take = {23ns, 29ns},
                             .end = 2ns});
  }
  const auto pairs = static_cast<std::size_t>(trainers * trainers);
  for (auto* matrices : {&step.gradients, &step.updates}) {
    for (auto& matrix : *matrices) matrix.assign(pairs, Bytes{});
  }
  return step;
}

TrainedRun run_of(int trainers, int servers, int steps) {
  TrainedRun run{.trainers = trainers, .servers = servers, .dense = 1000_B};
  for (int i = 0; i < steps; ++i) run.steps.push_back(step_of(i, trainers));
  return run;
}

TrainedStep::Request request_for(std::int64_t batch, int trainer = 0, int server = 0) {
  return {.trainer = trainer,
          .server = server,
          .for_batch = batch,
          .ask = 10_B,
          .answer = 50_B,
          .serve = 31ns,
          .take = 37ns};
}

TEST(TrainedTasks, ATrainerAloneDoesOneThingAfterTheOther) {
  const TaskGraph graph = trained_tasks(run_of(1, 1, 1), 3);
  const GraphPlay played(graph, GraphPlay::byte_a_nanosecond);
  const auto order = Nanoseconds{100 + kHeader};
  EXPECT_EQ(played.end(tasks_named(graph, "plan").at(0)), 5ns);
  EXPECT_EQ(played.end(tasks_named(graph, "begin_step").at(0)), 5ns + order + 7ns);
  EXPECT_EQ(played.end(tasks_named(graph, "forward").at(0)), 5ns + order + 7ns + 11ns + 13ns);
  const TaskId end = tasks_named(graph, end_label()).at(0);
  EXPECT_EQ(played.end(end), 5ns + order + 7ns + 11ns + 13ns + 3ns + 2ns);
  EXPECT_TRUE(played.precedes(end, tasks_named(graph, "finished").at(0)));
}

TEST(TrainedTasks, ATrainerAloneExchangesNothing) {
  const TaskGraph graph = trained_tasks(run_of(1, 2, 3), 4);
  EXPECT_TRUE(tasks_of(graph, TaskKind::collective).empty());
  EXPECT_TRUE(tasks_named(graph, "gradients").empty());
  EXPECT_TRUE(tasks_named(graph, "late updates").empty());
  EXPECT_TRUE(tasks_named(graph, "apply_gradients").empty());
}

TEST(TrainedTasks, PartiesHaveRanksOfTheirOwnWhereThereAreEnough) {
  TrainedRun run = run_of(2, 2, 1);
  run.steps[0].requests.push_back(request_for(0, 1, 1));
  const TaskGraph graph = trained_tasks(run, 7);
  EXPECT_EQ(messages_named(graph, "order"), (std::vector<std::string>{"4>0 132", "4>1 132"}));
  EXPECT_EQ(messages_named(graph, "fetch"), (std::vector<std::string>{"1>3 42"}));
  EXPECT_EQ(messages_named(graph, "rows"), (std::vector<std::string>{"3>1 82"}));
}

TEST(TrainedTasks, ServersAndTheOracleAreBesideTrainersWhereThereAreTooFew) {
  TrainedRun run = run_of(2, 3, 1);
  for (int s = 0; s < 3; ++s) run.steps[0].requests.push_back(request_for(0, 0, s));
  const TaskGraph graph = trained_tasks(run, 2);
  EXPECT_EQ(messages_named(graph, "order"), (std::vector<std::string>{"0>0 132", "0>1 132"}));
  EXPECT_EQ(messages_named(graph, "fetch"), (std::vector<std::string>{"0>0 42", "0>1 42", "0>0 42"}));
}

TEST(TrainedTasks, FewerRanksThanTrainersAreRefused) {
  const std::string said = user_error([] { trained_tasks(run_of(4, 2, 1), 3); });
  EXPECT_NE(said.find("4 trainers do not fit on 3 ranks"), std::string::npos) << said;
  EXPECT_NE(said.find("take a network of 7 ranks, one for each party, or at least of 4"), std::string::npos)
      << said;
}

TEST(TrainedTasks, TheOracleLooksThreeStepsAheadOfWhatIsFinished) {
  const TaskGraph graph = trained_tasks(run_of(2, 1, 5), 4);
  const GraphPlay played(graph);
  const auto planned = tasks_named(graph, "plan");
  const auto finished = tasks_named(graph, "finished");  // two for every step
  ASSERT_EQ(planned.size(), 5U);
  ASSERT_EQ(finished.size(), 10U);
  for (std::size_t step = 1; step < 5; ++step) EXPECT_TRUE(played.precedes(planned[step - 1], planned[step]));
  EXPECT_FALSE(played.precedes(finished[0], planned[2]));
  EXPECT_TRUE(played.precedes(finished[0], planned[3]));
  EXPECT_TRUE(played.precedes(finished[1], planned[3])) << "of every trainer";
  EXPECT_FALSE(played.precedes(finished[2], planned[3]));
  EXPECT_TRUE(played.precedes(finished[2], planned[4]));
}

TEST(TrainedTasks, AStepBeginsAfterTheLateRowsOfTheStepBeforeTheLast) {
  const TaskGraph graph = trained_tasks(run_of(2, 1, 3), 4);
  const GraphPlay played(graph);
  const auto begun = tasks_named(graph, "begin_step");
  const auto late = tasks_named(graph, "late_take_updates");
  const auto ends = tasks_named(graph, end_label());
  ASSERT_EQ(begun.size(), 6U);
  EXPECT_TRUE(played.precedes(ends[0], begun[2]));
  EXPECT_FALSE(played.precedes(late[0], begun[2]));
  EXPECT_TRUE(played.precedes(late[0], begun[4]));
  EXPECT_FALSE(played.precedes(late[2], begun[4]));
}

TEST(TrainedTasks, RowsForABatchArriveBeforeItsWorkAndNotBeforeThatOfTheOnesBefore) {
  TrainedRun run = run_of(1, 1, 3);
  run.steps[0].requests = {request_for(2), request_for(0)};
  const TaskGraph graph = trained_tasks(run, 3);
  const GraphPlay played(graph);
  const auto taken = tasks_named(graph, "take_rows");
  const auto gathered = tasks_named(graph, "gather");
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_TRUE(played.precedes(taken[1], gathered[0]));
  EXPECT_FALSE(played.precedes(taken[0], gathered[0]));
  EXPECT_FALSE(played.precedes(taken[0], gathered[1]));
  EXPECT_TRUE(played.precedes(taken[0], gathered[2]));
}

TEST(TrainedTasks, RowsForABatchThatIsNotPlayedAreWaitedForByTheNext) {
  TrainedRun run = run_of(1, 1, 2);
  run.steps[1].batch = 7;
  run.steps[0].requests = {request_for(5)};
  const TaskGraph graph = trained_tasks(run, 3);
  const GraphPlay played(graph);
  EXPECT_TRUE(played.precedes(tasks_named(graph, "take_rows").at(0), tasks_named(graph, "gather").at(1)));
}

TEST(TrainedTasks, RowsAreAskedServedSentAndTaken) {
  TrainedRun run = run_of(1, 1, 1);
  run.steps[0].requests = {request_for(0)};
  const TaskGraph graph = trained_tasks(run, 3);
  const GraphPlay played(graph, GraphPlay::byte_a_nanosecond);
  const Duration begun = played.end(tasks_named(graph, "begin_step").at(0));
  const Duration expected = begun + Nanoseconds{10 + kHeader} + 31ns + Nanoseconds{50 + kHeader} + 37ns;
  EXPECT_EQ(played.end(tasks_named(graph, "take_rows").at(0)), expected);
  EXPECT_EQ(played.end(tasks_named(graph, "gather").at(0)), expected + 11ns);
}

TEST(TrainedTasks, AServerAnswersWhenAllTrainersHaveStoredThere) {
  TrainedRun run = run_of(2, 2, 1);
  for (int t = 0; t < 2; ++t)
    run.steps[0].stores.push_back({.trainer = t, .server = 0, .size = 200_B, .length = 41ns});
  run.steps[0].requests = {request_for(0, 0, 0), request_for(0, 0, 1)};
  const TaskGraph graph = trained_tasks(run, 5);
  const GraphPlay played(graph);
  const auto stored = tasks_named(graph, "store_rows");
  const auto served = tasks_named(graph, "serve_rows");
  ASSERT_EQ(stored.size(), 2U);
  ASSERT_EQ(served.size(), 2U);
  EXPECT_TRUE(played.precedes(stored[0], served[0]));
  EXPECT_TRUE(played.precedes(stored[1], served[0]));
  EXPECT_FALSE(played.precedes(stored[0], served[1])) << "the other server has nothing to wait for";
  EXPECT_EQ(messages_named(graph, "store"), (std::vector<std::string>{"0>2 232", "1>2 232"}));
}

// Gradients go to the owners of rows, who apply them and send the rows on; the dense sum goes beside them.
TEST(TrainedTasks, TheRoundAtOnceAndTheDenseSumGoSideBySide) {
  TrainedRun run = run_of(2, 1, 1);
  run.steps[0].gradients[0] = {0_B, 68_B, 168_B, 0_B};
  const TaskGraph graph = trained_tasks(run, 4);
  const GraphPlay played(graph, GraphPlay::byte_a_nanosecond);
  const Duration computed = played.end(tasks_named(graph, "forward").at(0));
  const auto applied = tasks_named(graph, "apply_gradients");
  ASSERT_EQ(applied.size(), 2U);
  EXPECT_EQ(played.end(applied[0]), computed + 200ns + 17ns) << "1 sends 0 168 bytes";
  EXPECT_EQ(played.end(applied[1]), computed + 100ns + 17ns);
  const auto took = tasks_named(graph, "take_updates");
  EXPECT_EQ(played.end(took[0]), played.end(applied[0]) + 23ns) << "its own part is the last";
  EXPECT_EQ(played.end(took[1]), played.end(applied[0]) + Nanoseconds{kHeader} + 23ns);
  const TaskId sum = tasks_named(graph, "dense sum").at(0);
  EXPECT_EQ(played.start(sum), computed);
  EXPECT_EQ(graph.collective(sum).size, 1000_B);
  EXPECT_EQ(played.end(tasks_named(graph, end_label()).at(0)), computed + 1000ns + 3ns + 2ns);
}

TEST(TrainedTasks, TheLateRoundGoesBehindTheEndOfTheStep) {
  TrainedRun run = run_of(3, 1, 1);
  const TaskGraph graph = trained_tasks(run, 5);
  const GraphPlay played(graph);
  const auto ends = tasks_named(graph, end_label());
  for (const TaskId late : tasks_named(graph, "late_apply_gradients")) {
    for (const TaskId end : ends) EXPECT_TRUE(played.precedes(end, late));
  }
  EXPECT_EQ(tasks_named(graph, "late gradients").size(), 6U) << "every trainer to both others";
}

TEST(TrainedTasks, TrainersSendFirstToTheNextOne) {
  const TaskGraph graph = trained_tasks(run_of(3, 1, 1), 5);
  EXPECT_EQ(messages_named(graph, "gradients"),
            (std::vector<std::string>{"0>1 32", "0>2 32", "1>2 32", "1>0 32", "2>0 32", "2>1 32"}));
}

TEST(TrainedTasks, EveryStepIsAnIteration) {
  const TaskGraph graph = trained_tasks(run_of(2, 1, 4), 4);
  ASSERT_EQ(graph.iterations().size(), 4U);
  const auto planned = tasks_named(graph, "plan");
  for (std::size_t i = 0; i < planned.size(); ++i)
    EXPECT_EQ(iteration_of(graph, planned[i]), static_cast<int>(i));
}

TEST(TrainedTasks, ATrainerOnEveryRankSumsOverAllOfThem) {
  const TaskGraph beside = trained_tasks(run_of(3, 3, 1), 3);
  EXPECT_TRUE(beside.group(beside.collectives().at(0).group).everyone());
  const TaskGraph apart = trained_tasks(run_of(3, 3, 1), 7);
  EXPECT_EQ(ranks_of(apart, apart.collectives().at(0).group), (std::vector<Rank>{Rank{0}, Rank{1}, Rank{2}}));
}

class RandomRun {
 public:
  explicit RandomRun(std::uint64_t seed) : random_(RandomStreams(seed).make("run")) {
    run = {.trainers = number(1, 5), .servers = number(1, 4), .dense = Bytes{number(1, 9999)}};
    for (int i = number(1, 6), batch = number(0, 50); i > 0; --i, batch += number(1, 3)) add(batch);
    ranks = number(0, 1) == 0 ? run.trainers : run.trainers + run.servers + 1 + number(0, 3);
  }

  TrainedRun run;
  int ranks = 0;
  Bytes payload;
  std::int64_t messages = 0;

 private:
  int number(int least, int most) {
    return least + static_cast<int>(random_.below(static_cast<std::uint64_t>(most - least + 1)));
  }
  Bytes bytes() {
    const Bytes some{number(0, 5000)};
    payload += some;
    ++messages;
    return some;
  }
  Duration time() { return Nanoseconds{number(0, 999)}; }

  void add(int batch) {
    TrainedStep step{.batch = batch, .oracle = time()};
    for (int t = 0; t < run.trainers; ++t) {
      TrainedStep::Trainer trainer{.order = bytes(), .begin = time()};
      for (int i = number(0, 4); i > 0; --i) trainer.chores.push_back({Work::forward, {}, time()});
      trainer.dense = time();
      trainer.end = time();
      step.trainers.push_back(trainer);
    }
    for (int i = number(0, 3); i > 0; --i) {
      step.stores.push_back({number(0, run.trainers - 1), number(0, run.servers - 1), bytes(), time()});
      step.requests.push_back({.trainer = number(0, run.trainers - 1),
                               .server = number(0, run.servers - 1),
                               .for_batch = batch + number(0, 4),
                               .ask = bytes(),
                               .answer = bytes(),
                               .serve = time(),
                               .take = time()});
    }
    for (auto* matrices : {&step.gradients, &step.updates}) {
      for (auto& matrix : *matrices) add_pairs(matrix);
    }
    run.steps.push_back(std::move(step));
  }
  void add_pairs(std::vector<Bytes>& matrix) {
    for (int from = 0; from < run.trainers; ++from) {
      for (int to = 0; to < run.trainers; ++to) matrix.push_back(from == to ? Bytes{} : bytes());
    }
  }

  RandomStream random_;
};

// Every payload is sent once, under a header; 160 bytes more tell the oracle that a step is finished.
TEST(TrainedTasks, RandomRunsSendEveryPayloadOnce) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const RandomRun random(seed);
    const TaskGraph graph = trained_tasks(random.run, random.ranks);
    const auto told = std::ssize(random.run.steps) * random.run.trainers;
    const auto messages = tasks_of(graph, TaskKind::message);
    EXPECT_EQ(std::ssize(messages), random.messages + told) << seed;
    EXPECT_EQ(sent_in(graph), random.payload + Bytes{160} * told + Bytes{kHeader} * std::ssize(messages))
        << seed;
  }
}

TEST(TrainedTasks, RandomRunsTakeAtLeastWhatATrainerComputes) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const RandomRun random(seed);
    const GraphPlay played(trained_tasks(random.run, random.ranks));
    for (int t = 0; t < random.run.trainers; ++t) {
      Duration computed{};
      for (const TrainedStep& step : random.run.steps) {
        const auto& trainer = step.trainers[static_cast<std::size_t>(t)];
        computed += trainer.begin + trainer.dense + trainer.end;
        for (const Chore& chore : trainer.chores) computed += chore.length;
      }
      EXPECT_GE(played.end(), computed) << seed;
    }
  }
}

}  // namespace
}  // namespace overture::workload
