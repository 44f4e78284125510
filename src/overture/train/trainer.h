// Trainer: carries out the plan step by step on its share of each batch: writes back rows that leave, asks
// for rows to come, computes, and agrees with the other trainers on the dense gradients and on the rows that
// they share. Takes messages and makes messages; owns no thread and knows no clock.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "overture/embedding/slots.h"
#include "overture/train/learner.h"
#include "overture/train/messages.h"
#include "overture/train/row_exchange.h"

namespace overture::train {

class Trainer {
 public:
  // `first_step` is that of the first batch: 0, or more in a resumed run.
  Trainer(const TrainConfig& config, int rank, std::int64_t first_step);

  bool done() const { return stage_ == Stage::done; }

  void take(rpc::Message message, Outbox& out);
  // Does the next piece of work if everything for it is there; false when it must wait.
  bool advance(Outbox& out);
  // How long the last wait was, and how long the last piece of work; for the report of the step.
  void waited(double seconds);
  void worked(double seconds) { report_.compute += seconds; }

  Learner& learner() { return learner_; }

 private:
  // What it must get before it can go on.
  enum class Stage : std::uint8_t { plan, rows, dense_gradients, dense_sums, shared_rows, done };

  struct Request {
    std::int32_t for_batch;
    std::vector<std::pair<lookahead::Row, std::uint32_t>> rows;  // and their slots
  };

  // An exchange of rows that trainers share in a batch.
  struct Round {
    std::int64_t batch;
    Urgency when;
    std::vector<lookahead::PlannedRow> own;
    embedding::UpdateRule rule;
    bool applied = false;
    bool done = false;
  };

  bool advance_step(Outbox& out);
  bool begin_step(Outbox& out);
  void clean_up(Outbox& out);
  void store_evictions(Outbox& out);
  void fetch_rows(Outbox& out);
  void take_rows(const rpc::Message& message);
  bool run_batch(Outbox& out);
  bool reduce_dense(Outbox& out);
  bool apply_dense(Outbox& out);
  void begin_round(Urgency when, Outbox& out);
  bool advance_rounds(Urgency when, Outbox& out);
  bool advance_round(Round& round, Outbox& out);
  bool rounds_done(std::int64_t through) const;
  bool share_rows(Outbox& out);
  void finish_step(Outbox& out);
  void remember_owned();
  void save(const rpc::Message& message, Outbox& out);

  // The messages of a kind for a batch, by rank, once all have sent theirs, this trainer too; empty before.
  std::vector<rpc::Message> from_all(Kind kind, std::int64_t batch);
  void send_to(int rank, Kind kind, std::int64_t batch, rpc::Buffer payload, Outbox& out);
  void take_from_trainer(rpc::Message message);
  std::pair<std::size_t, std::size_t> dense_share(int rank) const;
  int server_of(lookahead::Row row) const { return static_cast<int>(id(row) % parties_.servers); }
  const embedding::RowLayout& layout(lookahead::Row row) const {
    return layouts_[static_cast<std::size_t>(table(row))];
  }
  std::int64_t step() const { return first_step_ + part_.head.batch; }

  Parties parties_;
  int rank_;
  std::int64_t first_step_;
  embedding::OptimizerConfig row_optimizer_;
  std::vector<embedding::RowLayout> layouts_;
  Learner learner_;
  RowExchange exchange_;
  embedding::SlotArena slots_;

  Stage stage_ = Stage::plan;
  std::deque<rpc::Message> orders_;  // from the oracle, in order
  rpc::Message order_;               // the step under way
  StepPart part_;                    // a view of it
  std::vector<float*> rows_;         // of the part, by number
  std::int64_t requests_made_ = 0;
  std::map<std::int64_t, Request> requests_;  // under way, by number
  std::map<std::int32_t, int> outstanding_;   // requests under way, by the batch that needs them
  std::map<std::pair<Kind, std::int64_t>, std::vector<rpc::Message>> from_trainers_;
  std::deque<Round> rounds_;
  // Rows whose value this trainer answers for, by slot: until the batch that uses them next.
  struct Owned {
    lookahead::Row row = lookahead::kNoRow;
    std::int64_t until = 0;
  };
  std::vector<Owned> owned_;
  TrainerReport report_;
};

}  // namespace overture::train
