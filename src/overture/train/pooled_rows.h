// PooledRows: from the rows of a batch to what a model sees of them, and from the gradient of that back to
// the rows. Knows where rows lie only as pointers, so it is the same with a cache and without.
#pragma once

#include <cstdint>
#include <span>

#include "overture/embedding/lookups.h"
#include "overture/train/dense/floats.h"
#include "overture/train/step_part.h"

namespace overture::train {

class PooledRows {
 public:
  explicit PooledRows(embedding::TablesConfig tables) : tables_(std::move(tables)) {}

  // Samples x width of all tables; `rows` are those of the part, by number. Good until the next call. What
  // the part points to must stay until the gradients have come back.
  std::span<const float> pool(const StepPart& part, std::span<float* const> rows,
                              embedding::Workers& workers);
  // The same into memory of the caller's.
  void pool(const StepPart& part, std::span<float* const> rows, std::span<float> out,
            embedding::Workers& workers);

  // `gradients` are of what pool() gave. Changes the rows by them,
  void update(std::span<const embedding::TableGradients> gradients, std::span<float* const> rows,
              std::int64_t step, embedding::Workers& workers);
  // or gives the gradient of every row, dim numbers each.
  void sum(std::span<const embedding::TableGradients> gradients, std::span<float* const> sums,
           embedding::Workers& workers) {
    lookups_.sum(gradients, sums, workers);
  }
  // Gradients that lie as what pool() gave.
  std::span<const embedding::TableGradients> as_pooled(std::span<const float> gradients) {
    return lookups_.as_pooled(gradients);
  }

 private:
  embedding::TablesConfig tables_;
  embedding::Lookups lookups_;
  Floats pooled_;
};

}  // namespace overture::train
