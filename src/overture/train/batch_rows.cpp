#include "overture/train/batch_rows.h"

namespace overture::train {
namespace {

lookahead::PlannerConfig one_batch_at_a_time(const TrainConfig& config) {
  lookahead::PlannerConfig planner{.lookahead = 1, .index_lookups = true};
  for (const embedding::TableConfig& table : config.tables.tables) planner.table_rows.push_back(table.rows);
  return planner;
}

}  // namespace

BatchRows::BatchRows(const TrainConfig& config) : planner_(one_batch_at_a_time(config)) {}

const lookahead::StepPlan& BatchRows::number(const data::Batch& batch) {
  while (!planner_.next(plan_)) feed(planner_, batch);
  plan_.evictions.clear();
  plan_.fetches.clear();
  return plan_;
}

StepPart BatchRows::look_up(const data::Batch& batch, const Place& place) {
  number(batch);
  places_.resize(plan_.rows.size());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const lookahead::Row row = plan_.rows[i].row;
    places_[i] = place(table(row), id(row));
  }
  StepPart part{.head = {.samples = batch.samples, .global_samples = batch.samples},
                .rows = plan_.rows,
                .labels = batch.labels,
                .dense = batch.dense};
  std::size_t first = 0;
  for (const data::Bags& bags : batch.tables) {
    part.tables.push_back({.rows = std::span(plan_.lookup_rows).subspan(first, bags.ids.size()),
                           .offsets = bags.offsets,
                           .weights = bags.weights});
    first += bags.ids.size();
  }
  return part;
}

}  // namespace overture::train
