// ShardedTrainer: a trainer that holds some of the tables itself, whole ones, beside its copy of the model;
// there are no servers and no cache. In every step each trainer pools the rows of its tables for the samples
// of all, and they exchange these (all-to-all), then the gradients of them the same way back, as
// facebookresearch/dlrm and TorchRec do. The result is that of cached training, bit for bit; it is what the
// cache is compared with.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "overture/train/dense_step.h"
#include "overture/train/learner.h"
#include "overture/train/party.h"
#include "overture/train/peer_inbox.h"
#include "overture/train/step_account.h"
#include "overture/train/table_shard.h"

namespace overture::train {

class ShardedTrainer final : public Party {
 public:
  // `first_step` is that of the first batch: 0, or more in a resumed run.
  ShardedTrainer(const TrainConfig& config, int rank, std::int64_t first_step);

  void take(rpc::Message message, Outbox& out) override;
  bool advance(Outbox& out) override;
  bool done() const override { return done_; }
  void waited(const Interval& when) override;
  void worked(const Interval& when) override { account_.add(Activity::compute, when); }
  void watch(Marks& marks) override { learner_.workers().watch(&marks); }

  Learner& learner() { return learner_; }
  embedding::Tables& tables() { return shard_.tables(); }

 private:
  enum class Stage : std::uint8_t { idle, pooled, gradients };  // what it waits for

  bool next_order(Outbox& out);
  void begin_step(Outbox& out);
  bool compute(Outbox& out);
  void assemble(const std::vector<rpc::Message>& received);
  void send_gradients(Outbox& out);
  bool take_gradients();
  bool finish_step(Outbox& out);
  void save(Outbox& out);
  StepPart part() const;

  Parties parties_;
  int rank_;
  std::int64_t first_step_;
  Learner learner_;
  std::vector<std::vector<std::size_t>> tables_;  // by trainer
  std::vector<std::int64_t> columns_;             // where a table begins in a sample's pooled rows
  std::vector<std::int64_t> dims_;
  std::int64_t width_;  // of all tables
  TableShard shard_;
  DenseStep dense_;
  PeerInbox inbox_;

  Stage stage_ = Stage::idle;
  std::deque<rpc::Message> orders_;
  rpc::Message under_way_;
  ShardOrder order_;        // a view of it
  Floats pooled_;           // samples x width_
  bool rows_done_ = false;  // the step under way has changed them
  bool done_ = false;
  bool paused_ = false;  // since the last step: its times do not count
  StepAccount account_;
};

}  // namespace overture::train
