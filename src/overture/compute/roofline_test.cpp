#include "overture/compute/roofline.h"

#include <gtest/gtest.h>

#include "overture/base/testing.h"

namespace overture::compute {
namespace {

using namespace literals;

// 1 TFLOP/s and 1 GB/s.
const Roofline kRoofline{.peak = FlopRate::per_second(1'000'000'000'000), .memory = 8_Gbps};

TEST(Roofline, ALargeGemmIsLimitedByArithmetic) {
  // 2 * 10^12 FLOP in 2 s; 3 * 10^8 elements of one byte in 0.3 s.
  EXPECT_EQ(kRoofline.time({.rows = 10'000, .inner = 10'000, .columns = 10'000}, 1_B), 2s);
}

TEST(Roofline, AThinGemmIsLimitedByMemory) {
  // 3 elements of 4 bytes in 12 ns; 2 FLOP in 2 ps.
  EXPECT_EQ(kRoofline.time({}, 4_B), 12ns);
}

TEST(Roofline, EfficiencyStretchesTheArithmeticOnly) {
  Roofline half = kRoofline;
  half.efficiency = 0.5;
  EXPECT_EQ(half.time({.rows = 10'000, .inner = 10'000, .columns = 10'000}, 1_B), 4s);
  EXPECT_EQ(half.time({}, 4_B), 12ns);
}

TEST(Roofline, RoundsUpToAPicosecond) {
  const Roofline fast{.peak = FlopRate::per_second(3'000'000'000'000),
                      .memory = Bandwidth::bits_per_second(INT64_MAX)};
  EXPECT_EQ(fast.time({}, 1_B), 1_ps);  // 0.67 ps
}

TEST(Roofline, LargeGemmsAreTimedOrRefusedNeverWrapped) {
  constexpr std::int64_t kBillion = 1'000'000'000;
  const Gemm large{.rows = kBillion, .inner = kBillion, .columns = kBillion};
  EXPECT_NE(user_error([&] { kRoofline.time(large, 8_B); }).find("106 days"), std::string::npos);
  const Roofline exascale{.peak = FlopRate::per_second(kBillion * kBillion),
                          .memory = Bandwidth::bits_per_second(kBillion * kBillion)};
  EXPECT_EQ(exascale.time({.rows = kBillion, .inner = kBillion, .columns = 1000}, 1_B), 2000s);
}

}  // namespace
}  // namespace overture::compute
