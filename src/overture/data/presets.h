// The tables of well-known click logs, with the skew that was fitted to them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "overture/data/skew.h"

namespace overture::data {

enum class Likeness { kaggle, avazu, terabyte };

struct TablePreset {
  std::int64_t rows;
  double exponent;
};

// In the order of the dataset's columns.
std::vector<TablePreset> table_presets(Likeness likeness);

// Multiplied by the factor, rounded, at least 2 rows each. Throws UserError when the factor makes no sense.
std::vector<Skew> scaled_tables(Likeness likeness, double scale);
// With the same skew for all tables.
std::vector<Skew> scaled_tables(Likeness likeness, double scale, const SkewKind& skew);

// "kaggle", "criteo-kaggle", "avazu", "terabyte".
Likeness parse_likeness(std::string_view text, const std::string& key = "--like");
// "uniform", "long" (0.9), "medium" (1.1), "short" (1.3), an exponent such as "1.05", or "two-level:1:90" (1
// % of the rows take 90 % of the lookups). Not "fitted", which is no single skew.
SkewKind parse_skew(std::string_view text, const std::string& key = "--skew");

}  // namespace overture::data
