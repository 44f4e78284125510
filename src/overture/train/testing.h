// For the tests of this folder: a small training that is not trivial, and what is left of it, to compare.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/embedding/initial_rows.h"
#include "overture/train/local_training.h"
#include "overture/train/session.h"

namespace overture::train {

// Popular ids come often; one table is multi-hot with weights and empty bags; labels depend on the ids.
class TestSource : public data::BatchSource {
 public:
  TestSource(const TrainConfig& config, std::int64_t samples, std::int64_t batches)
      : config_(config), samples_(samples), batches_(batches) {}

  bool next(data::Batch& batch) override {
    if (next_ == batches_) return false;
    RandomStream random(99, static_cast<std::uint64_t>(next_++));
    batch = {.samples = samples_, .dense_features = config_.dense_features};
    batch.tables.resize(config_.tables.tables.size());
    for (std::int64_t s = 0; s < samples_; ++s) add_sample(batch, random);
    return true;
  }
  void skip(std::int64_t batches) override { next_ = std::min(next_ + batches, batches_); }

 private:
  void add_sample(data::Batch& batch, RandomStream& random) {
    double signal = 0;
    for (std::int64_t i = 0; i < config_.dense_features; ++i) {
      batch.dense.push_back(static_cast<float>(random.unit()));
      signal += batch.dense.back() - 0.5f;
    }
    for (std::size_t t = 0; t < batch.tables.size(); ++t) {
      data::Bags& bags = batch.tables[t];
      const bool multi_hot = t == 1;
      if (multi_hot && bags.offsets.empty()) bags.offsets.push_back(0);
      for (auto n = multi_hot ? random.below(4) : 1; n > 0; --n) {
        const double rows = static_cast<double>(config_.tables.tables[t].rows);
        const auto id = static_cast<std::int64_t>(rows * std::pow(random.unit(), 4));
        bags.ids.push_back(id);
        if (multi_hot) bags.weights.push_back(0.5f + static_cast<float>(random.unit()));
        signal +=
            static_cast<double>(embedding::signed_unit(embedding::mixed(static_cast<std::uint64_t>(id))));
      }
      if (multi_hot) bags.offsets.push_back(static_cast<std::uint32_t>(bags.ids.size()));
    }
    batch.labels.push_back(random.unit() < 1 / (1 + std::exp(-2 * signal)) ? 1.0f : 0.0f);
  }

  const TrainConfig& config_;
  std::int64_t samples_;
  std::int64_t batches_;
  std::int64_t next_ = 0;
};

inline TrainConfig small_config(embedding::OptimizerKind kind = embedding::OptimizerKind::sgd) {
  const double rate = kind == embedding::OptimizerKind::adam ? 0.01 : 0.1;
  TrainConfig config{.tables = {.tables = {{.rows = 300, .dim = 8},
                                           {.rows = 50, .dim = 8, .pooling = embedding::Pooling::mean},
                                           {.rows = 5000, .dim = 8}},
                                .optimizer = {.kind = kind, .learning_rate = rate},
                                .seed = 5},
                     .dense_optimizer = {.kind = kind, .learning_rate = rate},
                     .model = DlrmConfig{.bottom = {4, 16, 8}, .top = {16, 1}},
                     .dense_features = 4,
                     .seed = 5};
  config.cache.lookahead = 6;
  return config;
}

// Of three tables: one whole on the last server, one by rows, one by columns on all servers from the last on;
// `turn` says which is which.
inline embedding::Division mixed_division(int servers, std::size_t turn = 0) {
  std::vector<int> from_last;
  for (int server = servers; server-- > 0;) from_last.push_back(server);
  embedding::Division division;
  division.plan.resize(3);
  division.plan[turn % 3] = {model::TableSharding::table_wise, {servers - 1}};
  division.plan[(turn + 1) % 3] = {model::TableSharding::row_wise, {}};
  division.plan[(turn + 2) % 3] = {model::TableSharding::column_wise, from_last};
  return division;
}

// Every number that training can change, and the losses on the way.
struct Outcome {
  std::vector<float> rows;
  std::vector<float> dense;
  std::vector<double> losses;
};

// Bit for bit.
inline void expect_equal(const Outcome& one, const Outcome& other, const std::string& what) {
  EXPECT_TRUE(one.losses == other.losses) << what << ": losses differ";
  EXPECT_TRUE(one.rows == other.rows) << what << ": rows differ";
  EXPECT_TRUE(one.dense == other.dense) << what << ": the dense part differs";
}

constexpr std::int64_t kTestSamples = 24;
constexpr std::int64_t kTestBatches = 30;

// What the optimizer remembers, each share from the trainer that changes it.
inline std::vector<float> remembered(const std::vector<Learner*>& learners) {
  std::vector<float> memory(learners.front()->optimizer().state().size());
  const std::int64_t count = learners.front()->parameters().size();
  for (std::size_t rank = 0; rank < learners.size(); ++rank) {
    const Block share = block_of(count, static_cast<int>(rank), static_cast<int>(learners.size()));
    const std::span<float> own = learners[rank]->optimizer().state();
    for (std::int64_t array = 0; array < std::ssize(own); array += count)
      std::copy(own.begin() + array + share.begin, own.begin() + array + share.end,
                memory.begin() + array + share.begin);
  }
  return memory;
}

template <class RowOf>
void collect(const TrainConfig& config, RowOf row_of, const std::vector<Learner*>& learners,
             Outcome& outcome) {
  const auto layouts = config.tables.layouts();
  for (std::size_t t = 0; t < layouts.size(); ++t) {
    for (std::int64_t id = 0; id < config.tables.tables[t].rows; ++id) {
      const auto row = row_of(static_cast<std::int64_t>(t), id);
      ASSERT_EQ(std::ssize(row), layouts[t].used());
      outcome.rows.insert(outcome.rows.end(), row.begin(), row.end());
    }
  }
  const std::span<float> values = learners.front()->parameters().values();
  for (Learner* const one : learners)
    EXPECT_TRUE(std::ranges::equal(one->parameters().values(), values)) << "trainers have different models";
  const std::vector<float> memory = remembered(learners);
  outcome.dense.insert(outcome.dense.end(), values.begin(), values.end());
  outcome.dense.insert(outcome.dense.end(), memory.begin(), memory.end());
}

inline std::span<const float> row_of(LocalTraining& training, std::int64_t table, std::int64_t id) {
  return {training.tables().row(table, id), static_cast<std::size_t>(training.tables().held(table).used())};
}

inline Outcome plain_outcome(const TrainConfig& config, std::int64_t batches = kTestBatches) {
  LocalTraining training(config);
  TestSource source(config, kTestSamples, batches);
  data::Batch batch;
  Outcome outcome;
  for (std::int64_t step = 0; source.next(batch); ++step)
    outcome.losses.push_back(training.train(batch, step));
  collect(
      config, [&](std::int64_t t, std::int64_t id) { return row_of(training, t, id); }, {&training.learner()},
      outcome);
  return outcome;
}

inline Outcome session_outcome(const TrainConfig& config, RunOptions options = {},
                               const std::filesystem::path& checkpoint = {},
                               std::int64_t batches = kTestBatches) {
  Session session(config, checkpoint);
  TestSource source(config, kTestSamples, batches);
  Outcome outcome;
  const auto on_step = options.on_step;
  options.on_step = [&](const StepReport& report) {
    outcome.losses.push_back(report.loss);
    if (on_step) on_step(report);
  };
  session.run(source, options);
  collect(
      config, [&](std::int64_t t, std::int64_t id) { return session.row(t, id); }, session.learners(),
      outcome);
  return outcome;
}

}  // namespace overture::train
