#include "overture/cli/sweep_table.h"

#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/base/text.h"

namespace overture::cli {
namespace {

setup::SweepSetup sweep_of(const std::vector<std::string>& keys) {
  setup::SweepSetup sweep;
  sweep.command = "flows";
  for (const std::string& key : keys) sweep.axes.push_back({key, {"?"}});
  return sweep;
}

SweepRow row(std::vector<std::string> values, double makespan, double cost) {
  return {.values = std::move(values),
          .numbers = {{"makespan_us", makespan}, {"network_cost_dollars", cost}}};
}

TEST(SweepTable, HasTheBestPointFirstAndOthersBesideIt) {
  const std::string text = sweep_table(sweep_of({"network.topology.fat_tree.k"}),
                                       {row({"8"}, 200, 900), row({"4"}, 100, 500)}, "makespan_us", {});
  const auto lines = split(text, '\n');
  ASSERT_GE(lines.size(), 4u);
  EXPECT_EQ(lines[0].rfind("k", 0), 0u) << "the end of a key is enough: " << text;
  EXPECT_NE(lines[2].find("1.00x"), std::string::npos) << text;
  EXPECT_NE(lines[2].find("500 $"), std::string::npos) << text;
  EXPECT_NE(lines[3].find("2.00x"), std::string::npos) << text;
}

TEST(SweepTable, OfWhatMoreIsBetterOfTheMostIsFirst) {
  SweepRow low = row({"1"}, 1, 1);
  SweepRow high = row({"2"}, 1, 1);
  low.numbers.emplace_back("held_out.auc", 0.7);
  high.numbers.emplace_back("held_out.auc", 0.8);
  const std::string text = sweep_table(sweep_of({"a.b"}), {low, high}, "held_out.auc", {});
  EXPECT_LT(text.find("0.8"), text.find("0.7")) << text;
}

TEST(SweepTable, SeedsAreOnePointWithMeanAndSpread) {
  const std::string text = sweep_table(
      sweep_of({"k", "seed"}), {row({"4", "1"}, 100, 5), row({"4", "2"}, 110, 5), row({"8", "1"}, 50, 5)},
      "makespan_us", {});
  EXPECT_NE(text.find("105"), std::string::npos) << text;
  EXPECT_NE(text.find("7.1"), std::string::npos) << text;  // sqrt(2 * 25)
  EXPECT_NE(text.find("standard deviation over the seeds"), std::string::npos) << text;
}

TEST(SweepTable, KeysThatEndAlikeKeepWhatTellsThemApart) {
  const std::string text =
      sweep_table(sweep_of({"network.a.rate", "network.b.rate"}), {row({"1", "2"}, 1, 1)}, "makespan_us", {});
  EXPECT_NE(text.find("a.rate"), std::string::npos) << text;
  EXPECT_NE(text.find("b.rate"), std::string::npos) << text;
}

TEST(SweepTable, BoundsLeaveOutWhatIsAboveThem) {
  const auto bounds = parse_bounds({"cost 600 $"}, "flows");
  ASSERT_EQ(bounds.size(), 1u);
  EXPECT_EQ(bounds[0].number, "network_cost_dollars");
  EXPECT_DOUBLE_EQ(bounds[0].most, 600);
  const std::string text =
      sweep_table(sweep_of({"k"}), {row({"8"}, 50, 900), row({"4"}, 100, 500)}, "makespan_us", bounds);
  EXPECT_EQ(text.find("900 $"), std::string::npos) << text;
  EXPECT_NE(text.find("1 of 2 points are within the bounds"), std::string::npos) << text;
}

TEST(SweepTable, ABoundOfANumberThatIsNotThereIsRefused) {
  EXPECT_NE(user_error([] { parse_bounds({"loss 3"}, "flows"); }).find("--under"), std::string::npos);
  EXPECT_NE(user_error([] { parse_bounds({"cost"}, "flows"); }).find("--under"), std::string::npos);
  EXPECT_NE(user_error([] { parse_bounds({"cost much"}, "flows"); }).find("--under"), std::string::npos);
  EXPECT_DOUBLE_EQ(parse_bounds({"fct_p99_us 3.5"}, "flows")[0].most, 3.5);
}

TEST(SweepTable, OnlyTheFirstTwentyAreShown) {
  std::vector<SweepRow> rows;
  for (int i = 0; i < 25; ++i) rows.push_back(row({std::to_string(i)}, 100 + i, 1));
  const std::string text = sweep_table(sweep_of({"k"}), rows, "makespan_us", {});
  EXPECT_NE(text.find("and 5 more in sweep.csv"), std::string::npos) << text;
}

// 0 drops are the best there is, and nothing is a multiple of them.
TEST(SweepTable, NothingIsComparedWithABestOfZero) {
  const auto drops = [](const std::string& k, double count) {
    return SweepRow{.values = {k}, .numbers = {{"drops", count}}};
  };
  const std::string text = sweep_table(sweep_of({"k"}), {drops("4", 0), drops("8", 5)}, "drops", {});
  EXPECT_EQ(text.find("nan"), std::string::npos) << text;
  EXPECT_EQ(text.find("inf"), std::string::npos) << text;
}

TEST(SweepTable, APointWithoutTheMetricIsLeftOut) {
  SweepRow without = row({"8"}, 1, 1);
  without.numbers.clear();
  const std::string text = sweep_table(sweep_of({"k"}), {row({"4"}, 100, 1), without}, "makespan_us", {});
  EXPECT_EQ(split(text, '\n').size(), 4u) << text;  // head, rule, a point, and nothing behind the last break
}

TEST(SweepTable, WithoutPointsThereIsOnlyTheHead) {
  EXPECT_EQ(split(sweep_table(sweep_of({"k"}), {}, "makespan_us", {}), '\n').size(), 3u);
}

TEST(SweepTable, APointThatCostsNothingKnownHasADash) {
  SweepRow unknown = row({"8"}, 200, 1);
  unknown.numbers.pop_back();
  const std::string text = sweep_table(sweep_of({"k"}), {row({"4"}, 100, 7), unknown}, "makespan_us", {});
  EXPECT_TRUE(split(text, '\n')[3].ends_with("-")) << text;
}

TEST(SweepTable, BoundsMayBeShortNumbersAndAnyNumberOfTheCommand) {
  EXPECT_DOUBLE_EQ(parse_bounds({"cost 20k"}, "flows")[0].most, 20'000);
  EXPECT_DOUBLE_EQ(parse_bounds({"drops 0"}, "flows")[0].most, 0);
  EXPECT_DOUBLE_EQ(parse_bounds({"held_out.log_loss 0.5"}, "train")[0].most, 0.5);
  EXPECT_EQ(
      user_error([] { parse_bounds({"makespan 5"}, "flows"); }).rfind("--under: no number \"makespan\"", 0),
      0u);
}

// Every bound must hold.
TEST(SweepTable, SeveralBoundsHoldTogether) {
  const auto bounds = parse_bounds({"cost 600", "makespan_us 90"}, "flows");
  const std::string text =
      sweep_table(sweep_of({"k"}), {row({"8"}, 50, 900), row({"4"}, 100, 500), row({"2"}, 80, 600)},
                  "makespan_us", bounds);
  EXPECT_NE(text.find("1 of 3 points are within the bounds"), std::string::npos) << text;
}

}  // namespace
}  // namespace overture::cli
