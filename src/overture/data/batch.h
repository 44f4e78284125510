// Batch: some samples as training takes them: labels, dense features, and for every table the ids that each
// sample looks up. BatchSource: where batches come from, a file or a generator, in an order that is always
// the same. Knows no model and no optimizer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace overture::data {

// The lookups of all samples in one table, sample after sample.
struct Bags {
  std::vector<std::int64_t> ids;
  std::vector<std::uint32_t>
      offsets;                 // samples+1: sample s has ids [offsets[s], offsets[s+1]); empty: one each
  std::vector<float> weights;  // one per id; empty: the data has none

  std::uint32_t begin(std::int64_t sample) const {
    return offsets.empty() ? static_cast<std::uint32_t>(sample) : offsets[static_cast<std::size_t>(sample)];
  }
  std::uint32_t end(std::int64_t sample) const { return begin(sample + 1); }

  bool operator==(const Bags&) const = default;
};

struct Batch {
  std::int64_t samples = 0;
  std::int64_t dense_features = 0;
  std::vector<float> labels;  // one per sample, 0 or 1
  std::vector<float> dense;   // samples x dense_features, sample after sample
  std::vector<Bags> tables;

  bool operator==(const Batch&) const = default;
};

class BatchSource {
 public:
  virtual ~BatchSource() = default;

  // Reads the next batch into `batch`, whose memory is used again. False at the end. The last batch may be
  // smaller than the others. Throws UserError when the data is damaged.
  virtual bool next(Batch& batch) = 0;

  // Passes over so many batches, as a resumed run does; stops at the end. Sources that can, jump.
  virtual void skip(std::int64_t batches) {
    Batch passed;
    while (batches-- > 0 && next(passed)) {
    }
  }
};

}  // namespace overture::data
