#include "overture/train/trainer.h"

#include <utility>

#include "overture/train/dense_state.h"

namespace overture::train {

Trainer::Trainer(const TrainConfig& config, int rank, std::int64_t first_step)
    : parties_(config.parties()),
      rank_(rank),
      learner_(config),
      client_({.tables = config.tables,
               .division = config.division,
               .parties = parties_,
               .rank = rank,
               .first_step = first_step},
              learner_.workers()),
      sums_(parties_, rank) {}

void Trainer::take(rpc::Message message, Outbox& /*out*/) {
  const bool dense = kind_of(message) == Kind::dense_gradients || kind_of(message) == Kind::dense_sums;
  if (dense) {
    sums_.take(std::move(message));
  } else {
    client_.take(std::move(message));
  }
}

bool Trainer::advance(Outbox& out) {
  if (serve_client(out) || add_up(out) || finish_step(out)) return true;
  return client_.advance(out);
}

bool Trainer::add_up(Outbox& out) {
  const bool summing = sums_.summing();
  if (!sums_.advance(out)) return false;
  learner_.workers().done(summing ? Work::add_dense : Work::take_dense, {learner_.parameters().size(), 0, 0});
  return true;
}

bool Trainer::serve_client(Outbox& out) {
  switch (client_.has()) {
    case TableClient::Has::batch: compute(out); return true;
    case TableClient::Has::predict:
      client_.give_predictions(learner_.predict(client_.batch(), client_.pooled()), out);
      return true;
    case TableClient::Has::pause:
      if (rank_ == 0 && !client_.checkpoint().empty()) out.push_back(dense_state_message(learner_, parties_));
      client_.resume();
      return true;
    case TableClient::Has::end:
    case TableClient::Has::nothing: return false;
  }
  return false;
}

void Trainer::compute(Outbox& out) {
  loss_ = learner_.learn(client_.batch(), client_.pooled(), client_.step());
  dense_done_ = false;
  if (parties_.trainers > 1) {
    sums_.begin(client_.batch().head.batch, learner_.parameters().gradients(), out);
    learner_.workers().done(Work::pack_dense, {learner_.parameters().size(), 0, 0});
  }
  client_.give_back(learner_.pooled_gradients(), out);
}

// First the parameters, then what others wait for no longer.
bool Trainer::finish_step(Outbox& out) {
  if (!dense_done_ && sums_.done()) {
    learner_.update_dense(client_.step());
    dense_done_ = true;
    return true;
  }
  if (!dense_done_ || !client_.shared()) return false;
  client_.finish(loss_, out);
  return true;
}

}  // namespace overture::train
