// DenseStep: how the dense part of a step is trained: every trainer adds up its share of the gradients of
// all, changes that share of the parameters, and sends it to the others. So no work is done twice, and only
// the trainer of a share knows what the optimizer remembers of it.
#pragma once

#include <cstdint>

#include "overture/train/dense_sums.h"
#include "overture/train/learner.h"

namespace overture::train {

class DenseStep {
 public:
  // `learner` outlives the object.
  DenseStep(Learner& learner, const Parties& parties, int rank)
      : learner_(learner), alone_(parties.trainers == 1), sums_(parties, rank) {}

  // Of the kinds dense_gradients and dense_shares.
  void take(rpc::Message message) { sums_.take(std::move(message)); }

  // Once the learner has the gradients of a batch.
  void begin(std::int64_t batch, std::int64_t step, Outbox& out);
  // False when it must wait, or is done.
  bool advance(Outbox& out);
  // The parameters are those after the batch.
  bool done() const { return done_; }

 private:
  Learner& learner_;
  bool alone_;
  DenseSums sums_;
  std::int64_t step_ = 0;
  bool done_ = true;
};

}  // namespace overture::train
