// Session: a whole training run in one process: oracle, trainers and servers, a thread each, and the memory
// between them as the network.
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <vector>

#include "overture/data/batch.h"
#include "overture/train/batch_rows.h"
#include "overture/train/embedding_server.h"
#include "overture/train/oracle.h"
#include "overture/train/run.h"
#include "overture/train/trainer.h"

namespace overture::train {

class Session {
 public:
  // Starts afresh, or where `checkpoint` was written unless it is empty. Throws UserError.
  explicit Session(TrainConfig config, const std::filesystem::path& checkpoint = {});
  ~Session();

  std::int64_t first_step() const { return first_step_; }

  // Trains on `source`, from its beginning: batches that an earlier run has trained are passed over. Once.
  // Throws what a role threw, after all have stopped.
  RunResult run(data::BatchSource& source, const RunOptions& options);

  // A logit per sample, good until the next call; after run(), or while it calls `evaluate`.
  std::span<const float> predict(const data::Batch& batch);
  // The result: good after run().
  float* row(std::int64_t table, std::int64_t id);
  Learner& learner() { return trainers_.front()->learner(); }

 private:
  TrainConfig config_;
  std::int64_t first_step_ = 0;
  std::int64_t first_sample_ = 0;
  std::vector<std::unique_ptr<EmbeddingServer>> servers_;
  std::vector<std::unique_ptr<Trainer>> trainers_;
  BatchRows batch_rows_;  // of predict()
};

}  // namespace overture::train
