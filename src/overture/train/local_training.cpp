#include "overture/train/local_training.h"

#include <chrono>
#include <utility>

#include "overture/train/evaluator.h"

namespace overture::train {
namespace {

TrainConfig in_one_place(TrainConfig config) {
  config.trainers = config.servers = 1;
  config.cache = {.lookahead = 1};
  config.division = {};
  validate(config);
  return config;
}

}  // namespace

LocalTraining::LocalTraining(TrainConfig config, const std::filesystem::path& checkpoint)
    : config_(in_one_place(std::move(config))),
      learner_(config_),
      tables_(config_.tables, {}, learner_.workers()),
      rows_(config_),
      pooled_(config_.tables) {
  if (checkpoint.empty()) return;
  info_ = read_manifest(config_, checkpoint);
  load_dense(learner_, checkpoint);
  load_rows(tables_, info_, checkpoint);
  info_.servers = 1;
  info_.division = config_.division;
  first_step_ = info_.steps;
}

StepPart LocalTraining::look_up(const data::Batch& batch) {
  return rows_.look_up(batch, [this](std::int64_t table, std::int64_t id) { return tables_.row(table, id); });
}

double LocalTraining::train(const data::Batch& batch, std::int64_t step) {
  const StepPart part = look_up(batch);
  const double loss = learner_.learn(part, pooled_.pool(part, rows_.places(), learner_.workers()), step);
  learner_.update_dense(step);
  pooled_.update(pooled_.as_pooled(learner_.pooled_gradients()), rows_.places(), step, learner_.workers());
  return loss / static_cast<double>(batch.samples);
}

StepReport LocalTraining::step(const data::Batch& batch, std::int64_t step) {
  const auto now = [] {
    return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  };
  const auto started = std::chrono::steady_clock::now();
  const std::int64_t begin = now();
  const double loss = train(batch, step);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  const lookahead::StepPlan& plan = rows_.plan();
  return {.step = step,
          .samples = batch.samples,
          .loss = loss,
          .lookups = plan.lookups,
          .rows = std::ssize(plan.rows),
          .hits = std::ssize(plan.rows),
          .window = 1,
          .compute_seconds = took.count(),
          .trainers = {{.compute_seconds = took.count(), .spans = {{begin, now(), Activity::compute}}}}};
}

RunResult LocalTraining::run(data::BatchSource& source, const RunOptions& options) {
  source.skip(info_.steps);
  remove_partial_checkpoints(options.checkpoints);
  RunResult result;
  data::Batch batch;
  for (std::int64_t done = 0; done != options.steps; ++done) {
    result.stopped_early = options.stop && options.stop();
    if (result.stopped_early || !source.next(batch)) break;
    const StepReport report = step(batch, info_.steps);
    ++info_.steps;
    info_.samples += batch.samples;
    if (options.on_step) options.on_step(report);
    if (is_multiple(info_.steps, options.evaluate_every)) evaluate(options);
    if (is_multiple(info_.steps, options.checkpoint_every)) save(options);
  }
  if (options.evaluate_at_end && !result.stopped_early && evaluated_ != info_.steps) evaluate(options);
  save(options);
  result.steps = info_.steps;
  if (!options.checkpoints.empty()) result.checkpoint = complete_checkpoint(options.checkpoints, info_.steps);
  return result;
}

void LocalTraining::evaluate(const RunOptions& options) {
  if (!options.held_out) return;
  const auto began = std::chrono::steady_clock::now();
  const auto source = options.held_out();
  data::Evaluation evaluation;
  for (data::Batch batch; source->next(batch);) add_predictions(predict(batch), batch.labels, evaluation);
  const data::Metrics metrics = evaluation.metrics();
  evaluated_ = info_.steps;
  info_.auc = metrics.auc;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  if (options.on_evaluated)
    options.on_evaluated({.steps = info_.steps, .metrics = metrics, .seconds = took.count()});
}

void LocalTraining::save(const RunOptions& options) {
  if (options.checkpoints.empty()) return;
  const auto began = std::chrono::steady_clock::now();
  PartialCheckpoint partial(options.checkpoints, info_.steps);
  save_rows(tables_, partial.path());
  save_dense(learner_.parameters().values(), learner_.optimizer().state(), partial.path());
  if (evaluated_ != info_.steps) info_.auc.reset();
  partial.complete(config_, info_, learner_.parameters().size(), {.every = options.keep_every});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  if (options.on_saved) options.on_saved(took.count());
}

std::span<const float> LocalTraining::predict(const data::Batch& batch) {
  const StepPart part = look_up(batch);
  return learner_.predict(part, pooled_.pool(part, rows_.places(), learner_.workers()));
}

}  // namespace overture::train
