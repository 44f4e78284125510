#include "overture/train/evaluator.h"

#include <utility>

#include "overture/rpc/wire.h"
#include "overture/train/dense/loss.h"

namespace overture::train {
namespace {

// Per trainer: one is computed while the rows of the next are on their way.
constexpr std::size_t kBatchesUnderWay = 2;

std::vector<float> probabilities_of(std::span<const float> logits) {
  std::vector<float> probabilities;
  for (const float logit : logits) probabilities.push_back(sigmoid(logit));
  return probabilities;
}

}  // namespace

Evaluator::Evaluator(int trainers, Orders& orders, std::unique_ptr<data::BatchSource> source)
    : trainers_(trainers), orders_(orders), source_(std::move(source)) {}

bool Evaluator::advance(Outbox& out) {
  if (ended_ || open_.size() >= kBatchesUnderWay * static_cast<std::size_t>(trainers_)) return false;
  if (!source_->next(batch_)) {
    ended_ = true;
    return true;
  }
  orders_.predict(batch_, sent_, static_cast<int>(sent_ % trainers_), out);
  open_[sent_++].labels = batch_.labels;
  return true;
}

void Evaluator::take(const rpc::Message& message) {
  const auto found = open_.find(message.step);
  rpc::require(found != open_.end(), "predictions that nobody asked for");
  const auto logits = rpc::WireReader(message.payload).array<float>();
  rpc::require(logits.size() == found->second.labels.size(), "predictions of other samples");
  found->second.probabilities = probabilities_of(logits);
  for (auto next = open_.begin(); next != open_.end() && !next->second.probabilities.empty();
       next = open_.erase(next))
    evaluation_.add(next->second.probabilities, next->second.labels);
}

void add_predictions(std::span<const float> logits, std::span<const float> labels,
                     data::Evaluation& evaluation) {
  evaluation.add(probabilities_of(logits), labels);
}

}  // namespace overture::train
