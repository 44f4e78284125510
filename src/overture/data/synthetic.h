// Click data made up: ids with the skew of real logs, dense features as logarithms of counts, labels from a
// hidden model that a trained one can find. Every sample follows from the seed and its number alone, so any
// part of the dataset can be made anywhere, in any order, with the same bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/data/row.h"
#include "overture/data/sample_reader.h"
#include "overture/data/skew.h"

namespace overture::data {

// How many ids a sample looks up in a table: always `mean`, or 1 and a geometric number more.
struct PoolingDraw {
  double mean = 1;
  bool geometric = false;

  bool multi_hot() const { return geometric || mean != 1; }
};

struct SyntheticConfig {
  std::vector<Skew> tables;
  std::int64_t dense_features = 13;
  std::uint64_t seed = 1;
  double base_rate = 0.256;  // of positive labels: Criteo Kaggle's
  PoolingDraw pooling;
  bool weighted = false;  // every lookup has a weight, from 0.5 to 1.5
  bool sorted = false;    // ids are ranks: popular rows lie together
  // After every `drift_period` samples this share of each table's ranks stands for other ids; 0: never.
  double drift = 0;
  std::int64_t drift_period = 1'000'000;
  bool lookups_alone = false;  // labels and dense features are 0: for those who only count lookups
};

class Synthetic {
 public:
  // Throws UserError when the configuration makes no sense.
  explicit Synthetic(SyntheticConfig config);

  Shape shape() const;
  void make(std::int64_t sample, TextRow& row) const;
  // The ids of samples [begin, end) in a table where each looks up one.
  void make_ids(std::size_t table, std::int64_t begin, std::int64_t end,
                std::vector<std::int64_t>& ids) const;
  // The probability that the label was drawn with: the best that a model can predict.
  double probability(const TextRow& row) const;

 private:
  std::uint64_t bits(std::int64_t sample, std::uint64_t field, std::uint64_t draw) const;
  std::int64_t id(std::size_t table, std::int64_t rank, std::int64_t sample) const;
  std::int64_t drifted(std::size_t table, std::int64_t rank, std::int64_t sample) const;
  void add_ids(std::size_t table, std::int64_t sample, TextRow& row) const;
  void add_dense(std::int64_t sample, TextRow& row) const;
  std::int64_t pooled(std::size_t table, std::int64_t sample) const;
  double signal(const TextRow& row) const;
  double fitting_bias() const;

  SyntheticConfig config_;
  std::vector<std::int64_t> multipliers_;  // of every table: rank times this is the id
  std::vector<std::int64_t> drift_steps_;  // by which the drifting ranks of a table move on; empty: no drift
  std::vector<double> dense_weights_;
  std::vector<double> dense_means_;  // of the counts
  double bias_ = 0;
};

// The first `samples` of them as a dataset; skipping costs nothing.
class SyntheticReader final : public SampleReader {
 public:
  // Made by so many threads, 0: one for each core; the samples are the same.
  SyntheticReader(const SyntheticConfig& config, std::int64_t samples, int threads = 1);

  const Shape& shape() const override { return shape_; }
  std::int64_t read(Batch& batch, std::int64_t most) override;
  std::int64_t skip(std::int64_t samples) override;
  std::optional<std::int64_t> samples() const override { return samples_; }

 private:
  void make(std::int64_t begin, std::int64_t end, Batch& part) const;
  void make_lookups(std::int64_t begin, std::int64_t end, Batch& part) const;

  Synthetic synthetic_;
  Shape shape_;
  std::int64_t samples_;
  bool single_lookups_;  // alone, one for each table
  std::int64_t next_ = 0;
  std::vector<Batch> parts_;  // one for each thread
};

}  // namespace overture::data
