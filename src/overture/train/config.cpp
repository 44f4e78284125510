#include "overture/train/config.h"

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::train {
namespace {

void within(const char* key, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value >= least && value <= most) return;
  throw UserError({.key = key}, fmt::format("{} is not from {} to {}", value, least, most));
}

}  // namespace

ModelShape TrainConfig::shape() const {
  ModelShape shape{.dense_features = dense_features};
  for (const embedding::TableConfig& table : tables.tables) shape.dims.push_back(table.dim);
  return shape;
}

lookahead::PlannerConfig TrainConfig::planner() const {
  lookahead::PlannerConfig planner{.lookahead = cache.lookahead,
                                   .prefetch_depth = cache.prefetch_depth,
                                   .cleanup_interval = cache.cleanup_interval,
                                   .capacity = cache.capacity,
                                   .trainers = trainers,
                                   .index_lookups = true};
  for (const embedding::TableConfig& table : tables.tables) planner.table_rows.push_back(table.rows);
  return planner;
}

void validate(const TrainConfig& config) {
  validate(config.dense_optimizer, "optimizer");
  validate(config.tables);
  within("trainers", config.trainers, 1, lookahead::kMostTrainers);
  within("servers", config.servers, 0, 1024);
  if (config.tables_in_trainers() && config.sharding != embedding::Sharding::table_wise)
    throw UserError({.key = "tables.sharding"}, "trainers can only hold whole tables",
                    "set it to table_wise, or cache.lookahead to 1 or more and servers to at least 1");
  within("threads", config.threads, 1, 1024);
  within("dense_features", config.dense_features, 0, 1 << 20);
  validate(config.planner());
  validate(config.model, config.shape());
}

}  // namespace overture::train
