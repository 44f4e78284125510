// Session: a whole training run in one process: oracle, trainers and servers, a thread each, and the memory
// between them as the network.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "overture/data/batch.h"
#include "overture/train/party_maker.h"
#include "overture/train/run.h"

namespace overture::train {

class Session final : public Training {
 public:
  // Starts afresh, or where `checkpoint` was written unless it is empty. Throws UserError.
  explicit Session(TrainConfig config, const std::filesystem::path& checkpoint = {});
  ~Session() override;

  std::int64_t first_step() const override { return first_step_; }
  // Throws what a party threw, after all have stopped.
  RunResult run(data::BatchSource& source, const RunOptions& options) override;

  // The result, good after run(): a row with what the optimizer remembers of it,
  std::vector<float> row(std::int64_t table, std::int64_t id);
  // and the dense part: the learners by rank, of which each knows what the optimizer remembers of its share.
  std::vector<Learner*> learners() const { return learners_of(parties_); }

 private:
  TrainConfig config_;
  std::int64_t first_step_ = 0;
  std::int64_t first_sample_ = 0;
  std::vector<MadeParty> parties_;  // but for the oracle, by address
};

}  // namespace overture::train
