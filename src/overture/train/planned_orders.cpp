#include "overture/train/planned_orders.h"

#include <utility>

namespace overture::train {
namespace {

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

}  // namespace

PlannedOrders::PlannedOrders(const TrainConfig& config, data::BatchSource& source, std::int64_t steps,
                             std::int64_t first_step)
    : parties_(config.parties()),
      source_(source),
      steps_(steps),
      first_step_(first_step),
      planner_(config.planner()),
      predicted_rows_(config) {}

void PlannedOrders::read_batch() {
  if (batches_read_ == steps_ || !source_.next(read_)) {
    planner_.end_of_stream();
    return;
  }
  std::int64_t lookups = 0;
  for (const data::Bags& bags : read_.tables) lookups += std::ssize(bags.ids);
  mark(Work::read_data, {read_.samples, lookups, 0}, batches_read_);
  feed(planner_, read_);
  batches_.push_back(without_ids(read_));
  mark(Work::look_ahead, {lookups, 0, 0}, batches_read_++);
}

std::optional<Orders::Handed> PlannedOrders::next(Outbox& out) {
  while (!planner_.next(plan_)) read_batch();
  encoder_.split(plan_, parties_.trainers);
  mark(Work::plan, {plan_.lookups, std::ssize(plan_.rows), 0}, plan_.batch);
  static const data::Batch kNothing;
  const data::Batch& batch = plan_.flush ? kNothing : batches_.front();
  const StepHead head{.batch = plan_.batch,
                      .slots = planner_.slots(),
                      .global_samples = batch.samples,
                      .purpose = plan_.flush ? Purpose::flush : Purpose::train,
                      .clean_up = static_cast<std::uint8_t>(plan_.clean_up)};
  for (int trainer = 0; trainer < parties_.trainers; ++trainer) {
    rpc::Message message = make_message(Kind::step, parties_.trainer(trainer), plan_.batch);
    encoder_.encode(head, batch, trainer, message.payload);
    mark(Work::pack_order, {static_cast<std::int64_t>(message.payload.size()), std::ssize(plan_.rows), 0},
         plan_.batch);
    out.push_back(std::move(message));
  }
  Handed handed{.batch = plan_.batch,
                .purpose = head.purpose,
                .report = report_of(plan_, first_step_ + plan_.batch, batch.samples)};
  if (!plan_.flush) batches_.pop_front();
  return handed;
}

void PlannedOrders::predict(const data::Batch& batch, std::int64_t number, int trainer, Outbox& out) {
  const lookahead::StepPlan& plan = predicted_rows_.number(batch);
  const StepHead head{.global_samples = batch.samples, .purpose = Purpose::predict};
  rpc::Message message = make_message(Kind::predict, parties_.trainer(trainer), number);
  encoder_.split(plan, 1);
  encoder_.encode(head, batch, 0, message.payload);
  out.push_back(std::move(message));
}

}  // namespace overture::train
