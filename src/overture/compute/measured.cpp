#include "overture/compute/measured.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/check.h"
#include "overture/base/csv.h"
#include "overture/base/error.h"
#include "overture/base/files.h"

namespace overture::compute {
namespace {

constexpr std::string_view kHeader = "rows,inner,columns,time";

// `time` * part / whole, rounded up, for 0 <= part and 0 < whole. In integers, so that every machine gives
// the same picosecond; low bits of FLOP counts beyond 2^62 do not matter and would overflow the product.
Duration share(Duration time, Int128 part, Int128 whole, const Gemm& gemm) {
  while (whole >> 62 != 0) {
    whole >>= 1;
    part >>= 1;
  }
  if (part / whole >= Duration::max().count() / time.count()) throw_too_long(gemm);
  return Duration{static_cast<std::int64_t>((part * time.count() + whole - 1) / whole)};
}

Duration positive_time(const std::string& text, const Where& where) {
  const auto time = parse_duration(text);
  if (!time) throw UserError(where, time.error());
  if (time.value() <= Duration{0}) throw UserError(where, "a measured time must be above zero");
  return time.value();
}

}  // namespace

MeasuredTable::MeasuredTable(std::map<Gemm, Duration> times) : times_(std::move(times)) {
  check(!times_.empty(), "a table has a measurement");
  std::map<Int128, std::vector<Duration>> by_flops;
  for (const auto& [gemm, time] : times_) by_flops[flops(gemm)].push_back(time);
  for (const auto& [flops, same] : by_flops) {
    Int128 sum = 0;
    for (const Duration time : same) {
      check(time > Duration{0}, "a measured time must be above zero");
      sum += time.count();
    }
    curve_.push_back({flops, Duration{static_cast<std::int64_t>(sum / static_cast<Int128>(same.size()))}});
  }
}

Duration MeasuredTable::time(const Gemm& gemm, Bytes /*element*/) const {
  if (const auto measured = times_.find(gemm); measured != times_.end()) return measured->second;
  const Int128 work = flops(gemm);
  const auto above = std::lower_bound(curve_.begin(), curve_.end(), work,
                                      [](const Point& point, Int128 flops) { return point.flops < flops; });
  if (above == curve_.begin()) return share(above->time, work, above->flops, gemm);
  const auto below = above - 1;
  if (above == curve_.end()) return share(below->time, work, below->flops, gemm);
  const Int128 gap = above->flops - below->flops;
  if (above->time == below->time) return above->time;
  if (above->time > below->time) {
    return below->time + share(above->time - below->time, work - below->flops, gap, gemm);
  }
  return above->time + share(below->time - above->time, above->flops - work, gap, gemm);
}

MeasuredTable parse_measured_table(std::string_view text, const std::string& file) {
  const CsvTable table = parse_csv(text, file, kHeader);
  if (table.header.cells != std::vector<std::string>{"rows", "inner", "columns", "time"}) {
    throw UserError(table.where(table.header), "not the header of a table of measured times",
                    fmt::format("the first line is {}", kHeader));
  }
  std::map<Gemm, Duration> times;
  for (const CsvRow& row : table.rows) {
    if (row.cells.size() != 4) {
      throw UserError(table.where(row), fmt::format("{} columns instead of 4", row.cells.size()),
                      fmt::format("columns: {}", kHeader));
    }
    const auto side = [&](std::size_t column) {
      return whole_number(row.cells[column], table.where(row, table.header.cells[column]), 1, kLargestSide);
    };
    const Gemm gemm{.rows = side(0), .inner = side(1), .columns = side(2)};
    if (!times.emplace(gemm, positive_time(row.cells[3], table.where(row, "time"))).second) {
      throw UserError(table.where(row), fmt::format("{} appears twice", to_string(gemm)));
    }
  }
  if (times.empty()) {
    throw UserError({.file = file}, "has no measurement", "a line is, for example, 64,512,128,12.5 us");
  }
  return MeasuredTable(std::move(times));
}

MeasuredTable read_measured_table(const std::filesystem::path& path) {
  return parse_measured_table(read_file(path), path.string());
}

}  // namespace overture::compute
