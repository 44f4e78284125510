// TablesSession: tables for a model that another program computes, all in one process: oracle and servers are
// threads, and so is the driver of the one trainer that the program sits on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "overture/data/batch.h"
#include "overture/train/crew.h"
#include "overture/train/hosted_trainer.h"
#include "overture/train/oracle.h"
#include "overture/train/run.h"

namespace overture::train {

class TablesSession {
 public:
  // Starts afresh, or where `checkpoint` was written unless it is empty. Throws UserError.
  explicit TablesSession(TrainConfig config, const std::filesystem::path& checkpoint = {});
  ~TablesSession();

  const TrainConfig& config() const { return config_; }
  std::int64_t first_step() const { return first_step_; }

  // Starts the threads; `source` stands at the first step's batch.
  void start(std::unique_ptr<data::BatchSource> source, RunOptions options);
  HostedTrainer& trainer() { return trainer_; }

  // Ends everything, wherever it is: what has not been saved is lost.
  void abandon(const std::string& why);
  // Waits until all threads have ended; throws what one threw.
  RunResult finish();

  // The rows of all tables, with what the optimizer remembers of each, by server: good before start() and at
  // the end.
  const std::vector<embedding::Tables*>& tables() const { return tables_; }

 private:
  TrainConfig config_;
  Parties parties_;
  CheckpointInfo info_;
  std::int64_t first_step_ = 0;
  HostedTrainer trainer_;
  std::vector<MadeParty> servers_;
  std::vector<embedding::Tables*> tables_;
  std::unique_ptr<rpc::InProcess> network_;
  std::unique_ptr<data::BatchSource> source_;
  RunOptions options_;
  std::unique_ptr<Oracle> oracle_;
  std::unique_ptr<Crew> crew_;
};

}  // namespace overture::train
