#include "overture/base/units.h"

#include <gtest/gtest.h>

#include "overture/base/random.h"

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

// Rounded to the nearest picosecond, byte or bit per second: one of these is a unit of each kind.
TEST(Units, EveryUnitIsItsNumberOfBaseUnits) {
  for (const auto& [text, ps] : {std::pair("1 ps", 1LL),
                                 {"1 ns", 1000LL},
                                 {"1 us", 1'000'000LL},
                                 {"1 ms", 1'000'000'000LL},
                                 {"1 s", 1'000'000'000'000LL},
                                 {"0.4 ps", 0LL},
                                 {"0.5 ns", 500LL},
                                 {"1e3 ns", 1'000'000LL},
                                 {"  7 ns  ", 7000LL}})
    EXPECT_EQ(parse_duration(text).value().count(), ps) << text;
  for (const auto& [text, bytes] : {std::pair("1 B", 1LL),
                                    {"1 KiB", 1024LL},
                                    {"1 MiB", 1LL << 20},
                                    {"1 GiB", 1LL << 30},
                                    {"1 TiB", 1LL << 40},
                                    {"1 kB", 1000LL},
                                    {"1 MB", 1'000'000LL},
                                    {"1 GB", 1'000'000'000LL},
                                    {"1 TB", 1'000'000'000'000LL},
                                    {"1.5 KiB", 1536LL}})
    EXPECT_EQ(parse_bytes(text).value().count(), bytes) << text;
  for (const auto& [text, bits] : {std::pair("1 bps", 1LL),
                                   {"1 kbps", 1000LL},
                                   {"1 Mbps", 1'000'000LL},
                                   {"1 Gbps", 1'000'000'000LL},
                                   {"1 Tbps", 1'000'000'000'000LL},
                                   {"1 B/s", 8LL},
                                   {"1 kB/s", 8000LL},
                                   {"1 MB/s", 8'000'000LL},
                                   {"1 GB/s", 8'000'000'000LL},
                                   {"1 KiB/s", 8192LL},
                                   {"1 MiB/s", 8LL << 20},
                                   {"1 TiB/s", 8LL << 40}})
    EXPECT_EQ(parse_bandwidth(text).value().bits_per_second(), bits) << text;
}

TEST(Units, UnitsAreSpelledExactly) {
  for (const char* text :
       {"1 Kb", "1 mb", "1 gib", "1 MIB", "1 b", "1 bytes", "1 B B", "B", "one B", "1,5 B"})
    EXPECT_FALSE(parse_bytes(text)) << text;
  for (const char* text : {"1 gbps", "1 Gb/s", "1 Gbit/s", "1 GB", "1 Gbps/s"})
    EXPECT_FALSE(parse_bandwidth(text)) << text;
  for (const char* text : {"1 sec", "1 S", "1 min", "1 µs", "1 nsec"})
    EXPECT_FALSE(parse_duration(text)) << text;
}

TEST(Units, MessagesSayWhatToWrite) {
  EXPECT_EQ(parse_duration("5").error(),
            "\"5\" has no unit; write for example \"1.5 us\" (units: ps, ns, us, ms, s)");
  EXPECT_EQ(parse_bytes("x").error(),
            "\"x\" is not a quantity; write a number and a unit, such as \"64 MiB\"");
  EXPECT_EQ(parse_bandwidth("-1 Gbps").error(), "\"-1 Gbps\" is negative");
  EXPECT_EQ(parse_duration("1e8 s").error(), "\"1e8 s\" is too large; at most 9200000 s");
}

// 9.2e18 base units is the most; the largest size that fits is about 8 EiB.
TEST(Units, WhatWouldOverflowIsRefusedAndTheRestIsExact) {
  EXPECT_TRUE(parse_bytes("8367000 TiB").ok());
  EXPECT_FALSE(parse_bytes("8388608 TiB"));
  EXPECT_TRUE(parse_duration("9199999 s").ok());
  EXPECT_FALSE(parse_duration("9200000 s"));
  EXPECT_FALSE(parse_duration("1e300 s"));
}

// Four digits, and at least one before the point.
TEST(Units, PrintsFourDigitsInTheUnitThatFits) {
  using std::chrono::nanoseconds;
  EXPECT_EQ(to_string(Duration{999}), "999 ps");
  EXPECT_EQ(to_string(Duration{1000}), "1.000 ns");
  EXPECT_EQ(to_string(Duration{99'990}), "99.99 ns");
  EXPECT_EQ(to_string(Duration{999'900}), "999.9 ns");
  EXPECT_EQ(to_string(Duration{-1500}), "-1.500 ns");
  EXPECT_EQ(to_string(Duration{7'200'000'000'000'000}), "7200 s");
  EXPECT_EQ(to_string(Bytes{1023}), "1023 B");
  EXPECT_EQ(to_string(Bytes{1 << 20}), "1.000 MiB");
  EXPECT_EQ(to_string(Bandwidth::bits_per_second(12'500'000'000)), "12.50 Gbps");
}

// ceil(8 * bytes * 10^12 / rate), with numbers that have room for it.
TEST(Units, TransferTimeIsTheExactQuotientRoundedUp) {
  RandomStream random = RandomStreams(1).make("transfer");
  for (int i = 0; i < 1000; ++i) {
    const auto bytes = static_cast<std::int64_t>(random.below(1ULL << (1 + random.below(35))));
    const auto rate = 1'000'000 + static_cast<std::int64_t>(random.below(1'000'000'000'000));
    const auto ps = static_cast<long double>(bytes) * 8 * 1e12L / static_cast<long double>(rate);
    if (ps > 3.6e15L) continue;  // longer than is simulated
    const std::int64_t time = transfer_time(Bytes{bytes}, Bandwidth::bits_per_second(rate)).count();
    EXPECT_GE(static_cast<long double>(time) + 1e-3L, ps);
    EXPECT_LT(static_cast<long double>(time), ps + 1 + 1e-3L);
  }
  EXPECT_EQ(transfer_time(Bytes{0}, 1_Gbps), Duration{});
}

TEST(Units, ExactTextsReadBackAsTheSame) {
  RandomStream random = RandomStreams(2).make("exact");
  for (int i = 0; i < 1000; ++i) {
    const auto number =
        static_cast<std::int64_t>(random() >> (1 + random.below(60))) % 9'200'000'000'000'000'000;
    EXPECT_EQ(parse_duration(exact(Duration{number})).value(), Duration{number}) << number;
    EXPECT_EQ(parse_bytes(exact(Bytes{number})).value(), Bytes{number}) << number;
    const auto rate = Bandwidth::bits_per_second(number);
    EXPECT_EQ(parse_bandwidth(exact(rate)).value(), rate) << exact(rate);
  }
}

}  // namespace
}  // namespace overture
