#include "overture/train/orders.h"

#include "overture/train/planned_orders.h"
#include "overture/train/sharded_orders.h"

namespace overture::train {

std::unique_ptr<Orders> make_orders(const TrainConfig& config, data::BatchSource& source, std::int64_t steps,
                                    std::int64_t first_step) {
  if (config.tables_in_trainers()) return std::make_unique<ShardedOrders>(config, source, steps, first_step);
  return std::make_unique<PlannedOrders>(config, source, steps, first_step);
}

}  // namespace overture::train
