// Trainer: a party that trains one of our models: a TableClient for the rows, a Learner for the model, and
// the sums of dense gradients over all trainers between them.
#pragma once

#include <cstdint>

#include "overture/train/dense_sums.h"
#include "overture/train/learner.h"
#include "overture/train/party.h"
#include "overture/train/table_client.h"

namespace overture::train {

class Trainer final : public Party {
 public:
  // `first_step` is that of the first batch: 0, or more in a resumed run.
  Trainer(const TrainConfig& config, int rank, std::int64_t first_step);

  void take(rpc::Message message, Outbox& out) override;
  bool advance(Outbox& out) override;
  bool done() const override { return client_.has() == TableClient::Has::end; }
  void waited(const Interval& when) override { client_.waited(when); }
  void worked(const Interval& when) override { client_.worked(when); }
  void watch(Marks& marks) override { learner_.workers().watch(&marks); }

  Learner& learner() { return learner_; }

 private:
  bool serve_client(Outbox& out);
  bool add_up(Outbox& out);
  void compute(Outbox& out);
  bool finish_step(Outbox& out);

  Parties parties_;
  int rank_;
  Learner learner_;
  TableClient client_;
  DenseSums sums_;
  bool dense_done_ = true;  // the parameters have been changed by the batch under way
  double loss_ = 0;         // of it
};

}  // namespace overture::train
