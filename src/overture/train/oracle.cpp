#include "overture/train/oracle.h"

#include <algorithm>
#include <utility>

#include "overture/rpc/wire.h"
#include "overture/train/checkpoint.h"

namespace overture::train {
namespace {

// Steps that may be under way at once: enough that trainers never wait for a plan, few enough that stopping
// is quick.
constexpr std::size_t kStepsUnderWay = 3;

// Everything but the ids, which the plan has turned into numbers of rows.
data::Batch without_ids(const data::Batch& batch) {
  data::Batch kept{.samples = batch.samples,
                   .dense_features = batch.dense_features,
                   .labels = batch.labels,
                   .dense = batch.dense,
                   .tables = {}};
  for (const data::Bags& bags : batch.tables)
    kept.tables.push_back({.ids = {}, .offsets = bags.offsets, .weights = bags.weights});
  return kept;
}

StepReport report_of(const lookahead::StepPlan& plan, std::int64_t step, std::int64_t samples) {
  StepReport report{.step = step,
                    .samples = samples,
                    .lookups = plan.lookups,
                    .rows = std::ssize(plan.rows),
                    .hits = plan.hits(),
                    .resident_rows = plan.resident,
                    .window = plan.window_end - plan.batch + 1};
  for (const lookahead::PlannedRow& row : plan.rows) {
    report.critical_rows += row.sync == lookahead::Sync::now ? 1 : 0;
    report.delayed_rows += row.sync == lookahead::Sync::later ? 1 : 0;
  }
  return report;
}

// Of the trainer that the others waited for.
void take_times(StepReport& report) {
  const TrainerTimes& slowest = *std::max_element(
      report.trainers.begin(), report.trainers.end(),
      [](const TrainerTimes& a, const TrainerTimes& b) { return a.compute_seconds < b.compute_seconds; });
  report.compute_seconds = slowest.compute_seconds;
  report.waited_for_plan_seconds = slowest.waited_for_plan_seconds;
  report.waited_for_rows_seconds = slowest.waited_for_rows_seconds;
  report.waited_for_peers_seconds = slowest.waited_for_peers_seconds;
  if (report.trainers.size() == 1) report.trainers.clear();
}

}  // namespace

Oracle::Oracle(const TrainConfig& config, data::BatchSource& source, const RunOptions& options,
               std::int64_t first_step, std::int64_t first_sample)
    : config_(config),
      source_(source),
      options_(options),
      parties_{config.trainers, config.servers},
      first_step_(first_step),
      samples_(first_sample),
      planner_(config.planner()) {}

void Oracle::take(rpc::Message message, Outbox& /*out*/) {
  const bool expected = pause_ && pause_->answers_missing > 0;
  switch (kind_of(message)) {
    case Kind::finished: account(message); break;
    case Kind::saved:
      rpc::require(expected, "nothing was to be saved");
      --pause_->answers_missing;
      break;
    case Kind::dense_state:
      rpc::require(expected && pause_->save, "nothing was to be saved");
      take_dense_state(message);
      --pause_->answers_missing;
      break;
    case Kind::predictions:
      rpc::require(pause_ && pause_->evaluator, "nothing was to be predicted");
      pause_->evaluator->take(message);
      break;
    default: throw rpc::BadMessage("the oracle does not take this kind of message");
  }
}

void Oracle::take_dense_state(const rpc::Message& message) {
  rpc::WireReader in(message.payload);
  const auto values = in.array<float>();
  parameters_ = std::ssize(values);
  save_dense(values, in.array<float>(), partial_checkpoint(options_.checkpoints, steps_done()));
}

bool Oracle::advance(Outbox& out) {
  if (done_) return false;
  if (pause_) return advance_pause(out);
  const bool ending = flushed_ || stop_wanted();
  const bool evaluate = evaluation_due(ending);
  if ((ending || evaluate) && !open_.empty()) return false;
  const bool save = save_due(ending);
  if (save || evaluate) {
    begin_pause(save, evaluate, out);
    return true;
  }
  if (ending) {
    stopped_early_ = !flushed_;
    stop_all(out);
    return true;
  }
  if (open_.size() >= kStepsUnderWay) return false;
  plan_step(out);
  return true;
}

bool Oracle::save_due(bool ending) const {
  if (options_.checkpoints.empty()) return false;
  if (ending && saved_ != sent_) return true;
  return sent_ > saved_ && is_multiple(steps_done(), options_.checkpoint_every);
}

bool Oracle::evaluation_due(bool ending) const {
  if (!options_.held_out || evaluated_ == sent_) return false;
  if (ending && flushed_ && options_.evaluate_at_end) return true;
  return sent_ > 0 && is_multiple(steps_done(), options_.evaluate_every);
}

void Oracle::plan_step(Outbox& out) {
  while (!planner_.next(plan_)) read_batch();
  hand_out(out);
}

void Oracle::read_batch() {
  if (batches_read_ == options_.steps || !source_.next(read_)) {
    planner_.end_of_stream();
    return;
  }
  ++batches_read_;
  feed(planner_, read_);
  batches_.push_back(without_ids(read_));
}

void Oracle::hand_out(Outbox& out) {
  static const data::Batch kNothing;
  const data::Batch& batch = plan_.flush ? kNothing : batches_.front();
  const StepHead head{.batch = plan_.batch,
                      .slots = planner_.slots(),
                      .global_samples = batch.samples,
                      .purpose = plan_.flush ? Purpose::flush : Purpose::train,
                      .clean_up = static_cast<std::uint8_t>(plan_.clean_up)};
  for (int trainer = 0; trainer < parties_.trainers; ++trainer) {
    rpc::Message message = make_message(Kind::step, parties_.trainer(trainer), plan_.batch);
    encoder_.encode(head, batch, plan_, trainer, parties_.trainers, message.payload);
    out.push_back(std::move(message));
  }
  open_[plan_.batch].report = report_of(plan_, first_step_ + plan_.batch, batch.samples);
  flushed_ = plan_.flush;
  if (plan_.flush) return;
  ++sent_;
  samples_ += batch.samples;
  batches_.pop_front();
}

void Oracle::begin_pause(bool save, bool evaluate, Outbox& out) {
  const std::filesystem::path folder =
      save ? partial_checkpoint(options_.checkpoints, steps_done()) : std::filesystem::path();
  if (save) make_partial_checkpoint(folder);
  for (int trainer = 0; trainer < parties_.trainers; ++trainer) {
    rpc::Message message = make_message(Kind::save, parties_.trainer(trainer), sent_ - 1);
    rpc::WireWriter(message.payload).put(folder.string());
    out.push_back(std::move(message));
  }
  pause_ = {.save = save, .evaluate = evaluate, .answers_missing = parties_.servers + (save ? 1 : 0)};
}

bool Oracle::advance_pause(Outbox& out) {
  if (pause_->answers_missing > 0) return false;
  if (pause_->evaluate) {
    if (!pause_->evaluator) {
      pause_->began = std::chrono::steady_clock::now();
      pause_->evaluator.emplace(config_, options_.held_out());
    }
    if (!pause_->evaluator->done()) return pause_->evaluator->advance(out);
    finish_evaluation();
  }
  if (pause_->save) finish_save();
  pause_.reset();
  return true;
}

void Oracle::finish_evaluation() {
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - pause_->began;
  const HeldOut held_out{
      .steps = steps_done(), .metrics = pause_->evaluator->metrics(), .seconds = took.count()};
  evaluated_ = sent_;
  auc_ = held_out.metrics.auc;
  if (options_.on_evaluated) options_.on_evaluated(held_out);
}

void Oracle::finish_save() {
  const CheckpointInfo info{.steps = steps_done(),
                            .samples = samples_,
                            .servers = parties_.servers,
                            .sharding = config_.sharding,
                            .auc = evaluated_ == sent_ ? auc_ : std::nullopt};
  complete(config_, info, parameters_, options_.checkpoints, {.every = options_.keep_every});
  checkpoint_ = complete_checkpoint(options_.checkpoints, steps_done());
  saved_ = sent_;
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
  const auto one = rpc::WireReader(message.payload).get<TrainerReport>();
  std::vector<double>& losses = found->second.losses;
  losses.resize(static_cast<std::size_t>(parties_.trainers));
  losses[static_cast<std::size_t>(rank)] = one.loss;
  report.fetched_rows += one.rows_fetched;
  report.fetched_bytes += one.bytes_fetched;
  report.stored_rows += one.rows_stored;
  report.stored_bytes += one.bytes_stored;
  report.trainers.resize(losses.size());
  report.trainers[static_cast<std::size_t>(rank)] = {one.compute, one.waited_for_plan, one.waited_for_rows,
                                                     one.waited_for_peers};
  if (++found->second.trainers < parties_.trainers) return;
  for (const double loss : losses) report.loss += loss;
  StepReport mean = report;
  take_times(mean);
  open_.erase(found);
  if (mean.samples == 0 || !options_.on_step) return;  // the flush has none
  mean.loss /= static_cast<double>(mean.samples);
  options_.on_step(mean);
}

}  // namespace overture::train
