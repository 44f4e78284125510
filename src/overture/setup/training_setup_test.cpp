#include "overture/setup/training_setup.h"

#include <array>
#include <filesystem>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "overture/base/files.h"
#include "overture/formats/recording/recorded_run.h"
#include "overture/recording/recording.h"
#include "overture/train/session.h"

namespace overture::setup {
namespace {

namespace fs = std::filesystem;
using workload::TrainedRun;
using workload::TrainedStep;

// A short training that is recorded, and where.
class Recorded {
 public:
  explicit Recorded(const std::string& more, const std::string& sharding = "hash")
      : folder_(fs::temp_directory_path() / ("overture-training-" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    const std::string yaml =
        "data: {synthetic: kaggle, scale: 0.0005, samples: 1280, test_every: 0}\n"
        "batch_size: 64\nmodel: {mlp_bottom: 13-16-8, mlp_top: 16-1}\ntables: {dim: 8, sharding: " +
        sharding + "}\n" + more;
    setup = parse_train_setup(yaml, "train.yaml");
    write_file(recording::setup_file(folder_), yaml);
    TrainSetup recorded = setup;
    recorded.record = folder_.string();
    const auto source = open_train_data(recorded, data::Part::train);
    train::Session session(make_train_config(recorded, source->shape()));
    session.run(*source, {});
    run = formats::recorded_run(recording::read_recording(folder_), folder_.string());
  }
  ~Recorded() { fs::remove_all(folder_); }
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;

  const fs::path& folder() const { return folder_; }
  TrainSetup setup;
  formats::RecordedRun run;

 private:
  fs::path folder_;
};

using Sizes = std::vector<std::tuple<int, int, std::int64_t, Bytes, Bytes>>;
Sizes requests_of(const TrainedStep& step) {
  Sizes sizes;
  for (const TrainedStep::Request& one : step.requests)
    sizes.emplace_back(one.trainer, one.server, one.for_batch, one.ask, one.answer);
  std::ranges::sort(sizes);
  return sizes;
}
Sizes stores_of(const TrainedStep& step) {
  Sizes sizes;
  for (const TrainedStep::Store& one : step.stores)
    sizes.emplace_back(one.trainer, one.server, 0, one.size, Bytes{});
  std::ranges::sort(sizes);
  return sizes;
}

// What was recorded is what the planner's traffic says, byte for byte.
void expect_planned_bytes(const Recorded& recorded) {
  const TrainedRun& run = recorded.run.run;
  const auto steps = static_cast<int>(run.steps.size());
  ASSERT_EQ(steps, 20);
  const TrainedRun planned = predicted_run(recorded.setup, {}, 0, steps);
  EXPECT_EQ(planned.dense, run.trainers > 1 ? run.dense : planned.dense);
  for (int i = 0; i < steps; ++i) {
    const TrainedStep& real = run.steps[static_cast<std::size_t>(i)];
    const TrainedStep& plan = planned.steps[static_cast<std::size_t>(i)];
    for (int t = 0; t < run.trainers; ++t)
      EXPECT_EQ(real.trainers[static_cast<std::size_t>(t)].order,
                plan.trainers[static_cast<std::size_t>(t)].order)
          << i;
    EXPECT_EQ(requests_of(real), requests_of(plan)) << i;
    EXPECT_EQ(stores_of(real), stores_of(plan)) << i;
    for (std::size_t round = 0; round < 2; ++round) {
      for (int from = 0; from < run.trainers; ++from) {
        for (int to = 0; to < run.trainers; ++to) {
          if (from == to) continue;  // is not sent
          const std::size_t pair = lookahead::StepTraffic::pair(from, to, run.trainers);
          EXPECT_EQ(real.gradients[round][pair], plan.gradients[round][pair]) << i;
          EXPECT_EQ(real.updates[round][pair], plan.updates[round][pair]) << i;
        }
      }
    }
  }
}

TEST(TrainingSetup, ARecordingHasTheBytesOfThePlanWithOneTrainer) {
  expect_planned_bytes(Recorded("cache: {lookahead: 6}\nservers: 2\noptimizer: {kind: adagrad}\n"));
}

TEST(TrainingSetup, ARecordingHasTheBytesOfThePlanWithSeveralTrainers) {
  expect_planned_bytes(Recorded("cache: {lookahead: 4}\ntrainers: 3\nservers: 2\n"));
}

std::string drawn_run(std::mt19937& random) {
  const auto draw = [&](int from, int to) { return std::uniform_int_distribution(from, to)(random); };
  const int lookahead = draw(1, 30);
  return fmt::format(
      "cache: {{lookahead: {}, prefetch_depth: {}, cleanup_interval: {}}}\ntrainers: {}\nservers: {}\n"
      "optimizer: {{kind: {}}}\nseed: {}\n",
      lookahead, draw(1, lookahead), draw(1, 4), draw(1, 5), draw(1, 4),
      std::array{"sgd", "adagrad", "adam"}[static_cast<std::size_t>(draw(0, 2))], draw(1, 1000));
}

TEST(TrainingSetup, DrawnRecordingsHaveTheBytesOfTheirPlans) {
  std::mt19937 random(18);
  const std::array<std::string, 4> shardings{"hash", "range", "table_wise", "column_wise"};
  for (std::size_t i = 0; i < 10; ++i) {
    const std::string run = drawn_run(random);
    SCOPED_TRACE(run + shardings[i % 4]);
    expect_planned_bytes(Recorded(run, shardings[i % 4]));
  }
}

TEST(TrainingSetup, ReplaysAndPredictsOnAnyNumberOfRanks) {
  const Recorded recorded("cache: {lookahead: 4}\ntrainers: 2\n");
  const TrainingGraph replayed = make_training_graph(recorded.folder().string(), {}, "/setup.yaml", 4);
  EXPECT_GE(replayed.steps, 10);
  EXPECT_NE(replayed.note.find("ms a step"), std::string::npos);
  EXPECT_GT(replayed.graph.collectives().size(), 0u);
  TrainingSetup more;
  more.trainers = 4;
  more.steps = 5;
  const TrainingGraph predicted = make_training_graph(recorded.folder().string(), more, "/setup.yaml", 6);
  EXPECT_EQ(predicted.steps, 5);
  EXPECT_THROW(make_training_graph(recorded.folder().string(), {}, "/setup.yaml", 1), UserError);
  TrainingSetup far;
  far.first = 1000;
  EXPECT_THROW(make_training_graph(recorded.folder().string(), far, "/setup.yaml", 4), UserError);
}

// The usual lookahead is longer than the run: what is played begins where so many steps are left.
TEST(TrainingSetup, ARunShorterThanItsLookaheadIsPredictedToo) {
  const Recorded recorded("trainers: 2\n");
  TrainingSetup more;
  more.trainers = 4;
  EXPECT_EQ(make_training_graph(recorded.folder().string(), more, "/setup.yaml", 6).steps, 15);
  more.first = 19;
  more.steps = 6;
  try {
    make_training_graph(recorded.folder().string(), more, "/setup.yaml", 6);
    FAIL() << "25 steps of 20";
  } catch (const UserError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("20 batches of"), std::string::npos) << what;
    EXPECT_NE(what.find("set workload.training.first to at most 14"), std::string::npos) << what;
  }
}

// 20 batches of 64 are 10 of 128: five are played after five.
TEST(TrainingSetup, WithLargerBatchesTheDataOfARunGivesFewerSteps) {
  const Recorded recorded("trainers: 2\n");
  TrainingSetup larger;
  larger.batch_size = 128;
  EXPECT_EQ(make_training_graph(recorded.folder().string(), larger, "/setup.yaml", 4).steps, 5);
}

TEST(TrainingSetup, SaysWhatIsMissing) {
  EXPECT_THROW(make_training_graph("", {}, "setup.yaml", 4), UserError);
  EXPECT_THROW(make_training_graph("no-such-folder", {}, "setup.yaml", 4), UserError);
}

}  // namespace
}  // namespace overture::setup
