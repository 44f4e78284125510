#include "overture/train/pooled_rows.h"

namespace overture::train {

std::span<const float> PooledRows::pool(const StepPart& part, std::span<float* const> rows,
                                        embedding::Workers& workers) {
  pooled_.resize(static_cast<std::size_t>(part.head.samples * tables_.width()));
  pool(part, rows, pooled_, workers);
  return pooled_;
}

void PooledRows::pool(const StepPart& part, std::span<float* const> rows, std::span<float> out,
                      embedding::Workers& workers) {
  lookups_.assign(tables_, part.head.samples, static_cast<std::uint32_t>(rows.size()), part.tables);
  lookups_.pool(rows, out, workers);
}

void PooledRows::update(std::span<const embedding::TableGradients> gradients, std::span<float* const> rows,
                        std::int64_t step, embedding::Workers& workers) {
  lookups_.update(update_rule(tables_.optimizer, step), gradients, rows, workers);
}

}  // namespace overture::train
