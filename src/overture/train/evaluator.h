// Evaluator: the oracle's part in an evaluation: hands whole batches of held-out samples to the trainers in
// turn, and takes their predictions in order. A batch is computed by one trainer, so that the result is the
// same for any number of them. The servers must have all rows as they are.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "overture/data/batch.h"
#include "overture/data/metrics.h"
#include "overture/train/messages.h"
#include "overture/train/orders.h"

namespace overture::train {

class Evaluator {
 public:
  // `orders` outlive it.
  Evaluator(int trainers, Orders& orders, std::unique_ptr<data::BatchSource> source);

  // Predictions. Throws rpc::BadMessage.
  void take(const rpc::Message& message);
  bool advance(Outbox& out);
  bool done() const { return ended_ && open_.empty(); }
  data::Metrics metrics() { return evaluation_.metrics(); }

 private:
  struct Open {  // a batch that is being predicted
    std::vector<float> labels;
    std::vector<float> probabilities;
  };

  int trainers_;
  Orders& orders_;
  std::unique_ptr<data::BatchSource> source_;
  data::Evaluation evaluation_;
  data::Batch batch_;
  std::int64_t sent_ = 0;
  std::map<std::int64_t, Open> open_;  // by number
  bool ended_ = false;
};

// Adds what a model says of some samples.
void add_predictions(std::span<const float> logits, std::span<const float> labels,
                     data::Evaluation& evaluation);

}  // namespace overture::train
