// Raw data in one command: the ids of a click log get their rows before the training starts.
#pragma once

#include "overture/cli/training_run.h"

namespace overture::cli {

// Beside the model.
inline constexpr const char* kIdsFile = "ids.bin";

// The setup itself, or with the rows of its ids where the data is raw: those of the run that is resumed, or
// new ones, which are collected, told of on stderr, and written into the results folder. Throws UserError.
setup::TrainSetup with_ids(const setup::TrainSetup& setup, const TrainingAsked& asked);

// The setup with the rows of its tables, which the data does not say and are counted, and told of on stderr.
setup::TrainSetup with_rows(const setup::TrainSetup& setup);

}  // namespace overture::cli
