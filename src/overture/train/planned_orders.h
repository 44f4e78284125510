// PlannedOrders: looks ahead in the batches and tells every trainer which rows leave its cache, which come,
// and where the rows of its samples are.
#pragma once

#include <deque>

#include "overture/lookahead/planner.h"
#include "overture/train/batch_rows.h"
#include "overture/train/orders.h"

namespace overture::train {

class PlannedOrders final : public Orders {
 public:
  PlannedOrders(const TrainConfig& config, data::BatchSource& source, std::int64_t steps,
                std::int64_t first_step);

  std::optional<Handed> next(Outbox& out) override;
  void watch(Marks& marks) override { marks_ = &marks; }
  void predict(const data::Batch& batch, std::int64_t number, int trainer, Outbox& out) override;

 private:
  void read_batch();
  void mark(Work work, const WorkNumbers& numbers, std::int64_t step) {
    if (marks_ != nullptr) marks_->done(work, numbers, step);
  }

  Marks* marks_ = nullptr;
  Parties parties_;
  data::BatchSource& source_;
  std::int64_t steps_;
  std::int64_t first_step_;
  lookahead::Planner planner_;
  lookahead::StepPlan plan_;
  data::Batch read_;                 // as it comes from the source
  std::deque<data::Batch> batches_;  // read but not handed out; without their ids
  std::int64_t batches_read_ = 0;
  PartEncoder encoder_;
  BatchRows predicted_rows_;
};

}  // namespace overture::train
