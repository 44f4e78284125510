#include "overture/cli/sweep_effects.h"

#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "overture/base/testing.h"
#include "overture/cli/watched_sweep.h"

namespace overture::cli {
namespace {

setup::SweepSetup two_axes() {
  setup::SweepSetup sweep;
  sweep.command = "flows";
  sweep.axes = {{"k", {"4", "8"}}, {"rate", {"10 Gbps", "40 Gbps"}}};
  return sweep;
}
SweepRow row(const std::string& k, const std::string& rate, double makespan) {
  return {.values = {k, rate}, .numbers = {{"makespan_us", makespan}}, .folder = "points/" + k};
}
// Twice the k takes 10 us longer, four times the rate saves 50 us.
std::vector<SweepRow> rows() {
  return {row("4", "10 Gbps", 100), row("4", "40 Gbps", 50), row("8", "10 Gbps", 110),
          row("8", "40 Gbps", 60)};
}

TEST(SweepEffects, TheMeanOfTheMetricAtEveryValueOfAnAxis) {
  const Json effects = sweep_effects(two_axes(), rows(), "makespan_us");
  ASSERT_EQ(effects.size(), 2u);
  EXPECT_EQ(effects[0]["key"], "k");
  EXPECT_DOUBLE_EQ(effects[0]["mean_makespan_us"]["4"].get<double>(), 75);
  EXPECT_DOUBLE_EQ(effects[0]["mean_makespan_us"]["8"].get<double>(), 85);
  EXPECT_DOUBLE_EQ(effects[1]["mean_makespan_us"]["40 Gbps"].get<double>(), 55);
}

TEST(SweepEffects, AValueWithoutAFinishedPointHasNoMean) {
  const Json effects = sweep_effects(two_axes(), {row("4", "10 Gbps", 100)}, "makespan_us");
  EXPECT_EQ(effects[0]["mean_makespan_us"].size(), 1u);
  EXPECT_FALSE(effects[0]["mean_makespan_us"].contains("8"));
}

TEST(SweepWhy, NamesTheAxisThatMattersMost) {
  EXPECT_EQ(sweep_why(sweep_effects(two_axes(), rows(), "makespan_us"), "makespan_us"),
            "rate matters most: the mean makespan goes from 55.00 us at 40 Gbps to 105.0 us at 10 Gbps");
}

TEST(SweepWhy, TellsNumbersWithTheirUnits) {
  const auto why = [](const std::string& metric) {
    std::vector<SweepRow> all = rows();
    for (SweepRow& one : all) one.numbers = {{metric, 1024 * one.numbers.front().second}};
    return sweep_why(sweep_effects(two_axes(), all, metric), metric);
  };
  EXPECT_TRUE(why("fetched_bytes").ends_with("goes from 55.00 KiB at 40 Gbps to 105.0 KiB at 10 Gbps"))
      << why("fetched_bytes");
  EXPECT_TRUE(why("network_cost_dollars").ends_with("goes from 56320 $ at 40 Gbps to 107520 $ at 10 Gbps"))
      << why("network_cost_dollars");
}

TEST(SweepWhy, SaysNothingWhereNothingChanges) {
  EXPECT_EQ(
      sweep_why(sweep_effects(two_axes(), {row("4", "10 Gbps", 7), row("8", "10 Gbps", 7)}, "makespan_us"),
                "makespan_us"),
      "");
  EXPECT_EQ(sweep_why(sweep_effects(two_axes(), {}, "makespan_us"), "makespan_us"), "");
}

TEST(SweepCsv, HasALineForEveryPointWithItsFolder) {
  EXPECT_EQ(sweep_csv(two_axes(), {row("4", "10 Gbps", 100), row("8", "40 Gbps", 0.25)}),
            "k,rate,makespan_us,folder\n4,10 Gbps,100,points/4\n8,40 Gbps,0.25,points/8\n");
}

TEST(SweepCsv, CommasInValuesAreQuotedAndMissingNumbersAreEmpty) {
  SweepRow odd = row("[1, 2]", "10 Gbps", 3);
  SweepRow none = row("4", "10 Gbps", 3);
  none.numbers.clear();
  EXPECT_EQ(sweep_csv(two_axes(), {odd, none}),
            "k,rate,makespan_us,folder\n\"[1, 2]\",10 Gbps,3,\"points/[1, 2]\"\n4,10 Gbps,,points/4\n");
}

TEST(SweepCsv, WithoutPointsThereIsOnlyTheHead) { EXPECT_EQ(sweep_csv(two_axes(), {}), "k,rate,folder\n"); }

TEST(JobPart, IsANumberOfSoMany) {
  EXPECT_EQ(parse_part("1/1").number, 0u);
  EXPECT_EQ(parse_part("2/8").number, 1u);
  EXPECT_EQ(parse_part("2/8").of, 8u);
  for (const char* text :
       {"", "/", "1", "1/", "/1", "0/8", "9/8", "-1/8", "1/-1", "1/0", "1/8x", "a/b", "1.5/8", "1/8/2"})
    EXPECT_EQ(
        user_error([&] { parse_part(text); }),
        "--part: \"" + std::string(text) + "\" is not a part\n  write 2/8 for the second of eight parts");
}

TEST(JobPart, AllPartsTogetherHaveEveryPointOnce) {
  for (const std::size_t points : {0, 1, 5, 8, 17}) {
    for (const std::size_t parts : {1, 2, 8}) {
      std::multiset<std::size_t> all;
      for (std::size_t part = 0; part < parts; ++part) {
        const auto mine = points_of({.number = part, .of = parts}, points);
        EXPECT_LE(mine.size(), points / parts + 1);
        all.insert(mine.begin(), mine.end());
      }
      ASSERT_EQ(all.size(), points);
      std::size_t expected = 0;
      for (const std::size_t point : all) EXPECT_EQ(point, expected++);
    }
  }
}

}  // namespace
}  // namespace overture::cli
