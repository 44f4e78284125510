// Copies a dataset from a reader into a writer, a piece at a time.
#pragma once

#include <cstdint>
#include <functional>

#include "overture/data/sample_reader.h"
#include "overture/data/sample_writer.h"

namespace overture::data {

struct Copied {
  bool finished = false;  // false: it was stopped, and nothing is at the writer's path
  std::int64_t samples = 0;
  std::int64_t positives = 0;
  std::int64_t lookups = 0;
};

// Asks `go_on` after every piece and stops when it says false.
Copied copy(SampleReader& reader, SampleWriter& writer, const std::function<bool(const Copied&)>& go_on);

}  // namespace overture::data
