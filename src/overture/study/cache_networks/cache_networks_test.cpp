#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/study/cache_networks/report.h"

namespace overture::study::cache_networks {
namespace {

CellTime time(int nodes, const std::string& network, const std::string& rows, double step_us) {
  return {.cell = {.nodes = nodes, .network = network, .rows = rows, .packets = false, .keys = {}},
          .folder = {},
          .step_us = step_us,
          .compute_us = 1};
}

TEST(CacheNetworks, HasEveryNetworkWithEveryWayToHoldRows) {
  const auto cells =
      cells_of({.nodes = {16}, .lookaheads = {1, 8}, .batch = 2048, .packets_up_to = 0, .keys = {}});
  EXPECT_EQ(cells.size(), 3U * (3 + 2));
  EXPECT_EQ(cells_of({.nodes = {16, 128}, .lookaheads = {8}, .keys = {}}).size(),
            3U * 4 * 3);  // packets for 16
  EXPECT_THROW(cells_of({.nodes = {17}, .keys = {}}), UserError);
  EXPECT_THROW(cells_of({.lookaheads = {0}, .keys = {}}), UserError);
}

TEST(CacheNetworks, TheBestShardingRacesForTheModelWithoutACache) {
  const auto all = races({time(16, "fat tree", "table_wise", 30), time(16, "fat tree", "row_wise", 20),
                          time(16, "Opera", "table_wise", 25)});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].step_us, (std::vector<double>{20, 0, 25}));
  EXPECT_EQ(all[0].how[0], "row_wise");
  EXPECT_EQ(all[0].best(), std::optional<std::size_t>(0));
}

TEST(CacheNetworks, SaysWhetherTheCacheChangesTheBestNetwork) {
  const std::vector<CellTime> without{time(16, "fat tree", "row_wise", 20),
                                      time(16, "Opera", "row_wise", 30)};
  std::vector<CellTime> same = without;
  same.push_back(time(16, "fat tree", "lookahead 8", 10));
  same.push_back(time(16, "Opera", "lookahead 8", 12));
  EXPECT_TRUE(changes(races(same)).empty());
  EXPECT_NE(headline_of(races(same)).find("does not change"), std::string::npos);
  std::vector<CellTime> other = without;
  other.push_back(time(16, "fat tree", "lookahead 8", 12));
  other.push_back(time(16, "Opera", "lookahead 8", 10));
  ASSERT_EQ(changes(races(other)).size(), 1U);
  EXPECT_NE(changes(races(other))[0].find("Opera with lookahead 8 (by 20 %)"), std::string::npos);
  other.back().step_us = 11.9;  // less than 5 %: nobody can tell
  EXPECT_TRUE(changes(races(other)).empty());
}

TEST(CacheNetworks, WithoutASecondNetworkNobodyLeads) {
  const auto all = races({time(16, "Opera", "row_wise", 20)});
  EXPECT_EQ(all[0].best(), std::optional<std::size_t>(2));
  EXPECT_NE(race_table(all).find("Opera (tie)"), std::string::npos) << race_table(all);
  EXPECT_TRUE(changes(all).empty());
  EXPECT_TRUE(races({}).empty());
}

TEST(CacheNetworks, PacketsAndFlowsAreRacesOfTheirOwn) {
  CellTime packets = time(16, "fat tree", "row_wise", 25);
  packets.cell.packets = true;
  const auto all =
      races({time(16, "fat tree", "row_wise", 20), packets, time(128, "fat tree", "row_wise", 9)});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_TRUE(all[1].packets);
  EXPECT_EQ(all[2].nodes, 128);
  EXPECT_NE(race_table(all).find("16 pkt"), std::string::npos);
}

// Without a cache 20 ms, with one 10 ms on the tree and 40 ms on Opera.
TEST(CacheNetworks, TheHeadlineSaysHowMuchTheCacheGains) {
  const auto all =
      races({time(16, "fat tree", "row_wise", 20'000), time(16, "Opera", "row_wise", 30'000),
             time(16, "fat tree", "lookahead 8", 10'000), time(16, "Opera", "lookahead 8", 60'000)});
  EXPECT_EQ(headline_of(all),
            "The cache does not change which network is best, wherever the first two are 5 % or more apart. "
            "Against the "
            "best sharding, a step with servers and cache is 0.50 (16 nodes, Opera, lookahead 8) to 2.00 "
            "times as fast (16 "
            "nodes, fat tree, lookahead 8).");
}

TEST(CacheNetworks, TheTableOfRacesIsOverTheFatTree) {
  const auto report =
      make_report({time(16, "fat tree", "row_wise", 20), time(16, "Opera", "row_wise", 30)}, {});
  EXPECT_EQ(report.tables[0].text,
            "nodes,backend,rows,network,how,step_us,compute_us,over_fat_tree\n"
            "16,flows,sharded,fat tree,row_wise,20.000000,1.000000,1.0000\n"
            "16,flows,sharded,Opera,row_wise,30.000000,1.000000,1.5000\n");
  EXPECT_EQ(report.cells.size(), 2U);
  EXPECT_EQ(report.figures.size(), 2U) << "ratios, and the scaling of one way to hold rows";
}

TEST(CacheNetworks, ACellsCommandHasItsKeys) {
  const CacheCell cell =
      cells_of({.nodes = {16}, .lookaheads = {8}, .packets_up_to = 0, .keys = {"passes=2"}}).back();
  EXPECT_EQ(name(cell), "16 nodes, Opera, lookahead 8");
  const std::string command = command_of(cell);
  EXPECT_EQ(command.rfind("overture simulate setups/dlrm.yaml -s 'network={backend: flow, ", 0), 0U)
      << command;
  EXPECT_TRUE(command.ends_with(" -s 'passes=2'")) << "the user's come last";
  EXPECT_NE(command.find("workload.cache={lookahead: 8, "), std::string::npos);
}

}  // namespace
}  // namespace overture::study::cache_networks
