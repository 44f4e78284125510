// Trainer: a party that trains one of our models: a TableClient for the rows, a Learner for the model, and a
// DenseStep for what the trainers' models have in common.
#pragma once

#include <cstdint>

#include "overture/train/dense_step.h"
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
  void compute(Outbox& out);
  bool finish_step(Outbox& out);

  Parties parties_;
  int rank_;
  Learner learner_;
  TableClient client_;
  DenseStep dense_;
  bool computed_ = false;  // the batch under way
  double loss_ = 0;        // of it
};

}  // namespace overture::train
