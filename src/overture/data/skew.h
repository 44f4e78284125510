// Skew: how often each rank of a table is looked up, rank 0 the most popular. A bounded power law, which the
// Criteo tables were fitted to, or two levels as in Bagpipe's generator. It draws nothing itself: callers
// bring the uniform number.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

namespace overture::data {

// P(rank < k) = ((k+1)^(1-s) - 1) / ((n+1)^(1-s) - 1); exponent s = 0 is uniform.
struct PowerLaw {
  double exponent = 1;
};

// A share of the rows takes a share of the lookups, both evenly within.
struct TwoLevels {
  double hot_rows = 0.01;
  double hot_lookups = 0.9;
};

using SkewKind = std::variant<PowerLaw, TwoLevels>;

class Skew {
 public:
  // At least one row.
  Skew(std::int64_t rows, const SkewKind& kind);

  std::int64_t rows() const { return rows_; }
  // The rank that a uniform number in [0, 1) falls on.
  std::int64_t rank(double uniform) const;
  // The share of lookups that go to ranks below this one.
  double share_below(std::int64_t rank) const;
  double share_of(std::int64_t rank) const { return share_below(rank + 1) - share_below(rank); }

 private:
  double inverse_power(double uniform) const;

  std::int64_t rows_;
  bool two_levels_ = false;
  double exponent_ = 0;
  double span_ = 0;            // (n+1)^(1-s) - 1, or log(n+1)
  std::int64_t hot_rows_ = 0;  // of two levels
  double hot_lookups_ = 0;
};

// The share of all lookups that the most popular `share` of all rows takes, when every table is looked up
// equally often.
double top_share(std::span<const Skew> tables, double share);

// How many different rows so many lookups of the table touch, on average.
double expected_unique(const Skew& table, std::int64_t lookups);

}  // namespace overture::data
