// Oracle: hands out step after step, as its orders plan them; keeps the account of what has been done, and
// says when to save and when to stop. Takes messages and makes messages; owns no thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "overture/data/batch.h"
#include "overture/train/checkpoint.h"
#include "overture/train/config.h"
#include "overture/train/dense_state.h"
#include "overture/train/evaluator.h"
#include "overture/train/orders.h"
#include "overture/train/party.h"
#include "overture/train/run.h"

namespace overture::train {

class Oracle final : public Party {
 public:
  // `source` stands at the batch of `first_step`. All must outlive the object.
  Oracle(const TrainConfig& config, data::BatchSource& source, const RunOptions& options,
         std::int64_t first_step, std::int64_t first_sample);

  void take(rpc::Message message, Outbox& out) override;
  bool advance(Outbox& out) override;
  bool done() const override { return done_; }
  void watch(Marks& marks) override { orders_->watch(marks); }

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
  void next_step(Outbox& out);
  struct Pause;
  void begin_pause(Pause pause, Outbox& out);
  bool advance_pause(Outbox& out);
  void end_pause(Outbox& out);
  void finish_evaluation();
  void finish_save();
  double lap();
  void take_dense_state(rpc::Message message);
  void take_left(const rpc::Message& message);
  std::int64_t samples_after(std::int64_t batches) const;
  void stop_all(Outbox& out);
  void account(const rpc::Message& message);

  const TrainConfig& config_;
  const RunOptions& options_;
  Parties parties_;
  std::int64_t first_step_;
  std::int64_t samples_;  // trained so far

  std::unique_ptr<Orders> orders_;

  std::int64_t sent_ = 0;        // steps
  std::int64_t saved_ = 0;       // steps at the last checkpoint
  std::int64_t evaluated_ = -1;  // steps at the last evaluation
  std::map<std::int64_t, Open> open_;
  bool ended_ = false;  // the last step is out
  // Between two steps: the servers get all rows, for a checkpoint, an evaluation, or both. The evaluation
  // comes first: who resumes from the checkpoint finds it done.
  struct Pause {
    std::int64_t after;  // so many batches
    bool save;
    bool evaluate = false;
    bool asked = false;  // by the first trainer, who waits for it
    int answers_missing = 0;
    std::unique_ptr<PartialCheckpoint> partial = nullptr;  // of a save
    std::optional<DenseState> dense = {};                  // of a save
    std::unique_ptr<Evaluator> evaluator = nullptr;        // once the rows are there
    std::chrono::steady_clock::time_point since{};         // nothing is trained, or told of
    double saving_seconds = 0;
  };
  std::optional<Pause> pause_;
  std::optional<std::int64_t> asked_;  // a pause after so many batches
  int left_ = 0;                       // trainers that take no more
  bool handed_in_ = false;             // what they had
  bool stopped_early_ = false;
  bool done_ = false;
  std::int64_t parameters_ = 0;
  std::optional<double> auc_;  // of the last evaluation
  std::filesystem::path checkpoint_;
};

}  // namespace overture::train
