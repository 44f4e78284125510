// LocalTraining: plain synchronous training on one machine, all tables in its memory: no cache, no servers,
// no messages. What cached training must equal bit for bit, and what evaluates a trained model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "overture/data/batch.h"
#include "overture/train/batch_rows.h"
#include "overture/train/checkpoint.h"
#include "overture/train/learner.h"
#include "overture/train/pooled_rows.h"
#include "overture/train/run.h"

namespace overture::train {

class LocalTraining final : public Training {
 public:
  // Starts afresh, or where `checkpoint` was written unless it is empty. Throws UserError. The config's
  // trainers, servers and cache do not matter here.
  explicit LocalTraining(TrainConfig config, const std::filesystem::path& checkpoint = {});

  std::int64_t first_step() const override { return first_step_; }
  RunResult run(data::BatchSource& source, const RunOptions& options) override;

  // One step; `step` counts from 0. Returns the mean loss.
  double train(const data::Batch& batch, std::int64_t step);
  // A logit per sample; good until the next call.
  std::span<const float> predict(const data::Batch& batch);

  const TrainConfig& config() const { return config_; }
  embedding::Tables& tables() { return tables_; }
  Learner& learner() { return learner_; }

 private:
  StepPart look_up(const data::Batch& batch);
  StepReport step(const data::Batch& batch, std::int64_t step);
  void evaluate(const RunOptions& options);
  void save(const RunOptions& options);

  TrainConfig config_;
  Learner learner_;
  embedding::Tables tables_;
  BatchRows rows_;
  PooledRows pooled_;
  CheckpointInfo info_;  // of what has been trained
  std::int64_t first_step_ = 0;
  std::int64_t evaluated_ = -1;  // steps at the last evaluation
};

}  // namespace overture::train
