#include "overture/train/pooled_rows.h"

namespace overture::train {

std::span<const float> PooledRows::pool(const StepPart& part, std::span<float* const> rows,
                                        embedding::Workers& workers) {
  lookups_.assign(tables_, part.head.samples, static_cast<std::uint32_t>(rows.size()), part.tables);
  pooled_.resize(static_cast<std::size_t>(part.head.samples * tables_.width()));
  lookups_.pool(rows, pooled_, workers);
  return pooled_;
}

void PooledRows::update(std::span<const float> gradients, std::span<float* const> rows, std::int64_t step,
                        embedding::Workers& workers) const {
  lookups_.update(update_rule(tables_.optimizer, step), gradients, rows, workers);
}

}  // namespace overture::train
