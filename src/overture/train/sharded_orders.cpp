#include "overture/train/sharded_orders.h"

#include <utility>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/train/shard_order.h"
#include "overture/train/table_shard.h"

namespace overture::train {

ShardedOrders::ShardedOrders(const TrainConfig& config, data::BatchSource& source, std::int64_t steps,
                             std::int64_t first_step)
    : parties_(config.parties()),
      source_(source),
      steps_(steps),
      first_step_(first_step),
      tables_(tables_by_trainer(config)),
      table_count_(config.tables.tables.size()),
      bounds_(static_cast<std::size_t>(config.trainers) + 1) {}

std::optional<Orders::Handed> ShardedOrders::next(Outbox& out) {
  if (handed_ == steps_ || !source_.next(batch_)) return std::nullopt;
  for (int trainer = 0; trainer < parties_.trainers; ++trainer)
    bounds_[static_cast<std::size_t>(trainer) + 1] = block_of(batch_.samples, trainer, parties_.trainers).end;
  const auto number = static_cast<std::int32_t>(handed_++);
  hand_out(Kind::step, number, {.batch = number, .global_samples = batch_.samples}, batch_, out);
  std::int64_t lookups = 0;
  for (const data::Bags& bags : batch_.tables) lookups += std::ssize(bags.ids);
  return Handed{
      .batch = number,
      .report = {.step = first_step_ + number, .samples = batch_.samples, .lookups = lookups, .window = 1}};
}

// All samples are those of one trainer.
void ShardedOrders::predict(const data::Batch& batch, std::int64_t number, int trainer, Outbox& out) {
  for (int other = 0; other < parties_.trainers; ++other)
    bounds_[static_cast<std::size_t>(other) + 1] = other < trainer ? 0 : batch.samples;
  hand_out(Kind::predict, number, {.global_samples = batch.samples, .purpose = Purpose::predict}, batch, out);
}

void ShardedOrders::hand_out(Kind kind, std::int64_t number, const StepHead& head, const data::Batch& batch,
                             Outbox& out) {
  if (batch.tables.size() != table_count_)
    throw UserError(fmt::format("the data has {} tables, the model {}", batch.tables.size(), table_count_));
  for (int trainer = 0; trainer < parties_.trainers; ++trainer) {
    rpc::Message message = make_message(kind, parties_.trainer(trainer), number);
    encode(head, batch, bounds_, trainer, tables_[static_cast<std::size_t>(trainer)], message.payload);
    out.push_back(std::move(message));
  }
}

}  // namespace overture::train
