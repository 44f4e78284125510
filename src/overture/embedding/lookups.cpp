#include "overture/embedding/lookups.h"

#include <algorithm>
#include <numeric>

#include "overture/base/check.h"

namespace overture::embedding {
namespace {

constexpr std::int64_t kSamplesAtOnce = 512;
constexpr std::int64_t kRowsAtOnce = 512;

}  // namespace

void Lookups::assign(const TablesConfig& config, std::int64_t samples, std::uint32_t rows,
                     std::span<const TableLookups> tables) {
  check(tables.size() == config.tables.size(), "a batch has lookups for every table");
  samples_ = samples;
  width_ = config.width();
  scaled_ = false;
  tables_.resize(tables.size());
  mean_scales_.resize(tables.size());
  starts_.assign(rows + 1, 0);
  std::int64_t column = 0;
  std::uint32_t next_row = 0;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    Table& table = tables_[t];
    table = {.lookups = tables[t], .dim = config.tables[t].dim, .column = column, .first_row = next_row};
    column += table.dim;
    for (const std::uint32_t row : table.lookups.rows) {
      ++starts_[row + 1];
      next_row = std::max(next_row, row + 1);
    }
    table.last_row = next_row;
    scale(config.tables[t], table);
  }
  check(next_row == rows, "every row of a batch is looked up");
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
}

std::span<const TableGradients> Lookups::as_pooled(std::span<const float> gradients) {
  check(std::ssize(gradients) == samples_ * width_, "gradients are those of what was pooled");
  as_pooled_.clear();
  for (const Table& table : tables_)
    as_pooled_.push_back({.data = gradients.data() + table.column, .stride = width_});
  return as_pooled_;
}

// By row, which is known only now: where each of its lookups finds its gradient.
void Lookups::arrange(std::span<const TableGradients> gradients) {
  check(gradients.size() == tables_.size(), "every table has its gradients");
  next_.assign(starts_.begin(), starts_.end() - 1);
  places_.resize(starts_.back());
  if (scaled_) scales_.resize(starts_.back());
  for (std::size_t t = 0; t < tables_.size(); ++t) place(tables_[t], gradients[t].stride);
}

// Weights, or the division of a mean, are one factor per lookup.
void Lookups::scale(const TableConfig& config, Table& table) {
  const TableLookups& lookups = table.lookups;
  if (config.pooling == Pooling::weighted) {
    check(lookups.weights.size() == lookups.rows.size(), "every lookup has a weight");
    table.scales = lookups.weights.data();
  }
  if (config.pooling == Pooling::mean && !lookups.offsets.empty()) {
    std::vector<float>& scales = mean_scales_[static_cast<std::size_t>(&table - tables_.data())];
    scales.resize(lookups.rows.size());
    for (std::int64_t s = 0; s < samples_; ++s) {
      const std::uint32_t begin = lookups.offsets[static_cast<std::size_t>(s)];
      const std::uint32_t end = lookups.offsets[static_cast<std::size_t>(s) + 1];
      const float share = 1.0f / static_cast<float>(std::max(end - begin, 1u));
      std::fill(scales.begin() + begin, scales.begin() + end, share);
    }
    table.scales = scales.data();
  }
  scaled_ = scaled_ || table.scales != nullptr;
}

void Lookups::place(const Table& table, std::int64_t stride) {
  const TableLookups& lookups = table.lookups;
  for (std::int64_t s = 0; s < samples_; ++s) {
    const auto sample = static_cast<std::size_t>(s);
    const std::size_t begin = lookups.offsets.empty() ? sample : lookups.offsets[sample];
    const std::size_t end = lookups.offsets.empty() ? sample + 1 : lookups.offsets[sample + 1];
    const auto gradient = static_cast<std::uint64_t>(s * stride);
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t place = next_[lookups.rows[i]]++;
      places_[place] = gradient;
      if (scaled_) scales_[place] = table.scales == nullptr ? 1.0f : table.scales[i];
    }
  }
}

void Lookups::pool(std::span<float* const> rows, std::span<float> out, Workers& workers) const {
  check(std::ssize(out) == samples_ * width_, "pooled rows have their place");
  const std::int64_t parts = (samples_ + kSamplesAtOnce - 1) / kSamplesAtOnce;
  workers.run(parts * std::ssize(tables_), [&](std::int64_t block) {
    const Table& table = tables_[static_cast<std::size_t>(block / parts)];
    const std::int64_t from = block % parts * kSamplesAtOnce;
    kernels().pool({.rows = rows.data(),
                    .lookups = table.lookups.rows.data(),
                    .offsets = table.lookups.offsets.empty() ? nullptr : table.lookups.offsets.data(),
                    .scales = table.scales,
                    .dim = table.dim,
                    .out = out.data() + table.column,
                    .out_stride = width_,
                    .from = from,
                    .to = std::min(from + kSamplesAtOnce, samples_),
                    .samples = samples_});
  });
  workers.done(Work::gather, work());
}

// Lookups, the numbers of the rows that they name, and different rows.
WorkNumbers Lookups::work() const {
  std::int64_t numbers = 0;
  for (const Table& table : tables_) numbers += std::ssize(table.lookups.rows) * table.dim;
  return {starts_.back(), numbers, std::ssize(starts_) - 1};
}

SumJob Lookups::job(const Table& table, const float* gradients, std::int64_t from, std::int64_t to) const {
  return {.starts = starts_.data(),
          .places = places_.data(),
          .scales = scaled_ ? scales_.data() : nullptr,
          .gradients = gradients,
          .dim = table.dim,
          .from = table.first_row + static_cast<std::uint32_t>(from),
          .to = table.first_row + static_cast<std::uint32_t>(to),
          .rows = static_cast<std::uint32_t>(starts_.size() - 1)};
}

// Every row belongs to one block, so it has one writer, and the order within it is that of its lookups.
template <class Work>
void Lookups::each_part(std::int64_t grain, Workers& workers, Work work) const {
  std::vector<std::int64_t> first_block{0};
  for (const Table& table : tables_)
    first_block.push_back(first_block.back() + (table.last_row - table.first_row + grain - 1) / grain);
  workers.run(first_block.back(), [&](std::int64_t block) {
    const auto after = std::upper_bound(first_block.begin(), first_block.end(), block);
    const auto t = static_cast<std::size_t>(after - first_block.begin() - 1);
    const std::int64_t from = (block - first_block[t]) * grain;
    work(t, from, std::min<std::int64_t>(from + grain, tables_[t].last_row - tables_[t].first_row));
  });
}

void Lookups::update(const UpdateRule& rule, std::span<const TableGradients> gradients,
                     std::span<float* const> rows, Workers& workers) {
  arrange(gradients);
  each_part(kRowsAtOnce, workers, [&](std::size_t t, std::int64_t from, std::int64_t to) {
    kernels().update(job(tables_[t], gradients[t].data, from, to), rule, rows.data());
  });
  workers.done(Work::update_rows, work());
}

void Lookups::sum(std::span<const TableGradients> gradients, std::span<float* const> sums, Workers& workers) {
  arrange(gradients);
  each_part(kRowsAtOnce, workers, [&](std::size_t t, std::int64_t from, std::int64_t to) {
    const SumJob one = job(tables_[t], gradients[t].data, from, to);
    kernels().sum(one, sums.data() + one.from);
  });
  workers.done(Work::sum_rows, work());
}

}  // namespace overture::embedding
