// Batches are columns; these make, fill, join and pick from them.
#pragma once

#include <cstdint>
#include <span>

#include "overture/data/batch.h"
#include "overture/data/row.h"
#include "overture/data/shape.h"

namespace overture::data {

// Empties `batch` and gives it the columns of `shape`; its memory is kept.
void clear(Batch& batch, const Shape& shape);

// The row must have the shape of the batch.
void append(Batch& batch, const TextRow& row);
// All samples of `more`, which has the same columns.
void append(Batch& batch, const Batch& more);
// The samples of `from` with these numbers, in this order.
void append(Batch& batch, const Batch& from, std::span<const std::uint32_t> samples);

}  // namespace overture::data
