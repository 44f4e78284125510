#include "overture/train/config.h"

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::train {

std::string_view name(Kind kind) {
  switch (kind) {
    case Kind::hello: return "hello";
    case Kind::welcome: return "welcome";
    case Kind::ready: return "ready";
    case Kind::step: return "step";
    case Kind::predict: return "predict";
    case Kind::save: return "save";
    case Kind::stop: return "stop";
    case Kind::kept: return "kept";
    case Kind::fetch: return "fetch";
    case Kind::store: return "store";
    case Kind::write_back: return "write_back";
    case Kind::dense_gradients: return "dense_gradients";
    case Kind::dense_shares: return "dense_shares";
    case Kind::gradients: return "gradients";
    case Kind::updates: return "updates";
    case Kind::late_gradients: return "late_gradients";
    case Kind::late_updates: return "late_updates";
    case Kind::finished: return "finished";
    case Kind::predictions: return "predictions";
    case Kind::ask_save: return "ask_save";
    case Kind::left: return "left";
    case Kind::dense_state: return "dense_state";
    case Kind::pooled: return "pooled";
    case Kind::pooled_gradients: return "pooled_gradients";
    case Kind::rows: return "rows";
    case Kind::saved: return "saved";
  }
  return "?";
}
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
  if (config.tables_in_trainers() && !config.division.whole_tables())
    throw UserError(
        {.key = config.division.plan.empty() ? "tables.sharding" : "tables.plan"},
        "trainers can only hold whole tables",
        "make all of them table_wise, or set cache.lookahead to 1 or more and servers to at least 1");
  validate(config.division, config.tables, config.shares());
  within("threads", config.threads, 1, 1024);
  within("dense_features", config.dense_features, 0, 1 << 20);
  validate(config.planner());
  validate(config.model, config.shape());
}

}  // namespace overture::train
