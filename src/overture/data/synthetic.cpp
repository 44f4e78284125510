#include "overture/data/synthetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <thread>

#include "overture/base/error.h"
#include "overture/base/hash.h"
#include "overture/data/columns.h"
#include "overture/data/criteo.h"

namespace overture::data {
namespace {

constexpr std::uint64_t kLabelField = 1U << 20;
constexpr std::uint64_t kDenseField = 1U << 21;
constexpr std::uint64_t kPoolingField = 1U << 22;
constexpr std::uint64_t kHiddenField = 1U << 23;
constexpr std::uint64_t kWeightField = 1U << 24;
constexpr std::int64_t kScattered = 64;  // smaller tables keep their order: they fit into a page anyway

double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1.0p-53; }
// Uniform with mean 0 and variance 1: as good as normal once many are added up, and needs no logarithm.
double spread(std::uint64_t bits) { return (unit(bits) - 0.5) * 3.4641016151377544; }

std::int64_t coprime_near(std::int64_t rows, double share) {
  auto candidate = std::max<std::int64_t>(1, static_cast<std::int64_t>(share * static_cast<double>(rows)));
  while (std::gcd(candidate, rows) != 1) ++candidate;
  return candidate;
}

// Failures before the first success, with this mean.
std::int64_t geometric(double mean, double uniform) {
  if (mean <= 0) return 0;
  return static_cast<std::int64_t>(std::log1p(-uniform) / std::log1p(-1 / (mean + 1)));
}

std::int64_t ranks_per_drifting(double drift) { return std::max<std::int64_t>(1, std::llround(1 / drift)); }

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

void check_config(const SyntheticConfig& config) {
  if (config.dense_features < 0 || config.dense_features > 10000) {
    throw UserError({.key = "--dense"}, "must be from 0 to 10000");
  }
  if (!(config.drift >= 0 && config.drift <= 1)) throw UserError({.key = "--drift"}, "must be from 0 to 1");
  if (config.drift_period < 1) throw UserError({.key = "--drift-period"}, "must be at least 1");
  if (!(config.base_rate > 0 && config.base_rate < 1)) {
    throw UserError({.key = "--base-rate"}, "must be above 0 and below 1");
  }
  if (!(config.pooling.mean >= 1 && config.pooling.mean <= 1000)) {
    throw UserError({.key = "--pooling"}, "must be from 1 to 1000");
  }
}

}  // namespace

Synthetic::Synthetic(SyntheticConfig config) : config_(std::move(config)) {
  check_config(config_);
  constexpr double kGoldenSection = 0.6180339887498949;  // neighbours land far apart
  for (const Skew& table : config_.tables) {
    const bool scatter = !config_.sorted && table.rows() > kScattered;
    multipliers_.push_back(scatter ? coprime_near(table.rows(), kGoldenSection) : 1);
    if (config_.drift == 0) continue;
    constexpr double kFar = 0.381966;  // a popular rank takes the id of one that nobody knew
    const std::int64_t moving = std::max<std::int64_t>(1, table.rows() / ranks_per_drifting(config_.drift));
    drift_steps_.push_back(coprime_near(moving, kFar));
  }
  constexpr std::array<double, 13> kMeans{3, 100, 25, 7, 5000, 100, 15, 12, 100, 0.6, 3, 1, 8};
  constexpr double kDenseWeight = 0.25;
  for (std::int64_t i = 0; i < config_.dense_features; ++i) {
    const auto n = static_cast<std::uint64_t>(i);
    dense_means_.push_back(kMeans[n % kMeans.size()]);
    dense_weights_.push_back(kDenseWeight * spread(bits(-1, kHiddenField, n)));
  }
  if (!config_.lookups_alone) bias_ = fitting_bias();
}

Shape Synthetic::shape() const {
  Shape shape{.dense_features = config_.dense_features,
              .multi_hot = config_.pooling.multi_hot() || config_.weighted,
              .weighted = config_.weighted};
  for (const Skew& table : config_.tables) shape.table_rows.push_back(table.rows());
  return shape;
}

// One 64-bit number for every (seed, sample, field, draw).
std::uint64_t Synthetic::bits(std::int64_t sample, std::uint64_t field, std::uint64_t draw) const {
  const std::uint64_t of_sample =
      split_mix(split_mix(config_.seed) + static_cast<std::uint64_t>(sample) * 0x9e3779b97f4a7c15);
  return split_mix(of_sample + (field << 32) + draw * 0xd1342543de82ef95 + 1);
}

std::int64_t Synthetic::id(std::size_t table, std::int64_t rank, std::int64_t sample) const {
  if (config_.drift > 0) rank = drifted(table, rank, sample);
  return rank * multipliers_[table] % config_.tables[table].rows();
}

// Of every q = 1/drift ranks, one takes part; in each period those change places with each other.
std::int64_t Synthetic::drifted(std::size_t table, std::int64_t rank, std::int64_t sample) const {
  const std::int64_t q = ranks_per_drifting(config_.drift);
  const std::int64_t moving = config_.tables[table].rows() / q;
  if (moving < 2 || rank % q != q - 1) return rank;
  const std::int64_t period = sample / config_.drift_period % moving;
  return (rank / q + period * drift_steps_[table]) % moving * q + q - 1;
}

std::int64_t Synthetic::pooled(std::size_t table, std::int64_t sample) const {
  std::int64_t wanted = std::llround(config_.pooling.mean);
  if (config_.pooling.geometric) {
    wanted = 1 + geometric(config_.pooling.mean - 1, unit(bits(sample, kPoolingField + table, 0)));
  }
  return std::min(wanted, config_.tables[table].rows());
}

// Without the same id twice: draws again a few times, then takes the next rank that is free.
void Synthetic::add_ids(std::size_t table, std::int64_t sample, TextRow& row) const {
  const Skew& skew = config_.tables[table];
  const auto start = static_cast<std::ptrdiff_t>(row.ids.size());
  const std::int64_t wanted = pooled(table, sample);
  const auto taken = [&](std::int64_t id) {
    return std::find(row.ids.begin() + start, row.ids.end(), id) != row.ids.end();
  };
  std::uint64_t draw = 0;
  for (std::int64_t i = 0; i < wanted; ++i) {
    std::int64_t rank = skew.rank(unit(bits(sample, table, draw++)));
    constexpr int kTries = 8;
    for (int t = 0; t < kTries && taken(id(table, rank, sample)); ++t) {
      rank = skew.rank(unit(bits(sample, table, draw++)));
    }
    while (taken(id(table, rank, sample))) rank = (rank + 1) % skew.rows();
    row.ids.push_back(id(table, rank, sample));
    if (config_.weighted) {
      const double draw_of = unit(bits(sample, kWeightField + table, static_cast<std::uint64_t>(i)));
      row.weights.push_back(static_cast<float>(0.5 + draw_of));
    }
  }
  row.ends.push_back(static_cast<std::uint32_t>(row.ids.size()));
}

void Synthetic::add_dense(std::int64_t sample, TextRow& row) const {
  for (std::size_t i = 0; i < dense_means_.size(); ++i) {
    row.dense.push_back(dense_of_count(geometric(dense_means_[i], unit(bits(sample, kDenseField, i)))));
  }
}

void Synthetic::make(std::int64_t sample, TextRow& row) const {
  row.clear();
  if (config_.lookups_alone) {
    row.dense.resize(dense_means_.size());
  } else {
    add_dense(sample, row);
  }
  for (std::size_t t = 0; t < config_.tables.size(); ++t) {
    if (config_.pooling.multi_hot() || config_.weighted) {
      add_ids(t, sample, row);
    } else {
      row.ids.push_back(id(t, config_.tables[t].rank(unit(bits(sample, t, 0))), sample));
    }
  }
  row.label = 0;
  if (!config_.lookups_alone && unit(bits(sample, kLabelField, 0)) < probability(row)) row.label = 1;
}

void Synthetic::make_ids(std::size_t table, std::int64_t begin, std::int64_t end,
                         std::vector<std::int64_t>& ids) const {
  for (std::int64_t sample = begin; sample < end; ++sample)
    ids.push_back(id(table, config_.tables[table].rank(unit(bits(sample, table, 0))), sample));
}

double Synthetic::probability(const TextRow& row) const { return logistic(bias_ + signal(row)); }

// A linear model of the dense features, and a weight for every id, times that of the lookup; a bag counts as
// its mean.
double Synthetic::signal(const TextRow& row) const {
  constexpr double kIdWeight = 0.4;
  double sum = 0;
  for (std::size_t i = 0; i < row.dense.size(); ++i)
    sum += dense_weights_[i] * static_cast<double>(row.dense[i]);
  std::size_t begin = 0;
  for (std::size_t t = 0; t < config_.tables.size(); ++t) {
    const std::size_t end = row.ends.empty() ? t + 1 : row.ends[t];
    double weight = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double of_id = spread(bits(-1, kHiddenField + 1 + t, static_cast<std::uint64_t>(row.ids[i])));
      weight += row.weights.empty() ? of_id : static_cast<double>(row.weights[i]) * of_id;
    }
    sum += kIdWeight * weight / static_cast<double>(std::max<std::size_t>(1, end - begin));
    begin = end;
  }
  return sum;
}

// The constant with which the labels have the wanted share of ones, by halving, over samples that no dataset
// contains.
double Synthetic::fitting_bias() const {
  constexpr std::int64_t kTrials = 4096;
  constexpr std::int64_t kBeyondAll = 1LL << 62;
  std::vector<double> signals;
  TextRow row;
  for (std::int64_t i = 0; i < kTrials; ++i) {
    make(kBeyondAll + i, row);
    signals.push_back(signal(row));
  }
  double low = -100;
  double high = 100;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    double share = 0;
    for (const double s : signals) share += logistic(middle + s);
    (share / kTrials < config_.base_rate ? low : high) = middle;
  }
  return low;
}

SyntheticReader::SyntheticReader(const SyntheticConfig& config, std::int64_t samples, int threads)
    : synthetic_(config),
      shape_(synthetic_.shape()),
      samples_(samples),
      single_lookups_(config.lookups_alone && !shape_.multi_hot),
      parts_(threads > 0 ? static_cast<std::size_t>(threads)
                         : std::max(1U, std::thread::hardware_concurrency())) {}

std::int64_t SyntheticReader::read(Batch& batch, std::int64_t most) {
  const std::int64_t count = std::min(most, samples_ - next_);
  constexpr std::int64_t kWorthAThread = 512;  // samples; about a millisecond
  const auto threads =
      std::clamp<std::int64_t>(count / kWorthAThread, 1, static_cast<std::int64_t>(parts_.size()));
  if (threads == 1) {
    make(next_, next_ + count, batch);
  } else {
    std::vector<std::thread> running;
    for (std::int64_t t = 0; t < threads; ++t) {
      running.emplace_back([this, t, count, threads] {
        make(next_ + count * t / threads, next_ + count * (t + 1) / threads,
             parts_[static_cast<std::size_t>(t)]);
      });
    }
    for (std::thread& thread : running) thread.join();
    clear(batch, shape_);
    for (std::int64_t t = 0; t < threads; ++t) append(batch, parts_[static_cast<std::size_t>(t)]);
  }
  next_ += count;
  return count;
}

void SyntheticReader::make(std::int64_t begin, std::int64_t end, Batch& part) const {
  clear(part, shape_);
  if (single_lookups_) return make_lookups(begin, end, part);
  TextRow row;
  for (std::int64_t sample = begin; sample < end; ++sample) {
    synthetic_.make(sample, row);
    append(part, row);
  }
}

// Column by column, with no sample in between.
void SyntheticReader::make_lookups(std::int64_t begin, std::int64_t end, Batch& part) const {
  part.samples = end - begin;
  part.labels.resize(static_cast<std::size_t>(part.samples));
  part.dense.resize(static_cast<std::size_t>(part.samples * part.dense_features));
  for (std::size_t t = 0; t < part.tables.size(); ++t) synthetic_.make_ids(t, begin, end, part.tables[t].ids);
}

std::int64_t SyntheticReader::skip(std::int64_t samples) {
  const std::int64_t skipped = std::min(samples, samples_ - next_);
  next_ += skipped;
  return skipped;
}

}  // namespace overture::data
