#include "overture/train/dense_step.h"

namespace overture::train {

void DenseStep::begin(std::int64_t batch, std::int64_t step, Outbox& out) {
  step_ = step;
  done_ = false;
  if (alone_) return;
  sums_.begin(batch, learner_.parameters().gradients(), out);
  learner_.workers().done(Work::pack_dense, {learner_.parameters().size(), 0, 0});
}

bool DenseStep::advance(Outbox& out) {
  if (done_) return false;
  if (alone_) {
    learner_.update_dense(step_);
    done_ = true;
    return true;
  }
  if (sums_.summed()) {
    learner_.update_dense(step_, sums_.own_share());
    sums_.share(learner_.parameters().values(), out);
    return true;
  }
  if (!sums_.advance()) return false;
  learner_.workers().done(sums_.done() ? Work::take_dense : Work::add_dense,
                          {learner_.parameters().size(), 0, 0});
  done_ = sums_.done();
  return true;
}

}  // namespace overture::train
