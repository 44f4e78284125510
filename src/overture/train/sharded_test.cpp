// Trainers that hold the tables, against the cache and against themselves in other numbers.
#include <filesystem>

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/train/table_shard.h"
#include "overture/train/testing.h"

namespace overture::train {
namespace {

using embedding::OptimizerKind;

TrainConfig without_servers(TrainConfig config) {
  config.servers = 0;
  config.division = embedding::Sharding::table_wise;
  return config;
}

TEST(Sharded, LeavesTheBitsThatTheCacheLeaves) {
  for (const OptimizerKind kind : {OptimizerKind::sgd, OptimizerKind::adagrad, OptimizerKind::adam}) {
    for (const int trainers : {1, 2, 3, 5}) {  // five: two of them hold no table
      TrainConfig config = small_config(kind);
      config.trainers = trainers;
      config.servers = 2;
      const Outcome cached = session_outcome(config);
      expect_equal(
          cached, session_outcome(without_servers(config)),
          std::to_string(trainers) + " trainers, optimizer " + std::to_string(static_cast<int>(kind)));
    }
  }
}

TEST(Sharded, TablesAreWhereThePlanSays) {
  TrainConfig config = small_config(OptimizerKind::adagrad);
  config.trainers = 3;
  const Outcome cached = session_outcome(config);
  config.servers = 0;
  for (const int trainer : {2, 1, 2}) {
    config.division.plan.push_back({model::TableSharding::table_wise, {trainer}});
  }
  EXPECT_EQ(tables_by_trainer(config), (std::vector<std::vector<std::size_t>>{{}, {1}, {0, 2}}));
  expect_equal(cached, session_outcome(config), "two tables on the last trainer");
}

TEST(Sharded, FewerSamplesThanTrainersAreEnough) {
  TrainConfig config = small_config(OptimizerKind::adagrad);
  config.trainers = 7;
  const auto outcome = [](const TrainConfig& one) {
    Session session(one);
    TestSource source(one, 3, kTestBatches);
    session.run(source, {});
    Outcome result;
    collect(
        one, [&](std::int64_t t, std::int64_t id) { return session.row(t, id); }, session.learners(), result);
    return result;
  };
  expect_equal(outcome(config), outcome(without_servers(config)), "three samples, seven trainers");
}

// Any way of holding the rows reads what any other has written, and goes on with it.
TEST(Sharded, CheckpointsGoFromOneWayOfHoldingRowsToAnother) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("overture_sharded_" + std::to_string(getpid()));
  TrainConfig cached = small_config(OptimizerKind::adam);
  cached.trainers = 2;
  cached.servers = 3;
  cached.division = embedding::Sharding::range;
  const Outcome whole = session_outcome(cached);
  for (const bool cached_first : {true, false}) {
    const TrainConfig first = cached_first ? cached : without_servers(cached);
    const TrainConfig second = cached_first ? without_servers(cached) : cached;
    session_outcome(first, {.steps = 11, .checkpoints = folder});
    const Outcome resumed = session_outcome(second, {}, folder / "step-11");
    EXPECT_TRUE(resumed.rows == whole.rows) << cached_first;
    EXPECT_TRUE(resumed.dense == whole.dense) << cached_first;
    std::filesystem::remove_all(folder);
  }
}

TEST(Sharded, EvaluationsSeeTheSameModelAndChangeNothing) {
  TrainConfig config = small_config(OptimizerKind::adagrad);
  config.trainers = 3;
  std::vector<double> losses[2];
  for (const bool sharded : {false, true}) {
    const TrainConfig one = sharded ? without_servers(config) : config;
    const RunOptions options{
        .held_out =
            [&] {
              auto held_out = std::make_unique<TestSource>(one, kTestSamples, 36);
              held_out->skip(30);
              return held_out;
            },
        .evaluate_every = 7,
        .evaluate_at_end = true,
        .on_evaluated =
            [&](const HeldOut& held_out) { losses[sharded ? 1 : 0].push_back(held_out.metrics.log_loss); }};
    expect_equal(session_outcome(config), session_outcome(one, options), "with evaluations");
  }
  EXPECT_EQ(losses[0].size(), 5u);
  EXPECT_EQ(losses[0], losses[1]);
}

TEST(Sharded, BytesAreThoseOfPooledRowsToOtherTrainers) {
  TrainConfig config = without_servers(small_config());
  config.trainers = 3;  // a table of 8 columns each
  std::int64_t fetched = 0;
  std::int64_t stored = 0;
  session_outcome(config, {.on_step = [&](const StepReport& report) {
                    fetched += report.fetched_bytes;
                    stored += report.stored_bytes;
                  }});
  // Every trainer gets two tables from others for its samples: 8 columns of 4 bytes, and two array lengths.
  const std::int64_t expected = kTestBatches * (kTestSamples * 2 * 8 * 4 + 3 * 2 * 8);
  EXPECT_EQ(fetched, expected);
  EXPECT_EQ(stored, expected);
}

TEST(Sharded, AnIdBeyondItsTableIsAUserError) {
  TrainConfig config = without_servers(small_config());
  config.trainers = 2;
  TrainConfig wrong = config;
  wrong.tables.tables[2].rows = 9000;
  Session session(config);
  TestSource source(wrong, kTestSamples, kTestBatches);
  EXPECT_THROW(session.run(source, {}), UserError);
}

TEST(Sharded, OnlyWholeTablesCanBeHeldByTrainers) {
  TrainConfig config = without_servers(small_config());
  config.division = embedding::Sharding::hash;
  EXPECT_THROW(Session{config}, UserError);
}

}  // namespace
}  // namespace overture::train
