// Which pieces of work a model consists of, forward and backward, in order: found by letting it learn from
// one sample. So whoever prices a model needs no second description of it.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/base/work.h"
#include "overture/train/config.h"

namespace overture::train {

struct ModelPiece {
  Work work = Work::other;
  WorkNumbers numbers{};
};
struct ModelWork {
  std::vector<ModelPiece> pieces;  // of learn()
  std::int64_t parameters = 0;
};

// For a batch of so many samples. Throws UserError when model and tables do not fit together.
ModelWork model_work(const TrainConfig& config, std::int64_t samples);

}  // namespace overture::train
