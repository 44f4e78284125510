// Training that was stopped, killed or moved to other servers and resumed, against training that was not.
#include "overture/train/checkpoint.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/testing_disk.h"
#include "overture/train/testing.h"

namespace overture::train {
namespace {

namespace fs = std::filesystem;
using embedding::OptimizerKind;

class Checkpoint : public testing::Test {
 protected:
  Checkpoint() : folder_(fs::temp_directory_path() / ("overture_checkpoint_" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
  }
  ~Checkpoint() override { fs::remove_all(folder_); }

  fs::path latest() const { return latest_checkpoint(folder_).value_or("missing"); }

  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_)) found.push_back(entry.path().filename());
    std::sort(found.begin(), found.end());
    return found;
  }

  std::string error(const TrainConfig& config) const {
    try {
      Session session(config, latest());
    } catch (const UserError& e) {
      return e.what();
    }
    return {};
  }

  fs::path folder_;
};

TEST_F(Checkpoint, StoppedAnywhereAndResumedEqualsNeverStopped) {
  for (const OptimizerKind kind : {OptimizerKind::sgd, OptimizerKind::adagrad, OptimizerKind::adam}) {
    for (const int trainers : {1, 3}) {
      TrainConfig config = small_config(kind);
      config.trainers = trainers;
      config.cache = {.lookahead = 9, .prefetch_depth = 4, .cleanup_interval = 3};
      const Outcome whole = session_outcome(config);
      for (const std::int64_t stop_after : {1, 13, 29}) {
        fs::remove_all(folder_);
        std::atomic<bool> stop = false;
        const Outcome first = session_outcome(config, {.checkpoints = folder_,
                                                       .stop = [&] { return stop.load(); },
                                                       .on_step =
                                                           [&](const StepReport& r) {
                                                             if (r.step + 1 == stop_after) stop = true;
                                                           }});
        ASSERT_GE(std::ssize(first.losses), stop_after);
        ASSERT_LE(std::ssize(first.losses), stop_after + 3) << "stops soon";
        Outcome second = session_outcome(config, {}, latest());
        second.losses.insert(second.losses.begin(), first.losses.begin(), first.losses.end());
        expect_equal(second, whole,
                     fmt::format("optimizer {}, {} trainers, stopped after {}", static_cast<int>(kind),
                                 trainers, stop_after));
      }
    }
  }
}

// Whatever happens after the checkpoint of step 20 is lost, and done again.
TEST_F(Checkpoint, KilledLaterEqualsNeverKilled) {
  TrainConfig config = small_config(OptimizerKind::adagrad);
  const Outcome whole = session_outcome(config);
  session_outcome(config, {.steps = 25, .checkpoints = folder_, .checkpoint_every = 10});
  fs::remove_all(folder_ / "step-25");
  ASSERT_EQ(latest().filename(), "step-20");
  config.servers = 3;  // the rows are dealt out anew
  config.cache = {.lookahead = 2};
  const Outcome resumed = session_outcome(config, {}, latest());
  EXPECT_EQ(resumed.rows, whole.rows);
  EXPECT_EQ(resumed.dense, whole.dense);
}

TEST_F(Checkpoint, AnyServersReadWhatAnyOthersWrote) {
  using embedding::Sharding;
  TrainConfig config = small_config(OptimizerKind::adam);
  const Outcome whole = session_outcome(config);
  const std::pair<int, embedding::Division> kinds[] = {
      {1, Sharding::hash},        {3, Sharding::hash},    {2, Sharding::range},   {4, Sharding::table_wise},
      {3, Sharding::column_wise}, {1, mixed_division(1)}, {3, mixed_division(3)}, {3, mixed_division(3, 1)}};
  for (const auto& [writers, written] : kinds) {
    config.servers = writers;
    config.division = written;
    fs::remove_all(folder_);
    session_outcome(config, {.steps = 12, .checkpoints = folder_});
    for (const auto& [readers, read] : kinds) {
      config.servers = readers;
      config.division = read;
      const Outcome resumed = session_outcome(config, {}, latest());
      EXPECT_TRUE(resumed.rows == whole.rows) << writers << " servers, then " << readers;
      EXPECT_TRUE(resumed.dense == whole.dense) << writers << " servers, then " << readers;
    }
  }
}

TEST_F(Checkpoint, PlainTrainingResumesToo) {
  const TrainConfig config = small_config(OptimizerKind::adam);
  const Outcome whole = plain_outcome(config);
  Outcome outcome;
  const RunOptions first{.steps = 11, .checkpoints = folder_};
  const RunOptions rest{.checkpoints = folder_, .checkpoint_every = 5};
  for (const RunOptions& options : {first, rest}) {
    LocalTraining training(config, latest_checkpoint(folder_).value_or(""));
    TestSource source(config, kTestSamples, kTestBatches);
    training.run(source, options);
  }
  const Outcome cached = session_outcome(config, {}, folder_ / "step-25");  // and a session from there
  EXPECT_TRUE(cached.rows == whole.rows);
  EXPECT_TRUE(cached.dense == whole.dense);
  LocalTraining training(config, latest());
  collect(
      config, [&](std::int64_t t, std::int64_t id) { return row_of(training, t, id); }, {&training.learner()},
      outcome);
  EXPECT_EQ(training.first_step(), kTestBatches);
  EXPECT_TRUE(outcome.rows == whole.rows);
}

TEST_F(Checkpoint, KeepsTheTwoNewestAndNoParts) {
  session_outcome(small_config(), {.checkpoints = folder_, .checkpoint_every = 7});
  EXPECT_EQ(names(), (std::vector<std::string>{"step-28", "step-30"}));
}

TEST_F(Checkpoint, OfOneThatADiskIsTooFullForNothingRemains) {
  TrainConfig config = small_config();
  config.servers = 2;
  for (const bool cached : {true, false}) {
    for (const std::size_t write : {1, 2, 3}) {  // rows, the dense part, the manifest
      fs::remove_all(folder_);
      FaultyDisk full(FaultyDisk::Fault::full, write);
      const DiskInstead instead(full);
      const RunOptions options{.checkpoints = folder_};
      TestSource source(config, kTestSamples, kTestBatches);
      if (cached) {
        EXPECT_THROW(Session(config).run(source, options), std::exception) << write;
      } else {
        EXPECT_THROW(LocalTraining(config).run(source, options), std::exception) << write;
      }
      EXPECT_EQ(names(), std::vector<std::string>()) << write;
    }
  }
}

TEST_F(Checkpoint, WhatAKilledRunHadBegunToWriteIsRemovedAtTheNextStart) {
  for (const bool cached : {true, false}) {
    fs::create_directories(folder_ / "step-3.part");
    write_file(folder_ / "step-3.part" / "rows-0", "half");
    const TrainConfig config = small_config();
    TestSource source(config, kTestSamples, kTestBatches);
    const RunOptions options{.checkpoints = folder_, .checkpoint_at_end = false};
    if (cached) {
      Session(config).run(source, options);
    } else {
      LocalTraining(config).run(source, options);
    }
    EXPECT_FALSE(fs::exists(folder_ / "step-3.part"));
  }
}

TEST_F(Checkpoint, DamageIsSeenAndNamed) {
  const TrainConfig config = small_config();
  session_outcome(config, {.checkpoints = folder_});
  EXPECT_EQ(error(config), "");
  const std::string rows = read_file(latest() / "rows-0");
  std::string changed = rows;
  changed[changed.size() / 2] = static_cast<char>(changed[changed.size() / 2] ^ 1);
  write_file(latest() / "rows-0", changed);
  EXPECT_NE(error(config).find("has been damaged"), std::string::npos) << error(config);
  write_file(latest() / "rows-0", rows.substr(0, rows.size() / 2));
  EXPECT_NE(error(config).find("is cut short"), std::string::npos) << error(config);
  fs::remove(latest() / "rows-0");
  EXPECT_NE(error(config).find("cannot be read"), std::string::npos) << error(config);
  write_file(latest() / "rows-0", rows);
  const std::string manifest = read_file(latest() / "manifest.json");
  write_file(latest() / "manifest.json", manifest.substr(0, manifest.size() / 2));
  EXPECT_NE(error(config).find("is not a manifest"), std::string::npos) << error(config);
}

TEST_F(Checkpoint, AnotherModelIsRefused) {
  TrainConfig config = small_config();
  session_outcome(config, {.checkpoints = folder_});
  config.tables.tables[0].rows = 301;
  EXPECT_NE(error(config).find("belongs to another run: tables was 300x8"), std::string::npos)
      << error(config);
  config = small_config(OptimizerKind::adam);
  EXPECT_NE(error(config).find("optimizer.kind was sgd, is adam"), std::string::npos) << error(config);
  config = small_config();
  config.model = DlrmConfig{.bottom = {4, 17, 8}, .top = {16, 1}};
  EXPECT_NE(error(config).find("model was "), std::string::npos) << error(config);
  config = small_config();
  for (embedding::TableConfig& table : config.tables.tables) table.pooling = embedding::Pooling::mean;
  EXPECT_NE(error(config).find("tables.pooling was sum, is mean"), std::string::npos) << error(config);
  config = small_config();
  config.fixed["batch_size"] = "24";  // of what the run did not say, nothing is known
  EXPECT_EQ(error(config), "");
  session_outcome(config, {.checkpoints = folder_});
  config.fixed["batch_size"] = "32";
  EXPECT_NE(error(config).find("batch_size was 24, is 32"), std::string::npos) << error(config);
  config.fixed["batch_size"] = "24";
  config.dense_optimizer.learning_rate = 0.5;
  EXPECT_EQ(error(config), "") << "the learning rate may change";
  EXPECT_EQ(changed_since(config, latest()),
            std::vector<std::string>{"optimizer.learning_rate was 0.1, is 0.5 from now on"});
}

// One flipped bit of a number once made a run go on with fresh rows.
TEST_F(Checkpoint, AManifestWithAnyOtherNumberIsRefused) {
  const TrainConfig config = small_config();
  session_outcome(config, {.checkpoints = folder_});
  const std::string manifest = read_file(latest() / "manifest.json");
  for (std::size_t i = 0; i < manifest.size(); ++i) {
    std::string changed = manifest;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    write_file(latest() / "manifest.json", changed);
    EXPECT_NE(error(config), "") << "byte " << i << " of " << manifest;
  }
  write_file(latest() / "manifest.json", std::string(manifest.size(), '\0'));
  EXPECT_NE(error(config).find("is not a manifest"), std::string::npos) << error(config);
  write_file(latest() / "manifest.json", manifest);
  fs::rename(folder_ / "step-30", folder_ / "step-31");
  EXPECT_NE(error(config).find("is of step 30, its folder of step 31"), std::string::npos) << error(config);
}

TEST_F(Checkpoint, WhenTheNewestIsDamagedTheOneBeforeIsTaken) {
  const TrainConfig config = small_config();
  EXPECT_FALSE(whole_checkpoint(folder_));
  session_outcome(config, {.checkpoints = folder_, .checkpoint_every = 20});
  EXPECT_EQ(whole_checkpoint(folder_)->path.filename(), "step-30");
  EXPECT_TRUE(whole_checkpoint(folder_)->damaged.empty());
  for (const char* file : {"manifest.json", "dense", "rows-0"}) {
    const std::string bytes = read_file(folder_ / "step-30" / file);
    write_file(folder_ / "step-30" / file, std::string(bytes.size(), '\0'));
    const auto found = whole_checkpoint(folder_);
    EXPECT_EQ(found->path.filename(), "step-20");
    ASSERT_EQ(found->damaged.size(), 1u);
    EXPECT_NE(found->damaged[0].find(file), std::string::npos) << found->damaged[0];
    fs::remove(folder_ / "step-30" / file);
    ASSERT_EQ(whole_checkpoint(folder_)->damaged.size(), 1u) << file << " is missing";
    EXPECT_EQ(whole_checkpoint(folder_)->path.filename(), "step-20");
    write_file(folder_ / "step-30" / file, bytes);
  }
  fs::remove(folder_ / "step-30" / "dense");
  EXPECT_EQ(whole_checkpoint(folder_)->path.filename(), "step-20");
  fs::remove(folder_ / "step-20" / "dense");
  EXPECT_THROW(whole_checkpoint(folder_), UserError);
}

// Nothing is trained meanwhile: whoever times steps leaves it out.
TEST_F(Checkpoint, HowLongItTookIsToldBetweenTwoSteps) {
  TrainConfig config = small_config();
  config.trainers = 2;
  LocalTraining local(config);
  Session session(config);
  for (Training* const training : std::initializer_list<Training*>{&local, &session}) {
    TestSource source(config, kTestSamples, kTestBatches);
    std::int64_t steps = 0;
    std::vector<std::int64_t> told_after;
    training->run(source, {.steps = 12,
                           .checkpoints = folder_,
                           .checkpoint_every = 5,
                           .on_step = [&](const StepReport&) { ++steps; },
                           .on_saved =
                               [&](double seconds) {
                                 told_after.push_back(steps);
                                 EXPECT_GT(seconds, 0);
                               }});
    EXPECT_EQ(told_after, (std::vector<std::int64_t>{5, 10, 12}));
  }
}

TEST_F(Checkpoint, TheBestAndEveryNthStay) {
  const TrainConfig config = small_config(OptimizerKind::adam);
  std::map<std::int64_t, double> aucs;
  session_outcome(config, {.checkpoints = folder_,
                           .checkpoint_every = 3,
                           .keep_every = 12,
                           .held_out =
                               [&] {
                                 auto held_out = std::make_unique<TestSource>(config, kTestSamples, 36);
                                 held_out->skip(30);
                                 return held_out;
                               },
                           .evaluate_every = 3,
                           .on_evaluated = [&](const HeldOut& one) { aucs[one.steps] = one.metrics.auc; }});
  const auto best = std::max_element(aucs.begin(), aucs.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  for (std::int64_t steps = 3; steps <= 30; steps += 3) {
    const bool stays = steps >= 27 || steps % 12 == 0 || steps == best->first;
    EXPECT_EQ(fs::exists(folder_ / fmt::format("step-{}", steps)), stays) << steps;
  }
}

}  // namespace
}  // namespace overture::train
