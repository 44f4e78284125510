#include "overture/compute/systolic.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "overture/base/check.h"
#include "overture/base/error.h"

namespace overture::compute {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// How a GEMM lies on the array: two of its sides over the grid, the third in time.
struct Mapping {
  std::int64_t over_rows;
  std::int64_t over_columns;
  std::int64_t streamed;
};

Mapping mapping(Dataflow dataflow, const Gemm& gemm) {
  switch (dataflow) {
    case Dataflow::output_stationary: return {gemm.rows, gemm.columns, gemm.inner};
    case Dataflow::weight_stationary: return {gemm.inner, gemm.columns, gemm.rows};
    case Dataflow::input_stationary: return {gemm.inner, gemm.rows, gemm.columns};
  }
  check(false, "every dataflow has a mapping");
  return {};
}

// The same mapping, cut into folds of the array's size.
class Folds {
 public:
  Folds(const SystolicArray& array, const Gemm& gemm)
      : map_(mapping(array.dataflow, gemm)),
        height_(array.height),
        width_(array.width),
        stationary_operand_(array.dataflow != Dataflow::output_stationary) {
    check(height_ >= 1 && width_ >= 1, "an array has at least one unit");
    check(flops(gemm) > 0, "a GEMM has work");  // and its sides are in range, so nothing here overflows
  }

  Int128 count() const { return Int128{row_folds()} * column_folds(); }

  // The skew of the streams into and out of the grid and the stream itself; an operand that stays must first
  // be shifted in, a row a cycle.
  std::int64_t cycles() const {
    return (stationary_operand_ ? height_ : 0) + height_ + width_ + map_.streamed - 2;
  }

  Int128 total_cycles() const { return count() * cycles() - 1; }

  // Fractions of the units.
  double mean_mapping() const {
    return mean([this](std::int64_t used) { return ratio(used, units()); });
  }
  double mean_compute() const {
    return mean([this](std::int64_t used) {
      return ratio(Int128{used} * map_.streamed, Int128{units()} * cycles_for_utilization());
    });
  }

 private:
  static double ratio(Int128 a, Int128 b) { return static_cast<double>(a) / static_cast<double>(b); }

  std::int64_t row_folds() const { return ceil_div(map_.over_rows, height_); }
  std::int64_t column_folds() const { return ceil_div(map_.over_columns, width_); }
  std::int64_t units() const { return height_ * width_; }

  // With a stationary operand SCALE-Sim adds the skew of its last row once more, only for this column.
  std::int64_t cycles_for_utilization() const { return cycles() + (stationary_operand_ ? width_ - 1 : 0); }

  // SCALE-Sim adds up the folds one by one, columns outermost, and prints the rounding errors of doing so; in
  // the same order they are the same to the last digit. SCALE-Sim itself is too slow for more folds than
  // these.
  template <class Value>
  double mean(Value value) const {
    constexpr std::int64_t kFoldsToAddUp = 1'000'000;
    // The units used in all folds together are the cells of the matrix, so this mean needs no loop.
    if (count() > kFoldsToAddUp) {
      return value(units()) * ratio(Int128{map_.over_rows} * map_.over_columns, count() * units());
    }
    double sum = 0;
    for (std::int64_t column = 0; column < map_.over_columns; column += width_) {
      for (std::int64_t row = 0; row < map_.over_rows; row += height_) {
        sum += value(std::min(height_, map_.over_rows - row) * std::min(width_, map_.over_columns - column));
      }
    }
    return sum / static_cast<double>(count());
  }

  Mapping map_;
  std::int64_t height_;
  std::int64_t width_;
  bool stationary_operand_;
};

}  // namespace

std::int64_t SystolicArray::cycles(const Gemm& gemm) const {
  const Int128 total = Folds(*this, gemm).total_cycles();
  if (total > std::numeric_limits<std::int64_t>::max()) {
    throw UserError(fmt::format("a GEMM of {} takes more cycles on a {} x {} array than can be counted",
                                to_string(gemm), height, width));
  }
  return static_cast<std::int64_t>(total);
}

LayerReport SystolicArray::report(const Gemm& gemm) const {
  const Folds folds(*this, gemm);
  const std::int64_t total = cycles(gemm);
  const Int128 percent_of_products = flops(gemm) / 2 * 100;
  // A single product on a single unit counts as no cycle at all.
  const Int128 slots = Int128{std::max<std::int64_t>(total, 1)} * height * width;
  return {.total_cycles = total,
          .overall_utilization = static_cast<double>(percent_of_products) / static_cast<double>(slots),
          .mapping_efficiency = folds.mean_mapping() * 100,
          .compute_utilization = folds.mean_compute() * 100};
}

Duration SystolicArray::time(const Gemm& gemm, Bytes /*element*/) const {
  return time_at(cycles(gemm), clock.hertz(), gemm);
}

}  // namespace overture::compute
