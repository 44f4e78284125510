// Real training, small: with the cache, with servers, threads and trainers, against training without any.
#include "overture/train/session.h"

#include <numeric>

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/train/results.h"
#include "overture/train/testing.h"

namespace overture::train {
namespace {

using embedding::OptimizerKind;
using namespace literals;

constexpr OptimizerKind kKinds[] = {OptimizerKind::sgd, OptimizerKind::adagrad, OptimizerKind::adam};

double mean(const std::vector<double>& losses, std::size_t from, std::size_t count) {
  return std::accumulate(losses.begin() + static_cast<std::ptrdiff_t>(from),
                         losses.begin() + static_cast<std::ptrdiff_t>(from + count), 0.0) /
         static_cast<double>(count);
}

TEST(Session, TrainingLearns) {
  TrainConfig config = small_config(OptimizerKind::adam);
  LocalTraining training(config);
  TestSource source(config, 256, 200);
  data::Batch batch;
  std::vector<double> losses;
  while (source.next(batch)) losses.push_back(training.train(batch, std::ssize(losses)));
  EXPECT_LT(mean(losses, 180, 20), mean(losses, 0, 20) - 0.05);
}

TEST(Session, CachedTrainingEqualsPlainTrainingBitForBit) {
  struct Variant {
    CacheConfig cache;
    int threads = 1;
    int servers = 1;
    embedding::Division division = {};
  };
  const Variant variants[] = {
      {{.lookahead = 1}},
      {{.lookahead = 2}},
      {{.lookahead = 7, .cleanup_interval = 3}},
      {{.lookahead = 10, .prefetch_depth = 2}, 3},
      {{.lookahead = 100}, 1, 3},
      {{.lookahead = 30, .prefetch_depth = 4, .cleanup_interval = 30}, 2, 2},
      {{.lookahead = 20, .capacity = 70}},
      {{.lookahead = 8}, 1, 3, embedding::Sharding::range},
      {{.lookahead = 8, .cleanup_interval = 2}, 1, 4, embedding::Sharding::table_wise},
      {{.lookahead = 8, .prefetch_depth = 3}, 1, 3, embedding::Sharding::column_wise},
      {{.lookahead = 1}, 2, 12, embedding::Sharding::column_wise},
      {{.lookahead = 8}, 1, 1, mixed_division(1)},
      {{.lookahead = 8, .cleanup_interval = 2}, 1, 2, mixed_division(2, 1)},
      {{.lookahead = 1}, 2, 3, mixed_division(3, 2)},
      {{.lookahead = 20, .capacity = 70}, 1, 4, mixed_division(4)},
      {{.lookahead = 20, .prefetch_depth = 3, .cleanup_interval = 5, .capacity = 100}, 1, 2},
  };
  for (const OptimizerKind kind : kKinds) {
    TrainConfig config = small_config(kind);
    const Outcome plain = plain_outcome(config);
    for (const Variant& variant : variants) {
      config.cache = variant.cache;
      config.threads = variant.threads;
      config.servers = variant.servers;
      config.division = variant.division;
      expect_equal(session_outcome(config), plain,
                   "optimizer " + std::to_string(static_cast<int>(kind)) + " lookahead " +
                       std::to_string(variant.cache.lookahead));
    }
  }
}

TEST(Session, WeightDecayAndAScheduleKeepTheBitsOfACache) {
  for (const OptimizerKind kind : kKinds) {
    TrainConfig config = small_config(kind);
    const Outcome before = plain_outcome(config);
    for (embedding::OptimizerConfig* one : {&config.dense_optimizer, &config.tables.optimizer}) {
      one->weight_decay = 0.01;
      one->schedule = {.warmup_steps = 5, .decay_start = 10, .decay_steps = 10};
    }
    const Outcome plain = plain_outcome(config);
    EXPECT_FALSE(plain.rows == before.rows) << "neither did anything";
    config.cache = {.lookahead = 20, .prefetch_depth = 3, .cleanup_interval = 5, .capacity = 100};
    config.servers = 2;
    expect_equal(session_outcome(config), plain, "optimizer " + std::to_string(static_cast<int>(kind)));
  }
}

TEST(Session, EveryModelIsTheSameWithACache) {
  for (const ModelConfig& model :
       {ModelConfig{WideAndDeepConfig{.deep = {4, 8, 6}}},
        ModelConfig{DcnConfig{.bottom = {4, 8, 6}, .top = {8, 1}, .rank = 3}},
        ModelConfig{DeepFmConfig{.deep = {8, 1}}},
        ModelConfig{FgcnnConfig{.channels = {3, 2}, .top = {8, 1}}},
        ModelConfig{CaserConfig{.horizontal_filters = 4, .vertical_filters = 2}}}) {
    TrainConfig config = small_config(OptimizerKind::adagrad);
    config.model = model;
    if (std::holds_alternative<CaserConfig>(model)) config.tables.tables.back().dim = caser_item_dim(8);
    config.cache = {.lookahead = 9, .prefetch_depth = 4, .cleanup_interval = 2};
    config.threads = 2;
    expect_equal(session_outcome(config), plain_outcome(config), describe(model));
  }
}

TEST(Session, TablesOfDifferentWidthsWork) {
  TrainConfig config = small_config(OptimizerKind::adagrad);
  config.tables.tables[0].dim = 5;
  config.tables.tables[2].dim = 16;
  config.model = DlrmConfig{.bottom = {4, 6}, .top = {8, 1}, .interaction = Interaction::cat};
  expect_equal(session_outcome(config), plain_outcome(config), "the run");
}

TEST(Session, WeightsCountOnlyInWeightedPoolingAndTheCacheKeepsThem) {
  TrainConfig config = small_config(OptimizerKind::adagrad);
  std::vector<Outcome> outcomes;
  for (const embedding::Pooling pooling :
       {embedding::Pooling::sum, embedding::Pooling::mean, embedding::Pooling::weighted}) {
    config.tables.tables[1].pooling = pooling;
    outcomes.push_back(plain_outcome(config));
    expect_equal(session_outcome(config), outcomes.back(), "the run");
    for (std::size_t other = 0; other + 1 < outcomes.size(); ++other)
      EXPECT_TRUE(outcomes[other].rows != outcomes.back().rows);
  }
  config.trainers = 3;
  const Outcome shared = session_outcome(config);
  for (std::size_t i = 0; i < shared.losses.size(); ++i)
    EXPECT_NEAR(shared.losses[i], outcomes.back().losses[i], 1e-4) << "step " << i;
}

TEST(Session, AFileHoldsTheTablesAsWellAsMemoryDoes) {
  TrainConfig config = small_config(OptimizerKind::adagrad);
  const Outcome plain = plain_outcome(config);
  config.tables.file =
      std::filesystem::temp_directory_path() / ("overture_tables_" + std::to_string(getpid()));
  expect_equal(session_outcome(config), plain, "the run");
  std::filesystem::remove(config.tables.file);
}

// The sums over trainers go in the order of ranks: the same for every run and every cache, and, but for
// rounding, what one trainer computes.
TEST(Session, SeveralTrainersAgreeWithOneAndAlwaysWithThemselves) {
  for (const OptimizerKind kind : kKinds) {
    TrainConfig config = small_config(kind);
    const Outcome plain = plain_outcome(config);
    for (const int trainers : {2, 3, 5}) {
      config.trainers = trainers;
      config.cache = {.lookahead = 6};
      const Outcome first = session_outcome(config);
      ASSERT_EQ(first.rows.size(), plain.rows.size());
      ASSERT_EQ(first.losses.size(), plain.losses.size());
      for (std::size_t i = 0; i < plain.losses.size(); ++i)
        EXPECT_NEAR(first.losses[i], plain.losses[i], 1e-4) << "step " << i;
      if (kind == OptimizerKind::sgd) {  // the others divide by the root of a gradient that may be rounding
        for (std::size_t i = 0; i < plain.rows.size(); ++i) ASSERT_NEAR(first.rows[i], plain.rows[i], 1e-4f);
      }
      expect_equal(session_outcome(config), first, "another run");
      config.cache = {.lookahead = 1};
      expect_equal(session_outcome(config), first, "without a cache");
      config.cache = {.lookahead = 12, .prefetch_depth = 3, .cleanup_interval = 4, .capacity = 90};
      config.servers = 2;
      config.threads = 2;
      expect_equal(session_outcome(config), first, "with another cache");
      config.servers = config.threads = 1;
    }
  }
}

TEST(Session, ASlowLinkChangesNothingButTheTime) {
  TrainConfig config = small_config();
  const Outcome plain = plain_outcome(config);
  config.server_link = rpc::Link{100_Mbps, 200us};
  expect_equal(session_outcome(config), plain, "the run");
}

TEST(Session, ReportsAddUp) {
  TrainConfig config = small_config();
  config.cache.lookahead = 10;
  std::int64_t fetched = 0;
  std::int64_t stored = 0;
  std::int64_t missed = 0;
  std::int64_t steps = 0;
  session_outcome(config, {.on_step = [&](const StepReport& report) {
                    EXPECT_EQ(report.step, steps++);
                    EXPECT_EQ(report.samples, kTestSamples);
                    EXPECT_LE(report.rows, report.lookups);
                    EXPECT_GE(report.resident_rows, report.rows);
                    EXPECT_LE(report.critical_rows + report.delayed_rows, report.rows);
                    fetched += report.fetched_rows;
                    stored += report.stored_rows;
                    missed += report.rows - report.hits;
                  }});
  EXPECT_EQ(steps, kTestBatches);
  EXPECT_EQ(fetched, missed);
  EXPECT_LE(stored, fetched);
  EXPECT_GT(missed, 0);
}

// How good the model is on some other batches, after every seventh step and at the end.
std::vector<HeldOut> evaluated_on_the_way(Training& training, const TrainConfig& config,
                                          RunOptions options = {}) {
  std::vector<HeldOut> evaluated;
  TestSource source(config, kTestSamples, kTestBatches);
  options.evaluate_every = 7;
  options.evaluate_at_end = true;
  options.held_out = [&] {
    auto held_out = std::make_unique<TestSource>(config, kTestSamples, 36);
    held_out->skip(30);
    return held_out;
  };
  options.on_evaluated = [&](const HeldOut& one) { evaluated.push_back(one); };
  training.run(source, options);
  return evaluated;
}

void expect_same(const std::vector<HeldOut>& one, const std::vector<HeldOut>& other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].steps, other[i].steps);
    EXPECT_EQ(one[i].metrics.samples, 6 * kTestSamples);
    EXPECT_EQ(one[i].metrics.log_loss, other[i].metrics.log_loss) << "another model was evaluated";
    EXPECT_EQ(one[i].metrics.auc, other[i].metrics.auc) << "another model was evaluated";
  }
}

TEST(Session, EvaluationOnTheWaySeesTheModelOfThatStepAndChangesNothing) {
  for (const OptimizerKind kind : kKinds) {
    TrainConfig config = small_config(kind);
    LocalTraining local(config);
    const auto plainly = evaluated_on_the_way(local, config);
    ASSERT_EQ(plainly.size(), 5u);
    EXPECT_EQ(plainly.back().steps, kTestBatches);
    for (const int trainers : {1, 3}) {
      config.trainers = trainers;
      config.servers = 2;
      config.cache = {.lookahead = 9, .prefetch_depth = 4, .cleanup_interval = 3};
      const Outcome without = session_outcome(config);
      Session session(config);
      Outcome with;
      const auto said = evaluated_on_the_way(session, config, {.on_step = [&](const StepReport& report) {
                                               with.losses.push_back(report.loss);
                                             }});
      collect(
          config, [&](std::int64_t t, std::int64_t id) { return session.row(t, id); }, session.learners(),
          with);
      expect_equal(with, without, "with evaluations");
      if (trainers == 1) expect_same(said, plainly);
      config.cache = {.lookahead = 1};  // every row is at a server after each step
      Session uncached(config);
      expect_same(evaluated_on_the_way(uncached, config), said);
    }
  }
}

TEST(Results, TimePerIterationLeavesTheFirstTenOut) {
  IterationTimes times;
  for (int i = 0; i < 10; ++i) times.add(100);
  EXPECT_EQ(times.counted(), 0);
  for (const double seconds : {1.0, 2.0, 3.0, 4.0}) times.add(seconds);
  EXPECT_EQ(times.counted(), 4);
  EXPECT_DOUBLE_EQ(times.mean(), 2.5);
  EXPECT_DOUBLE_EQ(times.deviation(), std::sqrt(5.0 / 3));
}

TEST(Session, TimesOfAStepAreThoseOfOneTrainer) {
  TrainConfig config = small_config();
  config.trainers = 3;
  session_outcome(config, {.on_step = [&](const StepReport& report) {
                    ASSERT_EQ(report.trainers.size(), 3u);
                    const bool one_of_them = std::any_of(
                        report.trainers.begin(), report.trainers.end(), [&](const TrainerTimes& one) {
                          return one.compute_seconds == report.compute_seconds &&
                                 one.waited_for_rows_seconds == report.waited_for_rows_seconds &&
                                 one.waited_for_plan_seconds == report.waited_for_plan_seconds &&
                                 one.waited_for_peers_seconds == report.waited_for_peers_seconds;
                        });
                    EXPECT_TRUE(one_of_them);
                  }});
}

std::string user_error(const TrainConfig& config, const RunOptions& options = {}) {
  try {
    session_outcome(config, options);
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

TEST(Session, MistakesAreUserErrors) {
  TrainConfig config = small_config();
  config.cache.capacity = 5;
  EXPECT_NE(user_error(config).find("the cache holds 5"), std::string::npos) << user_error(config);
  config = small_config();
  config.dense_optimizer.learning_rate = 1e30;
  config.dense_optimizer.learning_rate = 9e5;
  config.tables.optimizer.learning_rate = 9e5;
  EXPECT_NE(user_error(config).find("the loss is not a number at step"), std::string::npos)
      << user_error(config);
  config = small_config();
  config.trainers = 0;
  EXPECT_NE(user_error(config).find("trainers"), std::string::npos);
  config = small_config();
  EXPECT_NE(user_error(config, {.checkpoints = "/proc/no"}).find("cannot be created"), std::string::npos);
}

}  // namespace
}  // namespace overture::train
