// A training run and the results folder that it leaves; for `overture train` and the demo.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "overture/data/metrics.h"
#include "overture/setup/remote_training.h"
#include "overture/setup/train_setup.h"
#include "overture/train/results.h"
#include "overture/train/run.h"

namespace overture::cli {

struct TrainingAsked {
  std::filesystem::path folder;     // for the results
  bool resume = false;              // where the run in the folder was stopped
  bool overwrite = false;           // the run in the folder, which is an error otherwise
  std::filesystem::path weights{};  // to start from; empty: drawn
  bool report = true;
  bool tensorboard = false;
  bool record = false;                                   // into recording/ of the folder
  bool quiet = false;                                    // says nothing of evaluations on the way
  std::optional<setup::Meeting> meeting = std::nullopt;  // with the other processes; none: all in this one
};

struct Trained {
  train::RunResult result;
  train::Totals totals;  // of this run
  double seconds = 0;    // of training; the next two come on top
  double evaluation_seconds = 0;
  double checkpoint_seconds = 0;
  train::IterationTimes iterations;
  std::vector<train::HeldOut> evaluations;  // by steps, earlier runs included
  std::optional<data::Metrics> metrics;     // at the end
  std::optional<train::HeldOut> best;       // by AUC
  std::filesystem::path best_checkpoint;    // of that evaluation; empty: none was written then
  bool out_of_patience = false;             // stopped because the model no longer improved
  std::string digest;
  std::string why;
  std::string summary;  // as in summary.json
};

// Trains, evaluates, and writes what docs/reference/train.md says of the folder. Throws UserError.
Trained run_training(const setup::TrainSetup& setup, const TrainingAsked& asked);

}  // namespace overture::cli
