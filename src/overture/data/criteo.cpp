#include "overture/data/criteo.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "overture/base/text.h"

namespace overture::data {
namespace {

constexpr std::size_t kSmallCounts = 4096;  // most are small, and a logarithm costs more than the parsing

std::array<float, kSmallCounts> small_logarithms() {
  std::array<float, kSmallCounts> values{};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::log(static_cast<float>(i) + 1.0F);
  return values;
}

// The fields of a line, one by one.
class Fields {
 public:
  explicit Fields(std::string_view line) : at_(line.data()), end_(line.data() + line.size()) {}

  // False when there are no more.
  bool next(std::string_view& field) {
    if (done_) return false;
    const char* start = at_;
    while (at_ != end_ && *at_ != '\t') ++at_;
    field = {start, static_cast<std::size_t>(at_ - start)};
    done_ = at_ == end_;
    if (!done_) ++at_;
    return true;
  }

 private:
  const char* at_;
  const char* end_;
  bool done_ = false;
};

std::string wrong_number_of_fields(std::string_view line) {
  const auto fields = 1 + std::count(line.begin(), line.end(), '\t');
  return fmt::format("{} fields between tabs instead of {}{}", fields, 1 + kCriteoCounts + kCriteoTables,
                     fields == kCriteoCounts + kCriteoTables ? " (Criteo's test set has no labels)" : "");
}

}  // namespace

Shape criteo_shape() {
  return {.dense_features = kCriteoCounts, .table_rows = std::vector<std::int64_t>(kCriteoTables, 0)};
}

float dense_of_count(std::int64_t count) {
  static const std::array<float, kSmallCounts> logarithms = small_logarithms();
  const auto positive = static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
  return positive < kSmallCounts ? logarithms[positive] : std::log(static_cast<float>(positive) + 1.0F);
}

std::int64_t count_of_dense(float value) { return std::llround(std::expm1(static_cast<double>(value))); }

namespace {

std::string parse_behind_label(std::string_view line, Fields& fields, TextRow& row) {
  std::string_view field;
  for (std::int64_t i = 0; i < kCriteoCounts; ++i) {
    if (!fields.next(field)) return wrong_number_of_fields(line);
    const auto count = field.empty() ? 0 : parse_number<std::int64_t>(field);
    if (!count) {
      return fmt::format("count {} is \"{}\", not a whole number", i + 1, field.substr(0, 40));
    }
    row.dense.push_back(dense_of_count(*count));
  }
  for (std::int64_t i = 0; i < kCriteoTables; ++i) {
    if (!fields.next(field)) return wrong_number_of_fields(line);
    const auto hash = field.empty() ? 0U : parse_number<std::uint32_t>(field, 16);
    if (!hash) {
      return fmt::format("category {} is \"{}\", not a hash of up to 8 hexadecimal digits", i + 1,
                         field.substr(0, 40));
    }
    row.ids.push_back(*hash);
  }
  if (fields.next(field)) return wrong_number_of_fields(line);
  return {};
}

}  // namespace

std::string parse_criteo(std::string_view line, TextRow& row) {
  Fields fields(line);
  std::string_view field;
  fields.next(field);
  if (field != "0" && field != "1")
    return fmt::format("label \"{}\" is neither 0 nor 1", field.substr(0, 40));
  row.label = field == "1" ? 1.0F : 0.0F;
  return parse_behind_label(line, fields, row);
}

std::string parse_unlabelled_criteo(std::string_view line, TextRow& row) {
  if (std::count(line.begin(), line.end(), '\t') == kCriteoCounts + kCriteoTables)
    return parse_criteo(line, row);
  Fields fields(line);
  return parse_behind_label(line, fields, row);
}

}  // namespace overture::data
