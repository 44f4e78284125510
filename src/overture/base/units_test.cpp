#include "overture/base/units.h"

#include <gtest/gtest.h>

namespace overture {
namespace {

using namespace literals;

TEST(Units, TransferTimeRoundsUpToAWholePicosecond) {
  EXPECT_EQ(transfer_time(1250_B, 100_Gbps), 100ns);
  EXPECT_EQ(transfer_time(1_B, Bandwidth::bits_per_second(3'000'000'000'000)), 3_ps);  // 2.67 ps
}

TEST(Units, TransferTimeDoesNotOverflowOnLargeSizes) {
  EXPECT_EQ(transfer_time(Bytes{1'000'000'000'000}, 1_Gbps), 8000s);
}

TEST(Units, ParsesNumbersWithUnits) {
  EXPECT_EQ(parse_duration("1.5 us").value(), 1500ns);
  EXPECT_EQ(parse_duration("10ns").value(), 10ns);
  EXPECT_EQ(parse_bytes("64 MiB").value(), 64_MiB);
  EXPECT_EQ(parse_bytes("1 kB").value(), 1000_B);
  EXPECT_EQ(parse_bandwidth("100 Gbps").value(), 100_Gbps);
  EXPECT_EQ(parse_bandwidth("1 GB/s").value(), 8_Gbps);
  EXPECT_EQ(parse_bandwidth("1 GiB/s").value().bits_per_second(), std::int64_t{8} << 30);
}

TEST(Units, RefusesBareNumbersUnknownUnitsAndNegatives) {
  EXPECT_NE(parse_duration("5").error().find("has no unit"), std::string::npos);
  EXPECT_NE(parse_bytes("5 parsecs").error().find("unknown unit \"parsecs\""), std::string::npos);
  EXPECT_NE(parse_bandwidth("-1 Gbps").error().find("negative"), std::string::npos);
  EXPECT_NE(parse_bytes("9e30 TiB").error().find("too large"), std::string::npos);
  EXPECT_NE(parse_duration("").error().find("not a quantity"), std::string::npos);
  EXPECT_FALSE(parse_duration("nan us"));
}

TEST(Units, PrintsForPeopleWithFewDigits) {
  EXPECT_EQ(to_string(Duration{172'673'000}), "172.7 us");
  EXPECT_EQ(to_string(Duration{0}), "0 ps");
  EXPECT_EQ(to_string(1536_B), "1.500 KiB");
  EXPECT_EQ(to_string(100_Gbps), "100.0 Gbps");
}

TEST(Units, PrintsForFilesWithoutLoss) {
  for (const std::int64_t n : {0LL, 1LL, 999LL, 1000LL, 1'500'000LL, 123'456'789'012'345LL}) {
    EXPECT_EQ(parse_duration(exact(Duration{n})).value(), Duration{n}) << n;
    EXPECT_EQ(parse_bytes(exact(Bytes{n})).value(), Bytes{n}) << n;
    const auto rate = Bandwidth::bits_per_second(n);
    EXPECT_EQ(parse_bandwidth(exact(rate)).value(), rate) << n;
  }
  EXPECT_EQ(exact(parse_bandwidth("12.5 GiB/s").value()), "12.5 GiB/s");
}

}  // namespace
}  // namespace overture
