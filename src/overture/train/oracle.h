// Oracle: reads the batches, looks ahead in them, plans every step and hands it out; keeps the account of
// what has been done, and says when to save and when to stop. Takes messages and makes messages; owns no
// thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "overture/data/batch.h"
#include "overture/lookahead/planner.h"
#include "overture/train/config.h"
#include "overture/train/evaluator.h"
#include "overture/train/party.h"
#include "overture/train/run.h"
#include "overture/train/step_part.h"

namespace overture::train {

class Oracle final : public Party {
 public:
  // `source` stands at the batch of `first_step`. All must outlive the object.
  Oracle(const TrainConfig& config, data::BatchSource& source, const RunOptions& options,
         std::int64_t first_step, std::int64_t first_sample);

  void take(rpc::Message message, Outbox& out) override;
  bool advance(Outbox& out) override;
  bool done() const override { return done_; }

  std::int64_t steps_done() const { return first_step_ + sent_; }
  bool stopped_early() const { return stopped_early_; }
  const std::filesystem::path& checkpoint() const { return checkpoint_; }

 private:
  struct Open {  // a step that is under way
    StepReport report;
    int trainers = 0;            // that have finished it
    std::vector<double> losses;  // by rank, to be added in that order
  };

  bool stop_wanted() const { return options_.stop && options_.stop(); }
  bool save_due(bool ending) const;
  bool evaluation_due(bool ending) const;
  void plan_step(Outbox& out);
  void read_batch();
  void hand_out(Outbox& out);
  void begin_pause(bool save, bool evaluate, Outbox& out);
  bool advance_pause(Outbox& out);
  void finish_evaluation();
  void finish_save();
  void take_dense_state(const rpc::Message& message);
  void stop_all(Outbox& out);
  void account(const rpc::Message& message);

  const TrainConfig& config_;
  data::BatchSource& source_;
  const RunOptions& options_;
  Parties parties_;
  std::int64_t first_step_;
  std::int64_t samples_;  // trained so far

  lookahead::Planner planner_;
  lookahead::StepPlan plan_;
  data::Batch read_;                 // as it comes from the source
  std::deque<data::Batch> batches_;  // read but not handed out; without their ids
  std::int64_t batches_read_ = 0;
  PartEncoder encoder_;

  std::int64_t sent_ = 0;        // steps
  std::int64_t saved_ = 0;       // steps at the last checkpoint
  std::int64_t evaluated_ = -1;  // steps at the last evaluation
  std::map<std::int64_t, Open> open_;
  bool flushed_ = false;  // the last step is out
  // Between two steps: the servers get all rows, for a checkpoint, an evaluation, or both. The evaluation
  // comes first: who resumes from the checkpoint finds it done.
  struct Pause {
    bool save;
    bool evaluate;
    int answers_missing;
    std::optional<Evaluator> evaluator = std::nullopt;  // once the rows are there
    std::chrono::steady_clock::time_point began{};
  };
  std::optional<Pause> pause_;
  bool stopped_early_ = false;
  bool done_ = false;
  std::int64_t parameters_ = 0;
  std::optional<double> auc_;  // of the last evaluation
  std::filesystem::path checkpoint_;
};

}  // namespace overture::train
