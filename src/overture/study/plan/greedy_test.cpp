// The baseline planner's rules, on tables small enough to rate by hand: 897 GiB/s of memory, 12.5 GiB/s of
// network, backward twice forward.
#include "overture/study/plan/greedy.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "overture/base/random.h"

namespace overture::study {
namespace {

using model::EmbeddingTable;
using model::TablePlace;
using model::TablePlan;
using model::TableSharding;

constexpr Bytes kPlenty{std::int64_t{1} << 50};

TablePlan plan_of(const std::vector<EmbeddingTable>& tables, int nodes, std::int64_t samples = 1024,
                  Bytes memory = kPlenty) {
  const auto plan = greedy_plan({.tables = tables, .nodes = nodes, .samples = samples, .memory = memory});
  return plan.value_or(TablePlan{});
}

int on_node(const TablePlan& plan, int node) {
  return static_cast<int>(std::ranges::count_if(plan, [&](const TablePlace& place) {
    return std::ranges::find(place.nodes, node) != place.nodes.end();
  }));
}

// Two rows to add up against 4,096 sums of samples to send.
TEST(GreedyRules, TinyTablesAreCopied) {
  const TablePlan plan = plan_of({{.rows = 2, .columns = 64, .bag = 1}}, 4);
  ASSERT_EQ(plan.size(), 1U);
  EXPECT_EQ(plan[0].sharding, TableSharding::data_parallel);
  EXPECT_TRUE(plan[0].nodes.empty());
}

// Alone, a table's rows are read by all at once, and the sums cost every node what they cost one.
TEST(GreedyRules, OneTableOfManyRowsGoesByRows) {
  const TablePlan plan = plan_of({{.rows = 1'000'000, .columns = 64, .bag = 10}}, 4);
  ASSERT_EQ(plan.size(), 1U);
  EXPECT_EQ(plan[0].sharding, TableSharding::row_wise);
}

TEST(GreedyRules, ManyTablesGoWholeAndEvenly) {
  const TablePlan plan =
      plan_of(std::vector<EmbeddingTable>(8, {.rows = 1'000'000, .columns = 64, .bag = 10}), 4);
  ASSERT_EQ(plan.size(), 8U);
  for (const TablePlace& place : plan) EXPECT_EQ(place.sharding, TableSharding::table_wise);
  for (int node = 0; node < 4; ++node) EXPECT_EQ(on_node(plan, node), 2) << node;
}

TEST(GreedyRules, WideTablesGoByColumnsInSharesOf128) {
  const std::vector<EmbeddingTable> wide(1, {.rows = 1'000'000, .columns = 384, .bag = 10});
  const TablePlan plan = plan_of(wide, 8);
  ASSERT_EQ(plan.size(), 1U);
  EXPECT_EQ(plan[0].sharding, TableSharding::column_wise);
  EXPECT_EQ(plan[0].nodes, (std::vector<int>{0, 1, 2}));
}

TEST(GreedyRules, NarrowerThanTwoSharesOf128AreNotDivided) {
  const std::vector<EmbeddingTable> narrow(1, {.rows = 1'000'000, .columns = 255, .bag = 10});
  EXPECT_EQ(plan_of(narrow, 8).at(0).sharding, TableSharding::row_wise);
}

TEST(GreedyRules, SharesAreAtMostTheNodes) {
  const std::vector<EmbeddingTable> wide(1, {.rows = 1'000'000, .columns = 1024, .bag = 10});
  EXPECT_EQ(plan_of(wide, 3).at(0).nodes, (std::vector<int>{0, 1, 2}));
}

// Three tables of 64 kB on two nodes of 100 kB: one each, and no room for the third.
TEST(GreedyRules, WhatDoesNotFitWholeIsDivided) {
  const std::vector<EmbeddingTable> tables(3, {.rows = 1000, .columns = 16, .bag = 4});
  const TablePlan plan = plan_of(tables, 2, 64, Bytes{100'000});
  ASSERT_EQ(plan.size(), 3U);
  EXPECT_LE(loads_of(plan, tables, 2).fullest(), Bytes{100'000});
  EXPECT_TRUE(std::ranges::any_of(
      plan, [](const TablePlace& place) { return place.sharding == TableSharding::row_wise; }));
}

TEST(GreedyRules, OneNodeHasAll) {
  const std::vector<EmbeddingTable> tables(3, {.rows = 1000, .columns = 300, .bag = 4});
  const TablePlan plan = plan_of(tables, 1);
  ASSERT_EQ(plan.size(), 3U);
  require_sound(plan, tables, 1);
  EXPECT_EQ(loads_of(plan, tables, 1).fullest(), tables[0].memory() * 3);
}

TEST(GreedyRules, PlansOfRandomTablesAreSoundAndFit) {
  RandomStream random = RandomStreams(3).make("greedy");
  const auto number = [&](std::uint64_t least, std::uint64_t most) {
    return static_cast<std::int64_t>(least + random.below(most - least + 1));
  };
  int planned = 0;
  for (int i = 0; i < 200; ++i) {
    std::vector<EmbeddingTable> tables;
    for (auto t = number(1, 12); t > 0; --t) {
      tables.push_back({.rows = number(1, 100'000),
                        .columns = number(1, 600),
                        .bag = static_cast<int>(number(1, 50)),
                        .kept_of_row = static_cast<int>(number(0, 1))});
    }
    const int nodes = static_cast<int>(number(1, 9));
    std::int64_t total = 0;
    for (const EmbeddingTable& table : tables) total += table.memory().count();
    const Bytes memory{total / nodes * number(1, 6) / 2};
    const TablePlan plan = plan_of(tables, nodes, number(1, 4096), memory);
    if (plan.empty()) continue;
    ++planned;
    EXPECT_NO_THROW(require_sound(plan, tables, nodes)) << i;
    EXPECT_LE(loads_of(plan, tables, nodes).fullest(), memory) << i;
  }
  EXPECT_GT(planned, 100);
}

}  // namespace
}  // namespace overture::study
