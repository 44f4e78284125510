#include "overture/train/local_training.h"

#include <chrono>
#include <utility>

#include "overture/base/error.h"

namespace overture::train {
namespace {

TrainConfig in_one_place(TrainConfig config) {
  config.trainers = config.servers = 1;
  config.cache = {.lookahead = 1};
  validate(config);
  return config;
}

}  // namespace

LocalTraining::LocalTraining(TrainConfig config, const std::filesystem::path& checkpoint)
    : config_(in_one_place(std::move(config))),
      learner_(config_),
      tables_(config_.tables, {}, learner_.workers()),
      rows_(config_) {
  if (checkpoint.empty()) return;
  info_ = read_manifest(config_, checkpoint);
  load_dense(learner_, checkpoint);
  load_rows(tables_, info_, checkpoint);
  info_.servers = 1;
}

double LocalTraining::train(const data::Batch& batch, std::int64_t step) {
  const StepPart part =
      rows_.look_up(batch, [this](std::int64_t table, std::int64_t id) { return tables_.row(table, id); });
  const double loss = learner_.learn(part, rows_.places(), step);
  learner_.update_dense(step);
  learner_.update_rows(rows_.places(), step);
  return loss / static_cast<double>(batch.samples);
}

StepReport LocalTraining::step(const data::Batch& batch, std::int64_t step) {
  const auto started = std::chrono::steady_clock::now();
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
          .compute_seconds = took.count()};
}

RunResult LocalTraining::run(data::BatchSource& source, const RunOptions& options) {
  source.skip(info_.steps);
  RunResult result;
  data::Batch batch;
  for (std::int64_t done = 0; done != options.steps; ++done) {
    result.stopped_early = options.stop && options.stop();
    if (result.stopped_early || !source.next(batch)) break;
    const StepReport report = step(batch, info_.steps);
    ++info_.steps;
    info_.samples += batch.samples;
    if (options.on_step) options.on_step(report);
    if (options.evaluate && is_multiple(info_.steps, options.evaluate_every)) options.evaluate(info_.steps);
    if (is_multiple(info_.steps, options.checkpoint_every)) save(options);
  }
  save(options);
  result.steps = info_.steps;
  if (!options.checkpoints.empty()) result.checkpoint = complete_checkpoint(options.checkpoints, info_.steps);
  return result;
}

void LocalTraining::save(const RunOptions& options) {
  if (options.checkpoints.empty()) return;
  const std::filesystem::path folder = partial_checkpoint(options.checkpoints, info_.steps);
  make_partial_checkpoint(folder);
  save_rows(tables_, folder);
  save_dense(learner_.parameters().values(), learner_.optimizer().state(), folder);
  complete(config_, info_, learner_.parameters().size(), options.checkpoints);
}

std::span<const float> LocalTraining::predict(const data::Batch& batch) {
  const StepPart part =
      rows_.look_up(batch, [this](std::int64_t table, std::int64_t id) { return tables_.row(table, id); });
  return learner_.predict(part, rows_.places());
}

}  // namespace overture::train
