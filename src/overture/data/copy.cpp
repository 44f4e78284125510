#include "overture/data/copy.h"

#include "overture/data/binary_format.h"

namespace overture::data {

Copied copy(SampleReader& reader, SampleWriter& writer, const std::function<bool(const Copied&)>& go_on) {
  Copied copied;
  Batch batch;
  while (reader.read(batch, kChunkSamples) > 0) {
    writer.write(batch);
    copied.samples += batch.samples;
    for (const float label : batch.labels) copied.positives += label > 0.5F ? 1 : 0;
    for (const Bags& bags : batch.tables) copied.lookups += static_cast<std::int64_t>(bags.ids.size());
    if (!go_on(copied)) return copied;
  }
  writer.close();
  copied.finished = true;
  return copied;
}

}  // namespace overture::data
