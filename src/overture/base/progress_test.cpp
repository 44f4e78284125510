#include "overture/base/progress.h"

#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "overture/base/random.h"
#include "overture/base/run_summary.h"
#include "overture/base/work.h"

namespace overture {
namespace {

TEST(ProgressLine, ShowsShareRateAndWhatIsLeft) {
  EXPECT_EQ(Progress::line("sweep", {.done = 30}, 120, 2.5), "sweep 30/120 25%, 12.0/s, 8 s left");
  EXPECT_EQ(Progress::line("sweep", {.done = 120}, 120, 10), "sweep 120/120 100%, 12.0/s, 0 s left");
}

TEST(ProgressLine, WithoutATotalOrARateNothingIsEstimated) {
  EXPECT_EQ(Progress::line("read", {.done = 30}, 0, 2), "read 30, 15.0/s");
  EXPECT_EQ(Progress::line("sweep", {.done = 0}, 120, 2), "sweep 0/120 0%, 2 s so far");
  EXPECT_EQ(Progress::line("sweep", {.done = 0}, 120, 0.5), "sweep 0/120 0%, 0.0/s");
  EXPECT_EQ(Progress::line("sweep", {.done = 5}, 120, 0), "sweep 5/120 4%, 0.0/s");
}

TEST(ProgressLine, MoreThanTheTotalIsStillAHundredPercent) {
  EXPECT_EQ(Progress::line("sweep", {.done = 150}, 120, 10), "sweep 150/120 100%, 15.0/s, 0 s left");
}

TEST(ProgressLine, LongTimesAreInMinutesAndHours) {
  EXPECT_EQ(Progress::line("s", {.done = 1}, 100, 1), "s 1/100 1%, 1.0/s, 99 s left");
  EXPECT_EQ(Progress::line("s", {.done = 1}, 121, 1), "s 1/121 0%, 1.0/s, 2 min left");
  EXPECT_EQ(Progress::line("s", {.done = 1}, 7201, 1), "s 1/7201 0%, 1.0/s, 2.0 h left");
}

TEST(ProgressLine, IsSilentWhereNobodyLooks) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  {
    Progress progress("sweep", 10, file);
    for (int i = 0; i < 10; ++i) progress.update(i);
    progress.finish();
  }
  EXPECT_EQ(std::ftell(file), 0);
  std::fclose(file);
}

TEST(RunSummaryFlags, WhatNobodySaidIsComplete) {
  EXPECT_TRUE(is_complete(Json::object()));
  EXPECT_TRUE(is_complete(Json{{"complete", true}}));
  EXPECT_TRUE(is_complete(Json{{"complete", "no"}})) << "not a flag";
  EXPECT_FALSE(is_complete(Json{{"complete", false}}));
  EXPECT_FALSE(is_complete(Json::array()));
}

TEST(RunSummaryFlags, TrainingThatStoppedForWantOfPatienceIsComplete) {
  EXPECT_FALSE(is_complete(Json{{"stopped_early", true}}));
  EXPECT_TRUE(is_complete(Json{{"stopped_early", true}, {"out_of_patience", true}}));
  EXPECT_FALSE(is_complete(Json{{"stopped_early", true}, {"out_of_patience", true}, {"complete", false}}));
}

TEST(WorkKinds, AreInTheOrderOfTheirNumbersWithNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kWorks; ++i) {
    EXPECT_EQ(static_cast<std::size_t>(work_kinds()[i].work), i);
    EXPECT_TRUE(names.insert(work_kinds()[i].name).second) << work_kinds()[i].name;
    EXPECT_FALSE(work_kinds()[i].help.empty());
  }
  EXPECT_EQ(kind_of(Work::gather).name, "gather");
}

TEST(WorkKinds, NumbersThatAreUsedStandBeforeThoseThatAreNot) {
  for (const WorkKind& kind : work_kinds()) {
    for (std::size_t i = 1; i < kWorkNumbers; ++i)
      EXPECT_FALSE(kind.units[i - 1].empty() && !kind.units[i].empty()) << kind.name;
  }
}

TEST(WorkKinds, LateRoundsCostWhatUrgentOnesCost) {
  EXPECT_EQ(priced_as(Work::late_pack_gradients), Work::pack_gradients);
  EXPECT_EQ(priced_as(Work::late_apply_gradients), Work::apply_gradients);
  EXPECT_EQ(priced_as(Work::late_take_updates), Work::take_updates);
  for (const WorkKind& kind : work_kinds()) {
    EXPECT_EQ(priced_as(priced_as(kind.work)), priced_as(kind.work)) << kind.name;
    EXPECT_EQ(kind_of(priced_as(kind.work)).units, kind.units) << "the same numbers: " << kind.name;
  }
}

TEST(RandomStreamsTest, NamesAreSequencesOfTheirOwn) {
  const RandomStreams streams(1);
  std::set<std::uint64_t> first;
  for (int i = 0; i < 1000; ++i) first.insert(streams.make("stream " + std::to_string(i))());
  EXPECT_EQ(first.size(), 1000u);
  EXPECT_NE(RandomStreams(1).make("ecmp")(), RandomStreams(2).make("ecmp")());
}

// The mean of n uniform numbers is within 5 standard deviations, 5 * sqrt(1/12/n), of a half.
TEST(RandomStreamsTest, UnitIsUniformAndBelowReachesBothEnds) {
  RandomStream random = RandomStreams(3).make("unit");
  double sum = 0;
  constexpr int kDraws = 40'000;
  for (int i = 0; i < kDraws; ++i) sum += random.unit();
  EXPECT_NEAR(sum / kDraws, 0.5, 0.0073);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 300; ++i) seen.insert(random.below(7));
  EXPECT_EQ(seen, (std::set<std::uint64_t>{0, 1, 2, 3, 4, 5, 6}));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(random.below(1), 0u);
}

}  // namespace
}  // namespace overture
