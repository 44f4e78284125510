#include "overture/train/hosted_trainer.h"

#include <utility>

#include <fmt/format.h>

#include "overture/base/check.h"
#include "overture/base/error.h"
#include "overture/train/dense_state.h"

namespace overture::train {

HostedTrainer::HostedTrainer(const TrainConfig& config, int rank, std::int64_t first_step)
    : parties_(config.parties()),
      rank_(rank),
      workers_(config.threads),
      client_({.tables = config.tables,
               .division = config.division,
               .parties = parties_,
               .rank = rank,
               .first_step = first_step},
              workers_) {}

void HostedTrainer::take(rpc::Message message, Outbox& /*out*/) {
  if (kind_of(message) == Kind::left) {
    const int trainer = parties_.rank(message.from);
    rpc::require(trainer >= 0 && trainer < parties_.trainers, "it is not a trainer");
    left_.push_back({trainer, message.step});
    check_all_go_on();
  } else if (kind_of(message) == Kind::kept) {
    kept_ = rpc::WireReader(message.payload).text();
    client_.hold(false);
    idle_ = true;
  } else {
    client_.take(std::move(message));
  }
}

bool HostedTrainer::advance(Outbox& out) {
  switch (client_.has()) {
    case TableClient::Has::batch: compute(out); return true;
    case TableClient::Has::pause: pause(out); return true;
    case TableClient::Has::predict:
      throw rpc::BadMessage("a model that another program computes is not asked for predictions");
    case TableClient::Has::end: return false;
    case TableClient::Has::nothing: break;
  }
  if (client_.shared()) {
    client_.finish(loss_, out);
    idle_ = true;
    return true;
  }
  if (!idle_) return client_.advance(out);
  be_idle(out);
  return true;
}

void HostedTrainer::be_idle(Outbox& out) {
  const Wish wish = ask(Turn::idle);
  workers_.done(Work::other, {});
  idle_ = false;
  if (wish.kind == Wish::Kind::save) begin_save(out);
  if (wish.kind == Wish::Kind::leave) {
    leaving_ = true;
    client_.leave(out);
  }
  check_all_go_on();
}

// Every trainer's host calls for it at the same step; the first one's is heard.
void HostedTrainer::begin_save(Outbox& out) {
  client_.hold(true);
  if (rank_ == 0) out.push_back(make_message(Kind::ask_save, parties_.oracle(), client_.batches_done()));
}

void HostedTrainer::compute(Outbox& out) {
  const Wish wish = ask(Turn::batch);
  check(wish.kind == Wish::Kind::give_back, "a batch is answered with gradients");
  workers_.done(Work::model, {client_.batch().head.samples, 0, 0});
  loss_ = wish.loss;
  client_.give_back(wish.gradients, 1.0f / static_cast<float>(parties_.trainers), out);
}

void HostedTrainer::pause(Outbox& out) {
  if (rank_ == 0 && !client_.checkpoint().empty()) {
    const Wish wish = ask(Turn::pause);
    out.push_back(dense_state_message(wish.state, parties_));
  }
  client_.resume();
}

// Trainers share every batch, so they take equally many.
void HostedTrainer::check_all_go_on() const {
  if (idle_ || leaving_) return;
  for (const Left& left : left_) {
    if (client_.batches_done() < left.batches) continue;
    throw UserError(fmt::format("trainer {} has ended after {} batches, but this one continues", left.trainer,
                                left.batches),
                    "let all trainers take equally many batches");
  }
}

HostedTrainer::Wish HostedTrainer::ask(Turn turn) {
  std::unique_lock lock(mutex_);
  if (turn == Turn::idle && !abandoned_ && std::exchange(next_wanted_, false)) return {};
  wish_.reset();
  turn_ = turn;
  lock.unlock();  // or whoever is woken would wait for it once more
  changed_.notify_all();
  lock.lock();
  changed_.wait(lock, [&] { return wish_ || abandoned_; });
  if (abandoned_) throw UserError(*abandoned_);
  return *std::exchange(wish_, std::nullopt);
}

void HostedTrainer::abandon(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (!abandoned_) abandoned_ = why;
  }
  changed_.notify_all();
}

void HostedTrainer::obey(Wish wish) {
  {
    const std::lock_guard lock(mutex_);
    if (turn_ == Turn::end || turn_ == Turn::failed) return;
    check(turn_ != Turn::none, "the host speaks in its turn");
    turn_ = Turn::none;
    wish_ = std::move(wish);
  }
  changed_.notify_all();
}

void HostedTrainer::next() {
  {
    const std::lock_guard lock(mutex_);
    if (turn_ == Turn::end || turn_ == Turn::failed) return;
    if (turn_ != Turn::idle) {
      next_wanted_ = true;
      return;
    }
    turn_ = Turn::none;
    wish_ = Wish();
  }
  changed_.notify_all();
}

void HostedTrainer::give_back(std::vector<embedding::TableGradients> gradients, double loss) {
  obey({.kind = Wish::Kind::give_back, .gradients = std::move(gradients), .loss = loss});
}

HostedTrainer::Turn HostedTrainer::wait(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [&] { return turn_ != Turn::none || nudged_; });
  nudged_ = false;
  return turn_;
}

void HostedTrainer::nudge() {
  {
    const std::lock_guard lock(mutex_);
    nudged_ = true;
  }
  changed_.notify_all();
}

void HostedTrainer::ended(std::exception_ptr failure) {
  {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(failure);
    turn_ = failure_ == nullptr ? Turn::end : Turn::failed;
  }
  changed_.notify_all();
}

void HostedTrainer::rethrow_failure() const {
  const std::lock_guard lock(mutex_);
  if (failure_ != nullptr) std::rethrow_exception(failure_);
}

}  // namespace overture::train
