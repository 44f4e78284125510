// Orders: what the oracle hands out to trainers, step by step. One kind plans a cache that looks ahead
// (planned_orders.h); the other hands out batches to trainers that hold the tables (sharded_orders.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "overture/base/work.h"
#include "overture/data/batch.h"
#include "overture/train/config.h"
#include "overture/train/run.h"
#include "overture/train/step_part.h"

namespace overture::train {

class Orders {
 public:
  virtual ~Orders() = default;

  // As Party::watch().
  virtual void watch(Marks& /*marks*/) {}

  // What is known of a step when it is handed out.
  struct Handed {
    std::int32_t batch = 0;
    Purpose purpose = Purpose::train;  // or flush, after the last batch
    StepReport report;
  };
  // The next step, to every trainer; none when there is nothing more.
  virtual std::optional<Handed> next(Outbox& out) = 0;
  // The `number`-th batch to predict; `trainer` answers.
  virtual void predict(const data::Batch& batch, std::int64_t number, int trainer, Outbox& out) = 0;
};

// As the config wants it. At most `steps` batches are taken from `source`, -1: all; both must outlive it.
std::unique_ptr<Orders> make_orders(const TrainConfig& config, data::BatchSource& source, std::int64_t steps,
                                    std::int64_t first_step);

}  // namespace overture::train
