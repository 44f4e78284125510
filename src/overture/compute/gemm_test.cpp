#include "overture/compute/gemm.h"

#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/compute/rates.h"

namespace overture::compute {
namespace {

using namespace literals;

TEST(Gemm, CountsAMultiplicationAndAnAdditionPerTerm) {
  EXPECT_TRUE(flops({.rows = 3, .inner = 4, .columns = 5}) == 120);
}

TEST(Gemm, MovesEachMatrixOnce) {
  EXPECT_TRUE(bytes_moved({.rows = 3, .inner = 4, .columns = 5}, 2_B) == 2 * (12 + 20 + 15));
}

TEST(Gemm, CountsBeyond64Bits) {
  const Gemm large{.rows = 1'000'000'000, .inner = 1'000'000'000, .columns = 1'000'000'000};
  const Int128 billion = 1'000'000'000;
  EXPECT_TRUE(flops(large) == 2 * billion * billion * billion);
  EXPECT_TRUE(bytes_moved(large, 8_B) == 24 * billion * billion);
}

TEST(Gemm, TimeAtARateIsRoundedUp) {
  EXPECT_EQ(time_at(1, 1'000'000'000, {}), 1ns);
  EXPECT_EQ(time_at(1, 3'000'000'000'000, {}), 1_ps);
  EXPECT_EQ(time_at(0, 1, {}), 0_ps);
  EXPECT_EQ(time_at(Int128{1'000'000} * 9'000'000'000'000'000'000, 9'000'000'000'000'000'000, {}),
            1'000'000s);
}

TEST(Gemm, ATimeTooLongToCountIsAnErrorThatNamesTheGemm) {
  const Gemm gemm{.rows = 4, .inner = 5, .columns = 6};
  EXPECT_EQ(time_at(9'000'000, 1, gemm), 9'000'000s);
  EXPECT_NE(user_error([&] { time_at(10'000'000, 1, gemm); }).find("4 x 5 x 6 takes longer than 106 days"),
            std::string::npos);
}

TEST(Rates, AreReadWithTheirUnits) {
  EXPECT_EQ(parse_flop_rate("312 TFLOPS").value().per_second(), 312'000'000'000'000);
  EXPECT_EQ(parse_flop_rate("1.5GFLOP/s").value().per_second(), 1'500'000'000);
  EXPECT_EQ(parse_frequency(" 940 MHz ").value().hertz(), 940'000'000);
}

TEST(Rates, RefuseBareNumbersUnknownUnitsAndNothing) {
  EXPECT_NE(parse_flop_rate("312").error().find("has no unit"), std::string::npos);
  EXPECT_NE(parse_flop_rate("312 tflops").error().find("unknown unit"), std::string::npos);
  EXPECT_NE(parse_flop_rate("fast").error().find("not a rate"), std::string::npos);
  EXPECT_NE(parse_frequency("0 Hz").error().find("not more than zero"), std::string::npos);
  EXPECT_NE(parse_frequency("-1 GHz").error().find("not more than zero"), std::string::npos);
  EXPECT_NE(parse_flop_rate("1e9 PFLOPS").error().find("too large"), std::string::npos);
}

}  // namespace
}  // namespace overture::compute
