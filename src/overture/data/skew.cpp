#include "overture/data/skew.h"

#include <algorithm>
#include <cmath>

#include "overture/base/check.h"

namespace overture::data {
namespace {

bool harmonic(double exponent) { return std::abs(exponent - 1) < 1e-9; }

// How many ranks of the table are looked up with at least this share; shares fall with the rank.
std::int64_t ranks_above(const Skew& table, double share) {
  std::int64_t low = 0;
  std::int64_t high = table.rows();
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (table.share_of(middle) >= share) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

Skew::Skew(std::int64_t rows, const SkewKind& kind) : rows_(rows) {
  check(rows >= 1, "a table has at least one row");
  const double n = static_cast<double>(rows);
  if (const auto* law = std::get_if<PowerLaw>(&kind)) {
    exponent_ = law->exponent;
    span_ = harmonic(exponent_) ? std::log(n + 1) : std::pow(n + 1, 1 - exponent_) - 1;
  } else {
    const auto& levels = std::get<TwoLevels>(kind);
    two_levels_ = true;
    hot_rows_ = std::clamp<std::int64_t>(std::llround(levels.hot_rows * n), 1, rows);
    hot_lookups_ = hot_rows_ == rows ? 1 : levels.hot_lookups;
  }
}

double Skew::inverse_power(double uniform) const {
  if (harmonic(exponent_)) return std::exp(uniform * span_) - 1;
  return std::pow(uniform * span_ + 1, 1 / (1 - exponent_)) - 1;
}

std::int64_t Skew::rank(double uniform) const {
  std::int64_t rank = 0;
  if (!two_levels_) {
    rank = static_cast<std::int64_t>(inverse_power(uniform));
  } else if (uniform < hot_lookups_) {
    rank = static_cast<std::int64_t>(uniform / hot_lookups_ * static_cast<double>(hot_rows_));
  } else {
    const double cold = static_cast<double>(rows_ - hot_rows_);
    rank = hot_rows_ + static_cast<std::int64_t>((uniform - hot_lookups_) / (1 - hot_lookups_) * cold);
  }
  return std::min(rank, rows_ - 1);
}

double Skew::share_below(std::int64_t rank) const {
  if (rank >= rows_) return 1;
  const double k = static_cast<double>(rank);
  if (two_levels_) {
    if (rank <= hot_rows_) return hot_lookups_ * k / static_cast<double>(hot_rows_);
    const double cold = static_cast<double>(rank - hot_rows_) / static_cast<double>(rows_ - hot_rows_);
    return hot_lookups_ + (1 - hot_lookups_) * cold;
  }
  if (harmonic(exponent_)) return std::log(k + 1) / span_;
  return (std::pow(k + 1, 1 - exponent_) - 1) / span_;
}

// Looks for the popularity that so many rows exceed, by halving its logarithm.
double top_share(std::span<const Skew> tables, double share) {
  double rows = 0;
  for (const Skew& table : tables) rows += static_cast<double>(table.rows());
  const double wanted = share * rows;
  double low = std::log(1e-18);
  double high = 0;
  for (int step = 0; step < 100; ++step) {
    const double middle = (low + high) / 2;
    double above = 0;
    for (const Skew& table : tables) above += static_cast<double>(ranks_above(table, std::exp(middle)));
    (above > wanted ? low : high) = middle;
  }
  double taken = 0;
  for (const Skew& table : tables) taken += table.share_below(ranks_above(table, std::exp(high)));
  return taken / static_cast<double>(tables.size());
}

double expected_unique(const Skew& table, std::int64_t lookups) {
  constexpr std::int64_t kOneByOne = 4096;  // from here on, ranks within 1 % are looked up alike
  double unique = 0;
  std::int64_t rank = 0;
  while (rank < table.rows()) {
    const std::int64_t next = std::min(table.rows(), rank < kOneByOne ? rank + 1 : rank + rank / 100);
    const double count = static_cast<double>(next - rank);
    const double each = (table.share_below(next) - table.share_below(rank)) / count;
    if (each >= 1) return unique + count;
    unique -= count * std::expm1(static_cast<double>(lookups) * std::log1p(-each));
    rank = next;
  }
  return unique;
}

}  // namespace overture::data
