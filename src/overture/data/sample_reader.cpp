#include "overture/data/sample_reader.h"

#include <algorithm>

namespace overture::data {

std::int64_t SampleReader::skip(std::int64_t samples) {
  constexpr std::int64_t kAtATime = 4096;
  Batch passed;
  std::int64_t done = 0;
  while (done < samples) {
    const std::int64_t wanted = std::min(kAtATime, samples - done);
    const std::int64_t got = read(passed, wanted);
    done += got;
    if (got < wanted) break;
  }
  return done;
}

}  // namespace overture::data
