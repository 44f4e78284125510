// Times measured on a real machine, GEMM by GEMM. A GEMM that was not measured is placed between those that
// were by its number of floating-point operations.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "overture/base/units.h"
#include "overture/compute/gemm.h"

namespace overture::compute {

class MeasuredTable {
 public:
  // At least one measurement, every time more than zero.
  explicit MeasuredTable(std::map<Gemm, Duration> times);

  // The measured time if there is one. Else linear in FLOPs between the next smaller and the next larger
  // measurement, and in proportion to the FLOPs beyond the first and the last; rounded up to a picosecond.
  // Measurements with equal FLOPs count as one with their mean time. `element` plays no role: the table holds
  // for the type it was measured with.
  Duration time(const Gemm& gemm, Bytes element) const;

 private:
  struct Point {
    Int128 flops;
    Duration time;
  };

  std::map<Gemm, Duration> times_;
  std::vector<Point> curve_;  // by FLOPs, ascending and distinct
};

// Header `rows,inner,columns,time`; the time carries its unit: `64,512,128,12.5 us`. Throws UserError on a
// bare number, a time of zero, and a GEMM that is there twice.
MeasuredTable parse_measured_table(std::string_view text, const std::string& file);
MeasuredTable read_measured_table(const std::filesystem::path& path);

}  // namespace overture::compute
