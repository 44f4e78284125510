// SampleReader: the samples of one dataset in their order, in memory that does not grow with the dataset.
// Every file format and the generator is one. Batches of a size, splits and shuffling come on top
// (batches.h).
#pragma once

#include <cstdint>
#include <optional>

#include "overture/data/bad_rows.h"
#include "overture/data/batch.h"
#include "overture/data/shape.h"

namespace overture::data {

// How far a reader is, in bytes of its files as they lie on the disk; a total of 0 is unknown.
struct Position {
  std::int64_t done = 0;
  std::int64_t total = 0;
};

class SampleReader {
 public:
  virtual ~SampleReader() = default;

  virtual const Shape& shape() const = 0;

  // Puts the next samples, at most `most`, into `batch` in place of what it held. Fewer only at the end.
  // Returns how many. Throws UserError when the data is damaged.
  virtual std::int64_t read(Batch& batch, std::int64_t most) = 0;

  // Passes over samples; returns how many there were. Readers that can, jump.
  virtual std::int64_t skip(std::int64_t samples);

  // Samples in all, where that is known before they are read.
  virtual std::optional<std::int64_t> samples() const { return std::nullopt; }
  virtual Position position() const { return {}; }
  // Null where rows cannot be bad.
  virtual const BadRows* bad_rows() const { return nullptr; }
};

}  // namespace overture::data
