#include "overture/train/model_work.h"

#include "overture/train/learner.h"

namespace overture::train {
namespace {

class PieceList final : public Marks {
 public:
  void done(Work work, const WorkNumbers& numbers, std::int64_t /*step*/) override {
    pieces.push_back({work, numbers});
  }
  std::vector<ModelPiece> pieces;
};

}  // namespace

// What depends on the batch is in proportion to it: the first number of products and interactions, all of the
// rest of a model.
ModelWork model_work(const TrainConfig& config, std::int64_t samples) {
  TrainConfig one = config;
  one.threads = 1;
  Learner learner(one);
  PieceList list;
  learner.workers().watch(&list);
  const std::vector<float> dense(static_cast<std::size_t>(config.dense_features));
  const std::vector<float> labels(1);
  const std::vector<float> pooled(static_cast<std::size_t>(config.tables.width()));
  const StepPart part{.head = {.samples = 1, .global_samples = 1}, .labels = labels, .dense = dense};
  learner.learn(part, pooled, 0);
  ModelWork work{.pieces = std::move(list.pieces), .parameters = learner.parameters().size()};
  for (ModelPiece& piece : work.pieces) {
    const std::size_t scaled = piece.work == Work::model ? kWorkNumbers : 1;
    for (std::size_t i = 0; i < scaled; ++i) piece.numbers[i] *= samples;
  }
  return work;
}

}  // namespace overture::train
