// SampleWriter: puts samples into a file of some format. Nothing is at the path before close().
#pragma once

#include <cstdint>

#include "overture/data/batch.h"

namespace overture::data {

class SampleWriter {
 public:
  virtual ~SampleWriter() = default;

  // Throws UserError when the format cannot hold the samples, or the disk is full.
  virtual void write(const Batch& batch) = 0;
  virtual void close() = 0;
  virtual std::int64_t bytes() const = 0;
};

}  // namespace overture::data
