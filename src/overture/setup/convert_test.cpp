#include "overture/setup/convert.h"

#include <limits>

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/network/analytical/config.h"
#include "overture/network/packet/config.h"
#include "overture/system/algorithms.h"
#include "overture/workload/dlrm_training.h"
#include "overture/workload/workload.h"

namespace overture::setup {
namespace {

using namespace literals;

template <class T>
std::string error_of(const std::string& text) {
  T value{};
  const Result<bool> result = read(text, value);
  return result ? "" : result.error();
}

template <class T>
T value_of(const std::string& text) {
  T value{};
  const Result<bool> result = read(text, value);
  EXPECT_TRUE(result) << text;
  return value;
}

// What is written reads back as the same value.
template <class T>
void expect_round_trip(T value) {
  T again{};
  EXPECT_TRUE(read(write(value), again)) << write(value);
  EXPECT_EQ(again, value) << write(value);
}

TEST(Convert, NumbersReadBackAsTheyAreWritten) {
  RandomStream random = RandomStreams(7).make("convert");
  for (int i = 0; i < 500; ++i) {
    const auto digits = random.below(60);
    const auto number = static_cast<std::int64_t>(random() >> (64 - 1 - digits));
    expect_round_trip(Bytes{number});
    expect_round_trip(Bandwidth::bits_per_second(number));
    expect_round_trip(Duration{number % (kHorizon.time_since_epoch().count() + 1)});
    expect_round_trip(static_cast<std::uint64_t>(number));
    expect_round_trip(static_cast<int>(number % std::numeric_limits<int>::max()));
    expect_round_trip(random.unit() * static_cast<double>(number));
  }
  expect_round_trip(true);
  expect_round_trip(false);
  expect_round_trip(std::string("any text: even this"));
}

TEST(Convert, WholeNumbersMayBeShort) {
  EXPECT_EQ(value_of<int>("20k"), 20'000);
  EXPECT_EQ(value_of<int>("1e6"), 1'000'000);
  EXPECT_EQ(value_of<int>("-5"), -5);
  EXPECT_EQ(value_of<std::uint64_t>("1.5M"), 1'500'000u);
  EXPECT_EQ(value_of<std::uint64_t>("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
}

TEST(Convert, WhatIsNoWholeNumberIsRefused) {
  for (const char* text : {"", "1.5", "1,000", "two", "0x10", " 1", "1 ", "1e-3", "--1"})
    EXPECT_EQ(error_of<int>(text), "\"" + std::string(text) + "\" is not a whole number") << text;
  EXPECT_NE(error_of<int>("2147483648"), "") << "one more than an int holds";
  EXPECT_NE(error_of<int>("3G"), "") << "short, and more than an int holds";
  EXPECT_NE(error_of<std::uint64_t>("-1"), "");
}

TEST(Convert, NumbersAreFinite) {
  EXPECT_DOUBLE_EQ(value_of<double>("-2.5e3"), -2500);
  for (const char* text : {"nan", "inf", "-inf", "1e999", "", "1.5x"})
    EXPECT_EQ(error_of<double>(text), "\"" + std::string(text) + "\" is not a number");
}

TEST(Convert, TrueAndFalseAreTheOnlyTruths) {
  EXPECT_TRUE(value_of<bool>("true"));
  EXPECT_FALSE(value_of<bool>("false"));
  for (const char* text : {"yes", "True", "1", ""})
    EXPECT_EQ(error_of<bool>(text), "\"" + std::string(text) + "\" is neither true nor false");
}

TEST(Convert, NoTimeIsLongerThanARunMayLast) {
  EXPECT_EQ(value_of<Duration>("864000 s"), 864000s);
  EXPECT_EQ(error_of<Duration>("864001 s"), "\"864001 s\" is too long; use at most 864000 s");
}

TEST(Convert, UnitsOfTheAnalyticalNetworkAreNanosecondsAndGibibytes) {
  double ns = 0;
  EXPECT_TRUE(read("1.5 us", NanosecondsField{ns}));
  EXPECT_DOUBLE_EQ(ns, 1500);
  EXPECT_EQ(write(NanosecondsField{ns}), "1500 ns");
  double gib = 0;
  EXPECT_TRUE(read("2 GiB/s", LinkRateField{gib}));
  EXPECT_DOUBLE_EQ(gib, 2);
  EXPECT_EQ(write(LinkRateField{gib}), "2 GiB/s");
  double per_ns = 0;
  EXPECT_TRUE(read("100 GB/s", MemoryRateField{per_ns}));
  EXPECT_DOUBLE_EQ(per_ns, 100);
  EXPECT_FALSE(read("100", MemoryRateField{per_ns}));
  EXPECT_DOUBLE_EQ(per_ns, 100) << "what cannot be read changes nothing";
}

TEST(Convert, WhatMayBeLeftOutIsWrittenAsNothing) {
  std::optional<int> none;
  EXPECT_EQ(write(none), "");
  EXPECT_TRUE(read("7", none));
  EXPECT_EQ(none, 7);
  EXPECT_EQ(write(none), "7");
  EXPECT_FALSE(read("seven", none));
  EXPECT_EQ(none, 7);
}

TEST(Convert, AnUnknownWordIsAnsweredWithTheNearest) {
  EXPECT_EQ(
      error_of<system::CollectiveKind>("allreduce"),
      "unknown value \"allreduce\"\ndid you mean \"all_reduce\"? known: all_reduce, all_to_all, all_gather, "
      "reduce_scatter, broadcast, barrier");
  EXPECT_EQ(error_of<network::Contention>("links and more"),
            "unknown value \"links and more\"\nknown: links, none");
}

template <class E>
void expect_words_read_back() {
  for (const auto& [value, word] : kWords<E>) {
    EXPECT_EQ(value_of<E>(std::string(word)), value) << word;
    EXPECT_EQ(write(value), word);
    EXPECT_NE(describe_type(value).find(word), std::string::npos) << word;
  }
}

TEST(Convert, EveryWordOfTheVocabularyReadsBack) {
  expect_words_read_back<topology::DimensionKind>();
  expect_words_read_back<network::Packaging>();
  expect_words_read_back<system::SchedulingPolicy>();
  expect_words_read_back<system::IntraOrder>();
  expect_words_read_back<system::InterOrder>();
  expect_words_read_back<workload::Parallelism>();
  expect_words_read_back<model::NumberType>();
  expect_words_read_back<workload::TableSharding>();
  expect_words_read_back<network::packet::TransportKind>();
  expect_words_read_back<network::packet::CongestionControl>();
  expect_words_read_back<topology::PathRule>();
}

using Words = std::vector<std::string>;

TEST(Convert, NoAlgorithmAtAllLeavesTheDefault) {
  system::Implementation implementation{.per_dimension = {{system::kRing}}};
  EXPECT_TRUE(read(Words{}, implementation));
  EXPECT_EQ(write(implementation), Words{"ring"});
}

system::Implementation implementation_of(const Words& words) {
  system::Implementation implementation;
  const Result<bool> result = read(words, implementation);
  EXPECT_TRUE(result) << (result ? "" : result.error());
  return implementation;
}

TEST(Convert, EveryAlgorithmReadsBackWithAndWithoutItsParameter) {
  for (const system::AlgorithmFacts* facts : system::kAlgorithms) {
    const std::string name(facts->word);
    const std::string parameter = facts->from_file ? "a.csv" : "3";
    if (!facts->from_file) {
      EXPECT_EQ(write(implementation_of({name})), Words{name});
    }
    if (facts->parameter.empty()) continue;
    EXPECT_EQ(write(implementation_of({name + ":" + parameter})), Words{name + ":" + parameter});
    EXPECT_EQ(write(implementation_of({"flat_" + name + ":" + parameter})),
              Words{"flat_" + name + ":" + parameter});
  }
}

TEST(Convert, AnAlgorithmPerDimensionKeepsTheirOrder) {
  const system::Implementation two = implementation_of({"ring", "direct:4"});
  ASSERT_EQ(two.per_dimension.size(), 2u);
  EXPECT_EQ(two.per_dimension[0].kind, system::kRing);
  EXPECT_EQ(two.per_dimension[1].window, 4);
  EXPECT_FALSE(two.flat);
}

TEST(Convert, AlgorithmsThatMakeNoSenseAreRefused) {
  system::Implementation implementation;
  for (const char* word :
       {"direct:0", "direct:-1", "direct:x", "direct:", "file:", "file", "rinng", "flat_", ""})
    EXPECT_NE(read(Words{word}, implementation).ok(), true) << word;
  EXPECT_EQ(read(Words{"ring", "flat_ring"}, implementation).error(),
            "\"flat_ring\" spans all dimensions, so it must be the only one");
  const std::string error = read(Words{"rinng"}, implementation).error();
  EXPECT_EQ(error.rfind("unknown algorithm \"rinng\"\ndid you mean \"ring\"?", 0), 0u) << error;
}

TEST(Convert, OnlyAlgorithmsThatCanDoACollectiveAreExplained) {
  const std::string all_to_all = explain_algorithms(system::CollectiveKind::all_to_all);
  EXPECT_NE(all_to_all.find("bruck"), std::string::npos);
  EXPECT_EQ(all_to_all.find("halving_doubling"), std::string::npos);
  EXPECT_NE(explain_algorithms(system::CollectiveKind::all_reduce).find("halving_doubling"),
            std::string::npos);
}

TEST(Convert, SizesInARowStopAtTheFirstThatIsNone) {
  std::vector<Bytes> sizes;
  EXPECT_TRUE(read(Words{"1 KiB", "2 MB"}, sizes));
  EXPECT_EQ(sizes, (std::vector{1_KiB, 2'000'000_B}));
  EXPECT_EQ(write(sizes), (Words{"1 KiB", "2000000 B"}));
  EXPECT_FALSE(read(Words{"1 KiB", "2"}, sizes));
}

}  // namespace
}  // namespace overture::setup
