#include "overture/compute/measured.h"

#include <gtest/gtest.h>

#include "overture/base/testing.h"

namespace overture::compute {
namespace {

using namespace literals;

MeasuredTable table(const std::string& rows) {
  return parse_measured_table("rows,inner,columns,time\n" + rows, "gpu.csv");
}
std::string error_of(const std::string& rows) {
  return user_error([&] { table(rows); });
}
// A GEMM of 2 * n FLOPs, distinct from the measured 1 x 1 x n.
Gemm work(std::int64_t n) { return {.rows = n, .inner = 1, .columns = 1}; }

TEST(MeasuredTable, GivesTheMeasuredTimeOfAMeasuredGemm) {
  const auto times = table("64,512,128,12.5 us\n64,512,256,20 us\n");
  EXPECT_EQ(times.time({.rows = 64, .inner = 512, .columns = 128}, 2_B), 12'500ns);
}

TEST(MeasuredTable, InterpolatesLinearlyInFlops) {
  const auto times = table("1,1,200,30 us\n1,1,100,10 us\n1,1,400,20 us\n");
  EXPECT_EQ(times.time(work(100), 2_B), 10us);
  EXPECT_EQ(times.time(work(150), 2_B), 20us);
  EXPECT_EQ(times.time(work(300), 2_B), 25us);  // also where more work took less time
}

TEST(MeasuredTable, IsProportionalBeyondTheEnds) {
  const auto times = table("1,1,100,10 us\n1,1,200,30 us\n");
  EXPECT_EQ(times.time(work(50), 2_B), 5us);
  EXPECT_EQ(times.time(work(400), 2_B), 60us);
}

TEST(MeasuredTable, RoundsUpToAPicosecond) {
  const auto times = table("1,1,3,10 ps\n1,1,6,20 ps\n1,1,9,10 ps\n");
  EXPECT_EQ(times.time(work(1), 2_B), 4_ps);
  EXPECT_EQ(times.time(work(4), 2_B), 14_ps);
  EXPECT_EQ(times.time(work(8), 2_B), 14_ps);
}

TEST(MeasuredTable, GemmsOfEqualWorkCountWithTheirMeanTime) {
  const auto times = table("1,1,100,10 us\n1,100,1,20 us\n");
  EXPECT_EQ(times.time(work(100), 2_B), 15us);
  EXPECT_EQ(times.time({.rows = 1, .inner = 100, .columns = 1}, 2_B), 20us);
}

TEST(MeasuredTable, LargeGemmsAreTimedOrRefusedNeverWrapped) {
  const auto times = table("1,1,1,1 ps\n1000000000,1000000000,1000000000,100 s\n");
  // Half of the work: within the bits that FLOP counts of this size lose.
  const Duration half =
      times.time({.rows = 500'000'000, .inner = 1'000'000'000, .columns = 1'000'000'000}, 2_B);
  EXPECT_NEAR(to_seconds(half), 50, 1e-9);
  EXPECT_NE(user_error([&] { table("1,1,1,1 ms\n").time(work(kLargestSide), 2_B); }), "");
  EXPECT_EQ(table("1,1,1,1 ps\n").time(work(kLargestSide), 2_B), 1s);
}

TEST(MeasuredTable, BadTablesAreErrors) {
  EXPECT_TRUE(error_of("64,512,128,12.5\n").starts_with("gpu.csv:2: time: \"12.5\" has no unit"));
  EXPECT_EQ(error_of("64,512,128,0 us\n"), "gpu.csv:2: time: a measured time must be above zero");
  EXPECT_EQ(error_of("1,2,3,4 us\n\n1,2,3,5 us\n"), "gpu.csv:4: 1 x 2 x 3 appears twice");
  EXPECT_EQ(error_of("1,2,4 us\n"), "gpu.csv:2: 3 columns instead of 4\n  columns: rows,inner,columns,time");
  EXPECT_EQ(error_of("0,2,3,4 us\n"), "gpu.csv:2: rows: 0 is out of range\n  from 1 to 1000000000000");
  EXPECT_EQ(error_of(""), "gpu.csv: has no measurement\n  a line is, for example, 64,512,128,12.5 us");
  EXPECT_EQ(
      user_error([] { parse_measured_table("1,2,3,4 us\n", "gpu.csv"); }),
      "gpu.csv:1: not the header of a table of measured times\n  the first line is rows,inner,columns,time");
}

}  // namespace
}  // namespace overture::compute
