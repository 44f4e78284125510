// ShardOrder: what one trainer is told of a step when the trainers hold the tables: its own samples, and what
// the samples of all trainers look up in the tables that it holds. A view: it points into a message.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "overture/data/batch.h"
#include "overture/rpc/message.h"
#include "overture/train/step_part.h"

namespace overture::train {

struct ShardOrder {
  struct Table {
    std::span<const std::int64_t> ids;       // of the whole batch
    std::span<const std::uint32_t> offsets;  // empty: one lookup a sample
    std::span<const float> weights;
  };

  StepHead head;
  std::span<const std::int64_t> bounds;  // samples [bounds[r], bounds[r + 1]) are trainer r's
  std::span<const float> labels;         // of its own samples, as the dense features
  std::span<const float> dense;
  std::vector<Table> tables;  // that it holds

  int trainers() const { return static_cast<int>(bounds.size()) - 1; }
  std::int64_t samples_of(int trainer) const {
    const auto r = static_cast<std::size_t>(trainer);
    return bounds[r + 1] - bounds[r];
  }
};

// `tables` are those that the trainer holds, by number.
void encode(const StepHead& head, const data::Batch& batch, std::span<const std::int64_t> bounds, int trainer,
            std::span<const std::size_t> tables, rpc::Buffer& buffer);

// Throws rpc::BadMessage when the message does not fit together, or is of other numbers of tables and
// trainers.
ShardOrder decode_shard(const rpc::Buffer& buffer, std::size_t tables, int trainers);

}  // namespace overture::train
