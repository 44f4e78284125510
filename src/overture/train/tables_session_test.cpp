// A host that computes one of our own models: the rows must become those of plain training, bit for bit.
#include "overture/train/tables_session.h"

#include <cstring>
#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/recording/recording.h"
#include "overture/train/testing.h"

namespace overture::train {
namespace {

namespace fs = std::filesystem;
using Turn = HostedTrainer::Turn;

constexpr std::chrono::milliseconds kPatience{60'000};

// Does what a Python program does: takes turns, computes, gives back.
class Host {
 public:
  Host(TrainConfig config, const fs::path& checkpoints = {}, const fs::path& resumed = {})
      : config_(std::move(config)), learner_(config_), session_(config_, resumed) {
    auto source = std::make_unique<TestSource>(config_, kTestSamples, kTestBatches);
    source->skip(session_.first_step());
    session_.start(std::move(source), {.checkpoints = checkpoints, .checkpoint_at_end = false});
  }

  // False at the end.
  bool step() {
    EXPECT_EQ(wait(), Turn::idle);
    return step_at_once();
  }

  // Asks for the batch without waiting for its turn to do so.
  bool step_at_once() {
    trainer().next();
    const Turn turn = wait();
    if (turn == Turn::end) return false;
    EXPECT_EQ(turn, Turn::batch);
    pooled_.resize(static_cast<std::size_t>(trainer().batch().head.samples * config_.tables.width()));
    trainer().pooled(pooled_);
    const std::int64_t step = trainer().step();
    outcome_.losses.push_back(learner_.learn(trainer().batch(), pooled_, step) / kTestSamples);
    learner_.update_dense(step);
    give_back();
    return true;
  }

  fs::path save(const std::string& state) {
    EXPECT_EQ(wait(), Turn::idle);
    trainer().save();
    EXPECT_EQ(wait(), Turn::pause);
    trainer().give_state(state);
    EXPECT_EQ(wait(), Turn::idle);
    return trainer().kept();
  }

  void leave() {
    EXPECT_EQ(wait(), Turn::idle);
    trainer().leave();
    EXPECT_EQ(wait(), Turn::end);
  }

  Outcome finish() {
    session_.finish();
    collect(
        config_, [&](std::int64_t t, std::int64_t id) { return row(t, id); }, {&learner_}, outcome_);
    return outcome_;
  }

  Turn wait() { return trainer().wait(kPatience); }
  HostedTrainer& trainer() { return session_.trainer(); }
  TablesSession& session() { return session_; }
  Learner& learner() { return learner_; }

 private:
  void give_back() {
    std::vector<embedding::TableGradients> gradients;
    const float* next = learner_.pooled_gradients().data();
    for (const embedding::TableConfig& table : config_.tables.tables) {
      gradients.push_back({.data = next, .stride = config_.tables.width()});
      next += table.dim;
    }
    trainer().give_back(std::move(gradients), 0);
  }

  std::vector<float> row(std::int64_t table, std::int64_t id) {
    std::vector<float> result;
    for (embedding::Tables* const tables : session_.tables()) {
      const embedding::TableShare& held = tables->held(table);
      if (!held.holds(id)) continue;
      const float* const numbers = tables->row(table, id);
      result.insert(result.end(), numbers, numbers + held.used());
    }
    return result;
  }

  TrainConfig config_;
  Learner learner_;
  TablesSession session_;
  std::vector<float> pooled_;
  Outcome outcome_;
};

TEST(TablesSession, AHostedModelLearnsAsAnOwnOneBitForBit) {
  for (const int lookahead : {1, 6, 100}) {
    TrainConfig config = small_config(embedding::OptimizerKind::adagrad);
    config.cache.lookahead = lookahead;
    config.servers = 2;
    Host host(config);
    while (host.step()) {
    }
    expect_equal(host.finish(), plain_outcome(config), "lookahead " + std::to_string(lookahead));
  }
}

TEST(TablesSession, AHostThatAsksEarlyHearsOfTheBatchAndIsIdleAfterwards) {
  const TrainConfig config = small_config();
  Host host(config);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(host.step_at_once());
  EXPECT_EQ(host.wait(), Turn::idle) << "it has asked for no more";
  while (host.step_at_once()) {
  }
  expect_equal(host.finish(), plain_outcome(config), "asked early");
}

// What the host computes counts as its model. Its time is not that of the driver's thread, whose clock is
// left out.
TEST(TablesSession, ARecordingHasTheWorkOnTheRowsAndTheHostsModel) {
  const fs::path folder = fs::path(testing::TempDir()) / "hosted-recording";
  fs::remove_all(folder);
  fs::create_directories(folder);
  TrainConfig config = small_config();
  config.record = folder;
  {
    Host host(config);
    for (int i = 0; i < 8; ++i) ASSERT_TRUE(host.step());
    host.leave();
    host.finish();
  }
  const recording::PartyRecord trainer = recording::read_party(recording::party_file(folder, 1));
  std::map<Work, int> pieces;
  int clocks = 0;
  for (const recording::Event& event : trainer.events) {
    if (const auto* piece = std::get_if<recording::Piece>(&event)) ++pieces[piece->work];
    clocks += std::holds_alternative<recording::Computed>(event) ? 1 : 0;
  }
  for (const Work work : {Work::begin_step, Work::gather, Work::model, Work::update_rows, Work::end_step})
    EXPECT_EQ(pieces[work], 8) << kind_of(work).name;
  EXPECT_EQ(clocks, 0);
}

TEST(TablesSession, AHostThatLeavesEarlyHandsItsRowsIn) {
  const TrainConfig config = small_config();
  Host host(config);
  for (int i = 0; i < 11; ++i) ASSERT_TRUE(host.step());
  host.leave();
  expect_equal(host.finish(), plain_outcome(config, 11), "after 11 batches");
}

TEST(TablesSession, ACheckpointThatWasAskedForIsOfThatStepAndHoldsTheHostsState) {
  const fs::path folder = fs::path(testing::TempDir()) / "asked-checkpoints";
  fs::remove_all(folder);
  const TrainConfig config = small_config(embedding::OptimizerKind::adam);
  fs::path saved;
  Outcome whole;
  {
    Host host(config, folder);
    for (int i = 0; i < 13; ++i) host.step();
    const std::span<float> parameters = host.learner().parameters().values();
    const std::span<float> memory = host.learner().optimizer().state();
    std::string state(reinterpret_cast<const char*>(parameters.data()), parameters.size_bytes());
    state.append(reinterpret_cast<const char*>(memory.data()), memory.size_bytes());
    saved = host.save(state);
    while (host.step()) {
    }
    whole = host.finish();
  }
  expect_equal(whole, plain_outcome(config), "a run that was saved on the way");
  EXPECT_EQ(saved.filename(), "step-13");
  Host host(config, folder, saved);
  const std::string state = load_state(saved);
  const std::span<float> parameters = host.learner().parameters().values();
  const std::span<float> memory = host.learner().optimizer().state();
  ASSERT_EQ(state.size(), parameters.size_bytes() + memory.size_bytes());
  std::memcpy(parameters.data(), state.data(), parameters.size_bytes());
  std::memcpy(memory.data(), state.data() + parameters.size_bytes(), memory.size_bytes());
  while (host.step()) {
  }
  Outcome resumed = host.finish();
  EXPECT_EQ(resumed.rows, whole.rows);
  EXPECT_EQ(resumed.dense, whole.dense);
}

TEST(TablesSession, AbandoningEndsAllThreadsWhereverTheyAre) {
  for (const int steps : {0, 1, 5}) {
    Host host(small_config());
    for (int i = 0; i < steps; ++i) host.step();
    host.session().abandon("the test is over");
  }
  Host host(small_config());
  EXPECT_EQ(host.wait(), Turn::idle);
  host.trainer().next();
  host.session().abandon("in the middle of a step");
}

TEST(TablesSession, OneProcessHasOneHost) {
  TrainConfig config = small_config();
  config.trainers = 2;
  EXPECT_THROW(TablesSession session(config), UserError);
}

}  // namespace
}  // namespace overture::train
