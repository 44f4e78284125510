#include "overture/data/presets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/text.h"

namespace overture::data {
namespace {

// Rows from Bagpipe's emb_table_info. Exponents fitted so that 100 draws have as many different ids as the
// first 100 rows of the real data.
constexpr std::array<TablePreset, 26> kKaggle{
    {{1460, 1.98},  {583, 1.18},   {10131227, 0.96}, {2202608, 1.00}, {305, 2.00},  {24, 2.00},
     {12517, 0.82}, {633, 2.00},   {3, 2.00},        {93145, 1.02},   {5683, 0.86}, {8351593, 0.98},
     {3194, 0.88},  {27, 2.00},    {14992, 0.88},    {5461306, 0.98}, {10, 1.96},   {5652, 1.00},
     {2173, 1.62},  {4, 0.00},     {7046547, 0.98},  {18, 2.00},      {15, 2.00},   {286181, 1.06},
     {105, 2.00},   {142572, 1.26}}};

// Rows from Bagpipe's generate_fae_split_file.py.
constexpr std::array<std::int64_t, 21> kAvazuRows{8, 8, 4738, 7746, 27, 8553, 560, 37, 2686409, 6729487, 8252,
                                                  6, 5, 2627, 9,    10, 436,  5,   69, 173,     61};

// Rows of Criteo's Terabyte log in MLPerf's DLRM, which folds ids into 40 million.
constexpr std::array<std::int64_t, 26> kTerabyteRows{
    39884406, 39043, 17289, 7420, 20263, 3,  7120,     1543,     63,       38532951, 2953546, 403346, 10,
    2208,     11938, 155,   4,    976,   14, 39979771, 25641295, 39664984, 585935,   12972,   108,    36};

// The same shape as Kaggle's: the k-th largest table gets the exponent of Kaggle's k-th largest.
std::vector<TablePreset> terabyte() {
  const auto by_size = [](const auto& rows_of) {
    std::array<std::size_t, 26> order{};
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return rows_of(a) > rows_of(b); });
    return order;
  };
  const auto kaggle = by_size([](std::size_t t) { return kKaggle[t].rows; });
  const auto ours = by_size([](std::size_t t) { return kTerabyteRows[t]; });
  std::vector<TablePreset> tables(kTerabyteRows.size());
  for (std::size_t k = 0; k < tables.size(); ++k) {
    tables[ours[k]] = {.rows = kTerabyteRows[ours[k]], .exponent = kKaggle[kaggle[k]].exponent};
  }
  return tables;
}

std::int64_t scaled(std::int64_t rows, double scale) {
  constexpr double kMostRows = 1LL << 31;
  const double product = static_cast<double>(rows) * scale;
  if (!(scale > 0) || product > kMostRows) {
    throw UserError({.key = "--scale"}, "must be above 0, and leave every table below 2^31 rows");
  }
  return std::max<std::int64_t>(2, std::llround(product));
}

SkewKind parse_two_levels(std::string_view text, std::string_view rest, const std::string& key) {
  const std::size_t colon = rest.find(':');
  TwoLevels levels{.hot_rows = parse_number<double>(rest.substr(0, colon)).value_or(0),
                   .hot_lookups = parse_number<double>(rest.substr(colon + 1)).value_or(0)};
  if (colon == std::string_view::npos || !(levels.hot_rows > 0 && levels.hot_rows <= 100) ||
      !(levels.hot_lookups > 0 && levels.hot_lookups < 100)) {
    throw UserError({.key = key}, fmt::format("\"{}\" is not two percentages", text),
                    "two-level:1:90 means that 1 % of the rows take 90 % of the lookups");
  }
  levels.hot_rows /= 100;
  levels.hot_lookups /= 100;
  return levels;
}

}  // namespace

std::vector<TablePreset> table_presets(Likeness likeness) {
  if (likeness == Likeness::kaggle) return {kKaggle.begin(), kKaggle.end()};
  if (likeness == Likeness::terabyte) return terabyte();
  std::vector<TablePreset> tables;
  for (const std::int64_t rows : kAvazuRows) tables.push_back({.rows = rows, .exponent = 1.0});
  return tables;
}

std::vector<Skew> scaled_tables(Likeness likeness, double scale) {
  std::vector<Skew> tables;
  for (const TablePreset& table : table_presets(likeness)) {
    tables.emplace_back(scaled(table.rows, scale), PowerLaw{table.exponent});
  }
  return tables;
}

std::vector<Skew> scaled_tables(Likeness likeness, double scale, const SkewKind& skew) {
  std::vector<Skew> tables;
  for (const TablePreset& table : table_presets(likeness))
    tables.emplace_back(scaled(table.rows, scale), skew);
  return tables;
}

Likeness parse_likeness(std::string_view text, const std::string& key) {
  if (text == "kaggle" || text == "criteo-kaggle") return Likeness::kaggle;
  if (text == "avazu") return Likeness::avazu;
  if (text == "terabyte" || text == "terabyte-like") return Likeness::terabyte;
  throw UserError({.key = key}, fmt::format("unknown dataset \"{}\"", text),
                  suggest(text, {"kaggle", "avazu", "terabyte"}));
}

SkewKind parse_skew(std::string_view text, const std::string& key) {
  if (text == "uniform") return PowerLaw{0};
  if (text == "long") return PowerLaw{0.9};  // the names and exponents of HugeCTR's generator
  if (text == "medium") return PowerLaw{1.1};
  if (text == "short") return PowerLaw{1.3};
  constexpr std::string_view kTwoLevel = "two-level:";
  if (text.starts_with(kTwoLevel)) return parse_two_levels(text, text.substr(kTwoLevel.size()), key);
  constexpr double kSteepest = 10;
  const auto exponent = parse_number<double>(text);
  if (exponent && *exponent >= 0 && *exponent <= kSteepest) return PowerLaw{*exponent};
  throw UserError({.key = key}, fmt::format("unknown skew \"{}\"", text),
                  "known: fitted, uniform, long, medium, short, two-level:1:90, or an exponent such as 1.05");
}

}  // namespace overture::data
