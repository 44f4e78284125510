// TableClient: a trainer's half of the tables, without a model. It carries out the plan step by step: writes
// back rows that leave the cache, asks for rows to come, gives the next batch with its pooled rows, takes
// their gradients back, and agrees with the other trainers on the rows that they share. Takes messages and
// makes messages; owns no thread and knows no clock. Whoever computes the dense part sits on it:
// train/trainer.h with a model of ours, or any other program, in this order:
//
//   take() and advance() until has() is not `nothing`;
//   batch: rows = pooled(); compute; give_back(gradients); take() and advance() until shared(); finish(loss)
//   predict: rows = pooled(); compute; give_predictions(logits)
//   pause: save what is the caller's own; resume()
//   end: stop
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "overture/embedding/slots.h"
#include "overture/embedding/workers.h"
#include "overture/train/messages.h"
#include "overture/train/peer_inbox.h"
#include "overture/train/pooled_rows.h"
#include "overture/train/row_exchange.h"
#include "overture/train/step_account.h"

namespace overture::train {

struct TableClientConfig {
  embedding::TablesConfig tables;
  embedding::Division division;
  Parties parties;
  int rank = 0;
  std::int64_t first_step = 0;  // of the first batch: 0, or more in a resumed run
};

class TableClient {
 public:
  // `workers` share the work of pooling; they outlive the client.
  TableClient(const TableClientConfig& config, embedding::Workers& workers);

  // From anybody, but for the kinds of dense sums. Throws rpc::BadMessage, as advance() does.
  void take(rpc::Message message);
  // Does the next piece of work that needs no caller; false when there is none.
  bool advance(Outbox& out);

  // What the caller must do next.
  enum class Has : std::uint8_t { nothing, batch, predict, pause, end };
  Has has() const { return has_; }

  // With a batch, to train on or to predict: its labels, dense features and lookups,
  const StepPart& batch() const { return part_; }
  std::int64_t step() const { return first_step_ + part_.head.batch; }
  // and its pooled rows, samples x width of all tables, here or in memory of the caller's.
  std::span<const float> pooled();
  void pooled(std::span<float> out) { pooled_.pool(part_, rows_, out, workers_); }
  // What the batch is a view of: who holds it may look at the batch when others have followed.
  std::shared_ptr<const rpc::Message> order() const { return order_; }

  // The gradient of the mean loss over the whole batch by what pooled() gave,
  void give_back(std::span<const float> gradients, Outbox& out);
  // or that, when multiplied with `share`, by table. One trainer has no use for a share but 1.
  void give_back(std::span<const embedding::TableGradients> gradients, float share, Outbox& out);
  // Every row that another trainer or the next batch needs is as it must be.
  bool shared() const { return sharing_ && !in_urgent_round(); }
  // Ends the step; `loss` is summed over the samples of this trainer.
  void finish(double loss, Outbox& out);

  void give_predictions(std::span<const float> logits, Outbox& out);

  // The servers have been sent all rows as they are. For a checkpoint this is its folder; otherwise empty.
  const std::filesystem::path& checkpoint() const { return checkpoint_; }
  void resume() { has_ = Has::nothing; }

  // While held, no step begins; a pause and the end still come.
  void hold(bool held) { held_ = held; }
  // Between two steps: takes no more of them, whatever the oracle has planned, and tells everybody.
  void leave(Outbox& out);
  // Batches that this trainer has finished.
  std::int64_t batches_done() const { return batches_done_; }

  // What is told of the step by finish(); drivers that know the time add it here.
  void waited(const Interval& when);
  void worked(const Interval& when) { account_.add(Activity::compute, when); }

 private:
  // Rows that were asked for, and where they go.
  struct Request {
    std::int64_t for_batch;
    std::size_t server;
    std::vector<std::pair<lookahead::Row, float*>> rows;
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
  // A row whose value this trainer answers for, by slot: until the batch that uses it next.
  struct Owned {
    lookahead::Row row = lookahead::kNoRow;
    std::int64_t until = 0;
  };

  void take_order(rpc::Message message);
  bool next_order(Outbox& out);
  bool begin_step(Outbox& out);
  void begin_prediction(Outbox& out);
  bool rows_are_here() const;
  void store_evictions(Outbox& out);
  void fetch_rows(Outbox& out);
  void fetch(Request request, std::int64_t clean_up, Outbox& out);
  void take_rows(const rpc::Message& message);
  void begin_round(Urgency when, Outbox& out);
  std::int64_t send_all(Kind kind, std::int64_t batch, std::vector<rpc::Buffer>& payloads, Outbox& out);
  bool advance_rounds(Outbox& out);
  bool advance_round(Round& round, Outbox& out);
  bool rounds_done(std::int64_t through) const;
  bool in_urgent_round() const;
  void remember_owned();
  void write_back(std::int64_t done_through, const std::string& folder, Outbox& out);
  void write_back(std::size_t server, std::int64_t done_through, const std::string& folder, Outbox& out);
  void report_finished(Outbox& out);

  const embedding::TableShare& share(std::size_t server, lookahead::Row row) const {
    return shares_[server][static_cast<std::size_t>(table(row))];
  }
  bool holds(std::size_t server, lookahead::Row row) const { return share(server, row).holds(id(row)); }

  Parties parties_;
  int rank_;
  std::int64_t first_step_;
  embedding::TablesConfig tables_;
  std::vector<embedding::RowLayout> layouts_;
  std::vector<std::vector<embedding::TableShare>> shares_;  // by server and table
  embedding::Workers& workers_;
  PooledRows pooled_;
  RowExchange exchange_;
  PeerInbox inbox_;
  embedding::SlotArena slots_;

  Has has_ = Has::nothing;
  bool stepping_ = false;  // a step is under way
  bool sharing_ = false;   // its gradients are back
  bool held_ = false;
  bool leaving_ = false;  // no more steps are taken
  std::int64_t batches_done_ = 0;
  bool paused_ = false;                  // since the last step there was a pause: its times do not count
  std::deque<rpc::Message> orders_;      // from the oracle, in order
  std::shared_ptr<rpc::Message> order_;  // the one under way
  StepPart part_;                        // a view of it
  std::vector<float*> rows_;             // of the part, by number
  std::vector<float> predicted_rows_;
  std::filesystem::path checkpoint_;
  std::int64_t requests_made_ = 0;
  std::map<std::int64_t, Request> requests_;  // under way, by number
  std::map<std::int64_t, int> outstanding_;   // requests under way, by the batch that needs them
  std::deque<Round> rounds_;
  std::vector<Owned> owned_;
  StepAccount account_;
};

}  // namespace overture::train
