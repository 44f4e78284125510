// What a training run is told: tables, model, optimizers, how far to look ahead, and who does the work.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "overture/embedding/tables.h"
#include "overture/lookahead/config.h"
#include "overture/lookahead/row.h"
#include "overture/rpc/in_process.h"
#include "overture/train/dense/models.h"
#include "overture/train/messages.h"

namespace overture::train {

struct CacheConfig {
  std::int32_t lookahead = 200;                // L; 1: every batch fetches its rows and gives them back
  std::optional<std::int32_t> prefetch_depth;  // D; default: L
  std::int32_t cleanup_interval = 1;           // C
  std::optional<std::int64_t> capacity;        // rows; default: as many as the lookahead needs
};

struct TrainConfig {
  embedding::TablesConfig tables;  // its optimizer is that of the rows
  embedding::OptimizerConfig dense_optimizer;
  ModelConfig model;
  std::int64_t dense_features = 13;
  std::uint64_t seed = 0;
  CacheConfig cache;
  int trainers = 1;
  int servers = 1;                       // 0: the trainers hold the tables, whole ones, and there is no cache
  embedding::Division division;          // of tables over servers, or over the trainers that hold them
  int threads = 1;                       // of each trainer
  std::optional<rpc::Link> server_link;  // injected between each server and the trainers
  std::filesystem::path record;          // folder for a recording; empty: none
  // What else a checkpoint depends on, such as the data and the batch size: a resumed run must not change it.
  std::map<std::string, std::string> fixed;

  ModelShape shape() const;
  Parties parties() const { return {trainers, servers}; }
  bool tables_in_trainers() const { return servers == 0; }
  // Of rows, each of which is with one party.
  int shares() const { return tables_in_trainers() ? trainers : servers; }
  lookahead::PlannerConfig planner() const;
};

// Throws UserError that names the key.
void validate(const TrainConfig& config);

}  // namespace overture::train
