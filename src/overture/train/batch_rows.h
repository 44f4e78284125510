// BatchRows: where the rows of a batch lie when all tables are at hand: for training without a cache and for
// predicting. Numbers the batch's different rows and finds the place of each.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "overture/data/batch.h"
#include "overture/lookahead/planner.h"
#include "overture/train/config.h"
#include "overture/train/step_part.h"

namespace overture::train {

class BatchRows {
 public:
  explicit BatchRows(const TrainConfig& config);

  // Where a row lies.
  using Place = std::function<float*(std::int64_t table, std::int64_t id)>;

  // The whole batch as one trainer's part, a view that is good until the next call, as is places(). Throws
  // UserError when the batch has other tables or ids beyond them.
  StepPart look_up(const data::Batch& batch, const Place& place);
  std::span<float* const> places() const { return places_; }
  // Only the numbers of the batch's rows, for whoever fetches them. Good until the next call, too.
  const lookahead::StepPlan& number(const data::Batch& batch);
  const lookahead::StepPlan& plan() const { return plan_; }

 private:
  lookahead::Planner planner_;  // plans every batch alone
  lookahead::StepPlan plan_;
  std::vector<float*> places_;
};

}  // namespace overture::train
