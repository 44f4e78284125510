// The cells as setups: which there are, that each can run as it stands, and that they differ in what their
// names say.
#include "overture/study/cache_networks/cells.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "overture/base/files.h"
#include "overture/base/testing.h"
#include "overture/base/testing_folder.h"
#include "overture/setup/setup.h"

namespace overture::study::cache_networks {
namespace {

CellChoice small_choice() { return {.nodes = {16}, .lookaheads = {1, 8}, .packets_up_to = 16}; }

setup::Setup parsed_network(const CacheCell& cell) {
  return setup::parse_setup(setup_text(), "dlrm.yaml", cell.keys, setup::Needs::network);
}

TEST(CacheNetworkCells, AreNetworksTimesRowsTimesBackends) {
  EXPECT_EQ(cells_of(small_choice()).size(), 3U * (3 + 2) * 2);
  CellChoice flows = small_choice();
  flows.packets_up_to = 15;
  EXPECT_EQ(cells_of(flows).size(), 3U * (3 + 2));
  flows.nodes = {16, 128};
  flows.packets_up_to = 16;
  EXPECT_EQ(cells_of(flows).size(), 3U * (3 + 2) * 3) << "packets for the smaller one";
}

TEST(CacheNetworkCells, HaveNamesAndFoldersOfTheirOwn) {
  const TestFolder folder;
  const auto cells = cells_of(small_choice());
  const SweepJob job = cell_job(cells, "overture", "1", folder.path());
  ASSERT_EQ(job.points.size(), cells.size());
  std::set<std::string> names;
  std::set<std::filesystem::path> folders;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    EXPECT_TRUE(names.insert(name(cells[i])).second) << name(cells[i]);
    EXPECT_TRUE(folders.insert(job.points[i].folder).second) << name(cells[i]);
  }
  EXPECT_TRUE(names.contains("16 nodes, Opera, lookahead 8, packets"));
  EXPECT_EQ(read_file(folder / "setups/dlrm.yaml"), setup_text());
}

TEST(CacheNetworkCells, KeepTheirFolderUntilSomethingOfThemChanges) {
  const TestFolder folder;
  const auto folder_of = [&](const CellChoice& choice) {
    return cell_job(cells_of(choice), "overture", "1", folder.path()).points.front().folder;
  };
  EXPECT_EQ(folder_of(small_choice()), folder_of(small_choice()));
  CellChoice other = small_choice();
  other.batch *= 2;
  EXPECT_NE(folder_of(other), folder_of(small_choice()));
  other = small_choice();
  other.keys = {"passes=4"};
  EXPECT_NE(folder_of(other), folder_of(small_choice()));
}

TEST(CacheNetworkCells, EachHasANetworkOfItsNodesOnItsBackend) {
  CellChoice choice = small_choice();
  choice.nodes = {16, 128};
  choice.packets_up_to = 128;
  for (const CacheCell& cell : cells_of(choice)) {
    const setup::Setup setup = parsed_network(cell);
    EXPECT_EQ(network::count_hosts(setup.simulation.network), cell.nodes) << name(cell);
    const bool flow = std::holds_alternative<network::FlowNetworkConfig>(setup.simulation.network);
    EXPECT_EQ(flow, !cell.packets) << name(cell);
    const bool rotor = std::holds_alternative<network::RotorNetworkConfig>(setup.simulation.network);
    EXPECT_EQ(rotor, cell.packets && cell.network == "Opera") << name(cell);
  }
}

// Tree, rails and rotors give every node 100 Gbps.
TEST(CacheNetworkCells, RailsAreNodesOfEightWithANicEach) {
  for (const CacheCell& cell : cells_of(small_choice())) {
    if (cell.network != "RoCE rail") continue;
    const setup::Setup setup = parsed_network(cell);
    ASSERT_TRUE(setup.network.nodes) << name(cell);
    EXPECT_EQ(setup.network.nodes->gpus_per_node, 8);
    EXPECT_EQ(setup.network.nodes->nics_per_node, 8);
  }
}

TEST(CacheNetworkCells, RowsAreShardedOrCached) {
  for (const CacheCell& cell : cells_of(small_choice())) {
    const auto has = [&](const std::string& text) {
      return std::ranges::any_of(cell.keys,
                                 [&](const std::string& key) { return key.find(text) != std::string::npos; });
    };
    EXPECT_EQ(cell.is_cached(), has("lookahead: ")) << name(cell);
    EXPECT_EQ(!cell.is_cached(), has("workload.dlrm.sharding=" + cell.rows)) << name(cell);
    EXPECT_TRUE(has("workload.dlrm.batch=16384"));
  }
}

TEST(CacheNetworkCells, KeysOfTheUserComeLast) {
  CellChoice choice = small_choice();
  choice.keys = {"workload.dlrm.batch=77", "passes=4"};
  for (const CacheCell& cell : cells_of(choice)) {
    EXPECT_EQ(cell.keys.back(), "passes=4");
    EXPECT_EQ(*std::prev(cell.keys.end(), 2), "workload.dlrm.batch=77");
    EXPECT_TRUE(command_of(cell).ends_with("-s 'workload.dlrm.batch=77' -s 'passes=4'"));
  }
}

TEST(CacheNetworkCells, WhatCannotBeIsRefused) {
  CellChoice choice = small_choice();
  choice.lookaheads = {8, 0};
  EXPECT_NE(user_error([&] { cells_of(choice); }).find("a lookahead is at least 1"), std::string::npos);
  choice = small_choice();
  choice.nodes = {17};
  EXPECT_NE(user_error([&] { cells_of(choice); }).find("17"), std::string::npos)
      << user_error([&] { cells_of(choice); });
}

TEST(CacheNetworkCells, OnlyFinishedCellsHaveATime) {
  const TestFolder folder;
  const auto cells = cells_of(small_choice());
  const SweepJob job = cell_job(cells, "overture", "1", folder.path());
  EXPECT_TRUE(finished_cells(cells, job, folder.path()).empty());
}

}  // namespace
}  // namespace overture::study::cache_networks
