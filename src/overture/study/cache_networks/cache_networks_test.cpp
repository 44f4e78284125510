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

}  // namespace
}  // namespace overture::study::cache_networks
