// ShardedOrders: hands out batches to trainers that hold the tables. Every trainer gets its samples and, of
// all samples, what they look up in its tables, as in facebookresearch/dlrm. Nothing is planned.
#pragma once

#include <vector>

#include "overture/train/orders.h"

namespace overture::train {

class ShardedOrders final : public Orders {
 public:
  ShardedOrders(const TrainConfig& config, data::BatchSource& source, std::int64_t steps,
                std::int64_t first_step);

  std::optional<Handed> next(Outbox& out) override;
  void predict(const data::Batch& batch, std::int64_t number, int trainer, Outbox& out) override;

 private:
  void hand_out(Kind kind, std::int64_t number, const StepHead& head, const data::Batch& batch, Outbox& out);

  Parties parties_;
  data::BatchSource& source_;
  std::int64_t steps_;
  std::int64_t first_step_;
  std::vector<std::vector<std::size_t>> tables_;  // by trainer
  std::size_t table_count_;
  std::vector<std::int64_t> bounds_;
  data::Batch batch_;
  std::int64_t handed_ = 0;
};

}  // namespace overture::train
