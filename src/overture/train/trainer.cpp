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
      dense_(learner_, parties_, rank) {}

void Trainer::take(rpc::Message message, Outbox& /*out*/) {
  const bool dense = kind_of(message) == Kind::dense_gradients || kind_of(message) == Kind::dense_shares;
  if (dense) {
    dense_.take(std::move(message));
  } else {
    client_.take(std::move(message));
  }
}

bool Trainer::advance(Outbox& out) {
  if (serve_client(out) || dense_.advance(out) || finish_step(out)) return true;
  return client_.advance(out);
}

bool Trainer::serve_client(Outbox& out) {
  switch (client_.has()) {
    case TableClient::Has::batch: compute(out); return true;
    case TableClient::Has::predict:
      client_.give_predictions(learner_.predict(client_.batch(), client_.pooled()), out);
      return true;
    case TableClient::Has::pause:
      if (!client_.checkpoint().empty()) out.push_back(dense_state_message(learner_, parties_, rank_));
      client_.resume();
      return true;
    case TableClient::Has::end:
    case TableClient::Has::nothing: return false;
  }
  return false;
}

void Trainer::compute(Outbox& out) {
  loss_ = learner_.learn(client_.batch(), client_.pooled(), client_.step());
  computed_ = true;
  dense_.begin(client_.batch().head.batch, client_.step(), out);
  client_.give_back(learner_.pooled_gradients(), out);
}

bool Trainer::finish_step(Outbox& out) {
  if (!computed_ || !dense_.done() || !client_.shared()) return false;
  computed_ = false;
  client_.finish(loss_, out);
  return true;
}

}  // namespace overture::train
