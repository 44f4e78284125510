#include "overture/train/oracle.h"

#include <algorithm>
#include <utility>

#include "overture/lookahead/traffic.h"
#include "overture/rpc/wire.h"
#include "overture/train/step_account.h"

namespace overture::train {
namespace {

// Of the trainer that the others waited for.
void take_times(StepReport& report) {
  const TrainerTimes& slowest = *std::max_element(
      report.trainers.begin(), report.trainers.end(),
      [](const TrainerTimes& a, const TrainerTimes& b) { return a.compute_seconds < b.compute_seconds; });
  report.compute_seconds = slowest.compute_seconds;
  report.waited_for_plan_seconds = slowest.waited_for_plan_seconds;
  report.waited_for_rows_seconds = slowest.waited_for_rows_seconds;
  report.waited_for_peers_seconds = slowest.waited_for_peers_seconds;
}

}  // namespace

Oracle::Oracle(const TrainConfig& config, data::BatchSource& source, const RunOptions& options,
               std::int64_t first_step, std::int64_t first_sample)
    : config_(config),
      options_(options),
      parties_(config.parties()),
      first_step_(first_step),
      samples_(first_sample),
      orders_(make_orders(config, source, options.steps, first_step)) {
  remove_partial_checkpoints(options.checkpoints);
}

void Oracle::take(rpc::Message message, Outbox& /*out*/) {
  const bool expected = pause_ && pause_->answers_missing > 0;
  switch (kind_of(message)) {
    case Kind::finished: account(message); break;
    case Kind::saved:
      rpc::require(expected, "nothing was to be saved");
      --pause_->answers_missing;
      break;
    case Kind::dense_state:
      rpc::require(expected && pause_->dense, "nothing was to be saved");
      take_dense_state(std::move(message));
      break;
    case Kind::ask_save:
      rpc::require(message.from == parties_.trainer(0) && !asked_, "nobody else may ask for this");
      asked_ = message.step;
      break;
    case Kind::left: take_left(message); break;
    case Kind::predictions:
      rpc::require(pause_ && pause_->evaluator, "nothing was to be predicted");
      pause_->evaluator->take(message);
      break;
    default: throw rpc::BadMessage("the oracle does not take this kind of message");
  }
}

// One answer, in as many pieces as its senders say.
void Oracle::take_dense_state(rpc::Message message) {
  pause_->dense->take(std::move(message));
  if (!pause_->dense->complete()) return;
  parameters_ = pause_->dense->save(pause_->partial->path());
  pause_->dense.reset();
  --pause_->answers_missing;
}

// Steps that were handed out but that nobody takes any more have not been.
void Oracle::take_left(const rpc::Message& message) {
  rpc::require(message.step >= 0 && message.step <= sent_, "it left after a batch that was not handed out");
  if (++left_ < parties_.trainers) return;
  samples_ = samples_after(message.step);
  ended_ = ended_ && sent_ == message.step;
  sent_ = message.step;
  open_.erase(open_.lower_bound(sent_), open_.end());
}

std::int64_t Oracle::samples_after(std::int64_t batches) const {
  std::int64_t samples = samples_;
  for (auto later = open_.lower_bound(batches); later != open_.end(); ++later)
    samples -= later->second.report.samples;
  return samples;
}

bool Oracle::advance(Outbox& out) {
  if (done_) return false;
  if (pause_) return advance_pause(out);
  if (asked_) {
    begin_pause({.after = *asked_, .save = !options_.checkpoints.empty(), .asked = true}, out);
    asked_.reset();
    return true;
  }
  const bool left = left_ == parties_.trainers;
  const bool ending = ended_ || left || stop_wanted();
  const bool evaluate = evaluation_due(ending);
  if ((ending || evaluate) && !open_.empty()) return false;
  const bool save = save_due(ending);
  const bool hand_in = left && !std::exchange(handed_in_, left);  // what is left in caches
  if (save || evaluate || hand_in) {
    begin_pause({.after = sent_, .save = save, .evaluate = evaluate}, out);
    return true;
  }
  if (ending) {
    stopped_early_ = !ended_;
    stop_all(out);
    return true;
  }
  if (open_.size() >= lookahead::kStepsUnderWay) return false;
  next_step(out);
  return true;
}

bool Oracle::save_due(bool ending) const {
  if (options_.checkpoints.empty()) return false;
  if (ending && saved_ != sent_ && options_.checkpoint_at_end) return true;
  return sent_ > saved_ && is_multiple(steps_done(), options_.checkpoint_every);
}

bool Oracle::evaluation_due(bool ending) const {
  if (!options_.held_out || evaluated_ == sent_) return false;
  if (ending && ended_ && options_.evaluate_at_end) return true;
  return sent_ > 0 && is_multiple(steps_done(), options_.evaluate_every);
}

void Oracle::next_step(Outbox& out) {
  const std::optional<Orders::Handed> handed = orders_->next(out);
  ended_ = !handed || handed->purpose == Purpose::flush;
  if (!handed) return;
  open_[handed->batch].report = handed->report;
  if (ended_) return;
  ++sent_;
  samples_ += handed->report.samples;
}

void Oracle::begin_pause(Pause pause, Outbox& out) {
  std::filesystem::path folder;
  if (pause.save) {
    pause.partial = std::make_unique<PartialCheckpoint>(options_.checkpoints, first_step_ + pause.after);
    folder = pause.partial->path();
    pause.dense.emplace(parties_);
  }
  for (int trainer = 0; trainer < parties_.trainers; ++trainer) {
    rpc::Message message = make_message(Kind::save, parties_.trainer(trainer), pause.after - 1);
    rpc::WireWriter(message.payload).put(folder.string());
    out.push_back(std::move(message));
  }
  pause.answers_missing = config_.shares() + (pause.save ? 1 : 0);
  pause.since = std::chrono::steady_clock::now();
  pause_.emplace(std::move(pause));
}

bool Oracle::advance_pause(Outbox& out) {
  const bool steps_missing = !open_.empty() && open_.begin()->first < pause_->after;
  if (pause_->answers_missing > 0 || steps_missing) return false;
  if (pause_->evaluate) {
    if (!pause_->evaluator) {
      if (pause_->save) pause_->saving_seconds = lap();
      pause_->evaluator = std::make_unique<Evaluator>(parties_.trainers, *orders_, options_.held_out());
    }
    if (!pause_->evaluator->done()) return pause_->evaluator->advance(out);
    finish_evaluation();
  }
  end_pause(out);
  return true;
}

void Oracle::end_pause(Outbox& out) {
  if (pause_->save) finish_save();
  if (pause_->asked) {
    for (int trainer = 0; trainer < parties_.trainers; ++trainer) {
      rpc::Message message = make_message(Kind::kept, parties_.trainer(trainer), pause_->after);
      rpc::WireWriter(message.payload).put(pause_->save ? checkpoint_.string() : std::string());
      out.push_back(std::move(message));
    }
  }
  pause_.reset();
}

void Oracle::finish_evaluation() {
  const HeldOut held_out{.steps = steps_done(), .metrics = pause_->evaluator->metrics(), .seconds = lap()};
  evaluated_ = sent_;
  auc_ = held_out.metrics.auc;
  if (options_.on_evaluated) options_.on_evaluated(held_out);
}

void Oracle::finish_save() {
  const std::int64_t steps = first_step_ + pause_->after;
  const CheckpointInfo info{.steps = steps,
                            .samples = samples_after(pause_->after),
                            .servers = config_.shares(),
                            .division = config_.division,
                            .auc = evaluated_ == pause_->after ? auc_ : std::nullopt};
  pause_->partial->complete(config_, info, parameters_, {.every = options_.keep_every});
  checkpoint_ = complete_checkpoint(options_.checkpoints, steps);
  saved_ = pause_->after;
  if (options_.on_saved) options_.on_saved(pause_->saving_seconds + lap());
}

// Seconds of a pause that nobody has been told of.
double Oracle::lap() {
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::duration<double> took = now - std::exchange(pause_->since, now);
  return took.count();
}

void Oracle::stop_all(Outbox& out) {
  for (int party = 1; party < parties_.count(); ++party)
    out.push_back(make_message(Kind::stop, rpc::Address{party}, sent_));
  done_ = true;
}

void Oracle::account(const rpc::Message& message) {
  const auto found = open_.find(message.step);
  const int rank = parties_.rank(message.from);
  rpc::require(found != open_.end() && rank >= 0 && rank < parties_.trainers,
               "a step that was not handed out is finished");
  StepReport& report = found->second.report;
  StepAccount account = StepAccount::of(message);
  const TrainerReport& one = account.report;
  std::vector<double>& losses = found->second.losses;
  losses.resize(static_cast<std::size_t>(parties_.trainers));
  losses[static_cast<std::size_t>(rank)] = one.loss;
  report.fetched_rows += one.rows_fetched;
  report.fetched_bytes += one.bytes_fetched;
  report.stored_rows += one.rows_stored;
  report.stored_bytes += one.bytes_stored;
  report.trainers.resize(losses.size());
  report.trainers[static_cast<std::size_t>(rank)] = {one.compute, one.waited_for_plan, one.waited_for_rows,
                                                     one.waited_for_peers, std::move(account.spans)};
  if (++found->second.trainers < parties_.trainers) return;
  for (const double loss : losses) report.loss += loss;
  StepReport mean = report;
  take_times(mean);
  open_.erase(found);
  if (pause_ && message.step < pause_->after) pause_->since = std::chrono::steady_clock::now();
  if (mean.samples == 0 || !options_.on_step) return;  // the flush has none
  mean.loss /= static_cast<double>(mean.samples);
  options_.on_step(mean);
}

}  // namespace overture::train
