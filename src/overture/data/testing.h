// What the tests of this folder share: whole datasets at once.
#pragma once

#include <cstdint>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/base/testing_folder.h"
#include "overture/data/columns.h"
#include "overture/data/sample_reader.h"
#include "overture/data/sample_writer.h"

namespace overture::data::testing {

using Folder = TestFolder;
using overture::bytes_of;

// Everything, read in pieces of an odd size.
inline Batch read_all(SampleReader& reader, std::int64_t piece = 7) {
  Batch all;
  Batch some;
  clear(all, reader.shape());
  while (reader.read(some, piece) > 0) append(all, some);
  return all;
}

inline void write_all(SampleWriter& writer, const Batch& batch) {
  writer.write(batch);
  writer.close();
}

// Random samples of a shape whose rows are known; bags of 0 to 3 ids when it is multi-hot.
inline Batch random_batch(const Shape& shape, std::int64_t samples, std::uint64_t seed) {
  RandomStream random = RandomStreams(seed).make("batch");
  Batch batch;
  clear(batch, shape);
  batch.samples = samples;
  for (std::int64_t s = 0; s < samples; ++s) {
    batch.labels.push_back(static_cast<float>(random.below(2)));
    for (std::int64_t d = 0; d < shape.dense_features; ++d) {
      batch.dense.push_back(static_cast<float>(random.below(1000)) / 8.0F);
    }
    for (std::size_t t = 0; t < shape.tables(); ++t) {
      Bags& bags = batch.tables[t];
      const std::uint64_t count = shape.multi_hot ? random.below(4) : 1;
      for (std::uint64_t i = 0; i < count; ++i) {
        bags.ids.push_back(
            static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(shape.table_rows[t]))));
        if (shape.weighted) bags.weights.push_back(static_cast<float>(random.below(100)) / 4.0F);
      }
      if (shape.multi_hot) bags.offsets.push_back(static_cast<std::uint32_t>(bags.ids.size()));
    }
  }
  return batch;
}

}  // namespace overture::data::testing
