#include "overture/lookahead/planner.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/lookahead/testing.h"

namespace overture::lookahead {
namespace {

const PlannedRow& row_of(const StepPlan& plan, std::int64_t wanted) {
  return *std::find_if(plan.rows.begin(), plan.rows.end(),
                       [&](const auto& row) { return id(row.row) == wanted; });
}

TEST(Planner, KeepsARowThatIsUsedAgainWithinTheWindowAndNoLonger) {
  const auto steps = plan_all(simple_trace({.lookahead = 3}, {{1, 2}, {3}, {1}, {2}}));

  EXPECT_EQ(row_of(steps[0], 1).ttl, 2);  // the last batch of the window
  EXPECT_EQ(row_of(steps[0], 2).ttl, 0);  // batch 3 is beyond it
  EXPECT_EQ(row_of(steps[2], 1).event, Event::hit);
  EXPECT_EQ(row_of(steps[3], 2).event, Event::prefetch);
}

TEST(Planner, EvictsBeforeItFetchesAndUsesTheSlotAgain) {
  const auto steps = plan_all(simple_trace({.lookahead = 1}, {{7}, {8}}));

  ASSERT_EQ(steps.size(), 3);
  EXPECT_EQ(steps[1].evictions, (std::vector{Eviction{.row = make_row(0, 7), .slot = 0}}));
  EXPECT_EQ(steps[1].fetches,
            (std::vector{Fetch{.row = make_row(0, 8), .users = 1, .slot = 0, .for_batch = 1}}));
  EXPECT_TRUE(steps[2].flush);
  EXPECT_EQ(steps[2].evictions, (std::vector{Eviction{.row = make_row(0, 8), .slot = 0}}));
  EXPECT_EQ(steps[2].resident, 0);
}

TEST(Planner, FetchesAtMostThePrefetchDepthAhead) {
  const auto steps = plan_all(simple_trace({.lookahead = 4, .prefetch_depth = 2}, {{1}, {2}, {3}, {4}}));

  ASSERT_EQ(steps[0].fetches.size(), 2);
  EXPECT_EQ(steps[0].fetches[1].for_batch, 1);
  ASSERT_EQ(steps[1].fetches.size(), 1);
  EXPECT_EQ(steps[1].fetches[0].for_batch, 2);
  EXPECT_EQ(steps[1].window_end, 3);
}

TEST(Planner, ASmallPrefetchDepthMakesTheSameCapacityLastLonger) {
  const std::vector<std::vector<std::int64_t>> batches{{1, 2}, {3, 4}, {5, 6}, {1, 7}};
  const auto early = plan_all(simple_trace({.lookahead = 4, .capacity = 4}, batches));
  const auto late = plan_all(simple_trace({.lookahead = 4, .prefetch_depth = 1, .capacity = 4}, batches));

  EXPECT_EQ(early[0].window_end, 1);
  EXPECT_EQ(late[0].window_end, 3);
  EXPECT_EQ(row_of(late[3], 1).event, Event::hit);
}

TEST(Planner, CleansUpEarlierWhenTheNextBatchHasNotBeenFetched) {
  const auto steps = plan_all(
      simple_trace({.lookahead = 4, .cleanup_interval = 4, .capacity = 2}, {{1, 2}, {3, 4}, {5}, {6}}));

  EXPECT_TRUE(steps[1].clean_up);  // only batch 0 fits at first
  EXPECT_TRUE(steps[2].clean_up);
  EXPECT_FALSE(steps[3].clean_up);  // came with batch 2
}

TEST(Planner, TellsWhereEveryLookupIsFound) {
  const auto steps = plan_all(simple_trace({.lookahead = 2, .index_lookups = true}, {{5, 6, 5, 7}}));

  EXPECT_EQ(steps[0].lookup_rows, (std::vector<std::uint32_t>{0, 1, 0, 2}));
  EXPECT_EQ(id(steps[0].rows[2].row), 7);
}

TEST(Planner, AsksForNoMoreBatchesThanItNeeds) {
  Planner planner({.lookahead = 3, .table_rows = {10}});
  StepPlan plan;
  const std::vector<std::int32_t> ids{1};
  for (int batch = 0; batch < 3; ++batch) {
    EXPECT_FALSE(planner.next(plan));
    planner.begin_batch();
    planner.add(0, 0, std::span<const std::int32_t>(ids));
    planner.end_batch();
  }
  EXPECT_TRUE(planner.next(plan));
  EXPECT_FALSE(planner.next(plan));
  planner.end_of_stream();
  for (int step = 1; step <= 3; ++step) EXPECT_TRUE(planner.next(plan));
  EXPECT_TRUE(plan.flush);
  EXPECT_TRUE(planner.done());
  EXPECT_FALSE(planner.next(plan));
}

TEST(Planner, AStreamWithoutBatchesIsJustAFlush) {
  const auto steps = plan_all(simple_trace({.lookahead = 3}, {}));

  ASSERT_EQ(steps.size(), 1);
  EXPECT_TRUE(steps[0].flush);
  EXPECT_TRUE(steps[0].evictions.empty());
}

TEST(Planner, RejectsAConfigThatMakesNoSense) {
  const auto error = [](PlannerConfig config) {
    config.table_rows = {10};
    return user_error([&] { Planner{config}; });
  };

  EXPECT_EQ(error({}), "");
  EXPECT_NE(error({.lookahead = 0}).find("lookahead: 0"), std::string::npos);
  EXPECT_NE(error({.lookahead = 4, .prefetch_depth = 5}).find("prefetch_depth: 5 is not from 1 to 4"),
            std::string::npos);
  EXPECT_NE(error({.lookahead = 4, .prefetch_depth = 0}).find("prefetch_depth"), std::string::npos);
  EXPECT_NE(error({.lookahead = 4, .cleanup_interval = 5}).find("cleanup_interval"), std::string::npos);
  EXPECT_NE(error({.trainers = 0}).find("trainers: 0"), std::string::npos);
  EXPECT_NE(error({.trainers = 65}).find("trainers: 65"), std::string::npos);
  EXPECT_NE(error({.capacity = 0}).find("capacity: 0"), std::string::npos);
  EXPECT_NE(user_error([] { Planner{PlannerConfig{}}; }).find("tables"), std::string::npos);
}

TEST(Planner, RejectsABatchThatDoesNotFit) {
  const std::string error = user_error([] {
    plan_all(simple_trace({.lookahead = 2, .capacity = 2}, {{1}, {1, 2, 3}}));
  });

  EXPECT_NE(error.find("batch 1 looks up 3 different rows; the cache holds 2"), std::string::npos) << error;
}

TEST(Planner, RejectsIdsThatAreNotInTheTable) {
  const auto error = [](std::int64_t bad) {
    return user_error([&] { plan_all(simple_trace({.table_rows = {10}}, {{1}, {9, bad}})); });
  };

  EXPECT_NE(error(10).find("batch 1 looks up id 10 of table 0, which has 10 rows"), std::string::npos)
      << error(10);
  EXPECT_NE(error(-1).find("id -1"), std::string::npos);
}

TEST(Config, TheCleanUpIntervalIsAShareOfTheWindowAndAtLeastOne) {
  EXPECT_EQ(cleanup_interval(200, 0.25), 50);
  EXPECT_EQ(cleanup_interval(50, 0.25), 12);
  EXPECT_EQ(cleanup_interval(2, 0.25), 1);
  EXPECT_NE(user_error([] { cleanup_interval(2, 1.5); }), "");
}

TEST(Owner, IsAlwaysAUserAndTheWorkIsSpread) {
  std::vector<int> rows(4);
  for (std::int64_t n = 0; n < 4000; ++n) ++rows[static_cast<std::size_t>(owner(make_row(1, n), 0b1011, 4))];

  EXPECT_EQ(rows[2], 0);
  for (const int trainer : {0, 1, 3}) EXPECT_GT(rows[static_cast<std::size_t>(trainer)], 800);
}

}  // namespace
}  // namespace overture::lookahead
