#include "overture/model/placement.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/base/testing.h"
#include "overture/model/published.h"
#include "overture/model/table_plan.h"

namespace overture::model {
namespace {

// Tables of so many bytes.
std::vector<EmbeddingTable> tables_of(const std::vector<std::int64_t>& bytes) {
  std::vector<EmbeddingTable> tables;
  for (const std::int64_t size : bytes)
    tables.push_back({.rows = size, .columns = 1, .number = NumberType::fp8});
  return tables;
}
std::vector<std::int64_t> some_sizes(RandomStream& random, std::uint64_t most) {
  std::vector<std::int64_t> sizes;
  for (auto n = 1 + random.below(most); n > 0; --n)
    sizes.push_back(1 + static_cast<std::int64_t>(random.below(50)));
  return sizes;
}
std::int64_t fullest(const std::vector<EmbeddingTable>& tables, const Placement& placement, int nodes) {
  return std::ranges::max(bytes_per_node(tables, placement, nodes)).count();
}

// The best there is, by trying all of them.
std::int64_t best(const std::vector<std::int64_t>& sizes, int nodes) {
  std::vector<std::int64_t> load(static_cast<std::size_t>(nodes));
  std::int64_t least = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  const std::function<void(std::size_t)> place = [&](std::size_t t) {
    if (t == sizes.size()) {
      least = std::min(least, std::ranges::max(load));
      return;
    }
    for (std::int64_t& node : load) {
      node += sizes[t];
      place(t + 1);
      node -= sizes[t];
    }
  };
  place(0);
  return least;
}

// Graham, 1969: at most 4/3 - 1/(3 nodes) of the best.
TEST(SizeBalanced, IsWithinGrahamsBoundOfTheBest) {
  RandomStream random = RandomStreams(1).make("graham");
  for (int round = 0; round < 60; ++round) {
    const std::vector<std::int64_t> sizes = some_sizes(random, 8);
    const int nodes = 2 + static_cast<int>(random.below(2));
    const auto tables = tables_of(sizes);
    const std::int64_t ours =
        fullest(tables, place_tables(tables, nodes, PlacementRule::size_balanced), nodes);
    EXPECT_LE(3 * nodes * ours, (4 * nodes - 1) * best(sizes, nodes));
  }
}

// The same rule, without a heap.
TEST(SizeBalanced, TheLargestLeftGoesToTheNodeThatHoldsTheLeast) {
  RandomStream random = RandomStreams(2).make("largest");
  for (int round = 0; round < 200; ++round) {
    const std::vector<std::int64_t> sizes = some_sizes(random, 30);
    const int nodes = 1 + static_cast<int>(random.below(7));
    Placement expected(sizes.size(), -1);
    std::vector<std::int64_t> load(static_cast<std::size_t>(nodes));
    for (std::size_t placed = 0; placed < sizes.size(); ++placed) {
      std::size_t largest = sizes.size();
      for (std::size_t t = 0; t < sizes.size(); ++t)
        if (expected[t] < 0 && (largest == sizes.size() || sizes[t] > sizes[largest])) largest = t;
      const auto node = std::ranges::min_element(load) - load.begin();
      expected[largest] = static_cast<int>(node);
      load[static_cast<std::size_t>(node)] += sizes[largest];
    }
    EXPECT_EQ(place_tables(tables_of(sizes), nodes, PlacementRule::size_balanced), expected);
  }
}

TEST(RoundRobin, CountsDifferByOneAtMost) {
  for (const int nodes : {1, 2, 5, 16}) {
    for (const std::size_t count : {0UL, 1UL, 16UL, 17UL, 100UL}) {
      const auto tables = tables_of(std::vector<std::int64_t>(count, 5));
      const auto per_node = tables_per_node(place_tables(tables, nodes, PlacementRule::round_robin), nodes);
      EXPECT_LE(std::ranges::max(per_node) - std::ranges::min(per_node), 1);
      EXPECT_EQ(std::accumulate(per_node.begin(), per_node.end(), 0), static_cast<int>(count));
    }
  }
}

TEST(Placement, WithoutNodesThereIsNone) {
  EXPECT_EQ(user_error([] { place_tables(tables_of({5}), 0, PlacementRule::round_robin); }),
            "tables need at least one node");
}

TEST(Placement, TheFullestNodeIsNamedWhenItDoesNotFit) {
  const auto tables = tables_of({1 << 20, 3 << 20});
  EXPECT_EQ(user_error([&] {
              require_fit(tables, {0, 1}, 2, Bytes{2 << 20});
            }),
            "the tables of node 1 need 3.000 MiB, but a node has 2.000 MiB\n  use more nodes, fewer tables "
            "or fewer rows");
  EXPECT_EQ(user_error([&] { require_fit({}, {}, 2, Bytes{0}); }), "") << "no tables fit everywhere";
}

TEST(ColumnsOfShare, AreEqualUpToOneAndAddUp) {
  for (std::int64_t columns = 1; columns <= 40; ++columns) {
    for (std::int64_t shares = 1; shares <= columns; ++shares) {
      std::int64_t sum = 0;
      for (std::int64_t i = 0; i < shares; ++i) {
        const std::int64_t share = columns_of_share(columns, i, shares);
        EXPECT_GE(share, columns / shares);
        EXPECT_LE(share, (columns + shares - 1) / shares);
        sum += share;
      }
      EXPECT_EQ(sum, columns);
    }
  }
}

TablePlace some_place(RandomStream& random, std::int64_t columns, int nodes) {
  TablePlace place{.sharding = static_cast<TableSharding>(random.below(4)), .nodes = {}};
  const auto node = [&] { return static_cast<int>(random.below(static_cast<std::uint64_t>(nodes))); };
  if (place.sharding == TableSharding::table_wise) place.nodes = {node()};
  if (place.sharding == TableSharding::column_wise) {
    for (auto n = 1 + random.below(static_cast<std::uint64_t>(columns)); n > 0; --n)
      place.nodes.push_back(node());
  }
  return place;
}

// However tables are spread, whole tables and shares hold all bytes once, rows at most a row more a node, and
// copies as often as there are nodes.
TEST(TableLoads, NoByteOfATableIsLost) {
  RandomStream random = RandomStreams(3).make("loads");
  for (int round = 0; round < 200; ++round) {
    const int nodes = 1 + static_cast<int>(random.below(5));
    const EmbeddingTable table{.rows = 1 + static_cast<std::int64_t>(random.below(100)),
                               .columns = 1 + static_cast<std::int64_t>(random.below(16)),
                               .bag = 1 + static_cast<int>(random.below(4))};
    const TablePlace place = some_place(random, table.columns, nodes);
    ASSERT_NO_THROW(require_sound({place}, {table}, nodes));
    const TableLoads loads = loads_of({place}, {table}, nodes);
    Bytes held;
    Bytes pooled;
    for (const TableLoads::OfNode& node : loads.nodes) {
      held += node.memory;
      pooled += node.pooled;
    }
    switch (place.sharding) {
      case TableSharding::table_wise:
      case TableSharding::column_wise:
        EXPECT_EQ(held, table.size());
        EXPECT_EQ(pooled, table.row());
        break;
      case TableSharding::row_wise:
        EXPECT_GE(held, table.size());
        EXPECT_LT(held, table.size() + table.row() * nodes);
        EXPECT_EQ(loads.row_wise_gathered, table.row() * table.bag);
        break;
      case TableSharding::data_parallel:
        EXPECT_EQ(held, table.size() * nodes);
        EXPECT_EQ(loads.copies_size, table.size());
        break;
    }
  }
}

TEST(TableLoads, TheFullestNodeHoldsTheMost) {
  const auto tables = tables_of({5, 7});
  EXPECT_EQ(loads_of({{.nodes = {0}}, {.nodes = {0}}}, tables, 2).fullest(), Bytes{12});
  EXPECT_EQ(loads_of({{.nodes = {0}}, {.nodes = {1}}}, tables, 2).fullest(), Bytes{7});
}

TEST(Published, NetworksHaveRoomForTheirNodes) {
  for (const int nodes : published_nodes()) {
    const PublishedNetworks networks = published_networks(nodes);
    EXPECT_EQ(networks.tors * networks.hosts_per_tor, nodes);
    EXPECT_EQ(networks.fat_tree_k * networks.fat_tree_k * networks.fat_tree_k / 4, nodes);
    EXPECT_EQ(networks.uplinks, networks.hosts_per_tor);
  }
  EXPECT_EQ(user_error([] { published_networks(64); }),
            "the study has no networks of 64 nodes\n  it has 16, 128 and 1024");
}

TEST(Published, AVariantChangesTheColumnsOfItsModelAndNothingElse) {
  for (const PublishedVariant& variant : published_variants()) {
    DlrmShape expected = published_model(variant.model);
    expected.columns = variant.columns;
    EXPECT_EQ(variant.shape().columns, expected.columns);
    EXPECT_EQ(variant.shape().tables, expected.tables);
    EXPECT_EQ(variant.shape().width, expected.width);
  }
}

Dlrm small_model(Interaction interaction) {
  Dlrm model{.name = "small"};
  model.bottom = {{13, 32}, {32, 8}};
  model.tables = {{.rows = 10, .columns = 8}, {.rows = 20, .columns = 8}};
  model.interaction = interaction;
  model.top = {{model.interacted(), 4}, {4, 1}};
  return model;
}

// Three vectors of 8: side by side 24, or 3 products beside the dense 8.
TEST(DlrmModel, TheInteractionIsWhatTheTopTakes) {
  EXPECT_EQ(small_model(Interaction::cat).interacted(), 24);
  EXPECT_EQ(small_model(Interaction::dot).interacted(), 8 + 3);
  Dlrm without = small_model(Interaction::dot);
  without.bottom.clear();
  EXPECT_EQ(without.interacted(), 1) << "one pair of tables";
}

// (13 + 1) * 32 + (32 + 1) * 8 + (24 + 1) * 4 + (4 + 1) * 1 numbers of 4 bytes.
TEST(DlrmModel, GradientsAreOfWeightsAndBiases) {
  Dlrm model = small_model(Interaction::cat);
  EXPECT_EQ(model.dense_gradients(), Bytes{4 * (448 + 264 + 100 + 5)});
  model.biases = false;
  EXPECT_EQ(model.dense_gradients(), Bytes{4 * (416 + 256 + 96 + 4)});
  model.gradients = NumberType::bf16;
  EXPECT_EQ(model.dense_gradients(), Bytes{2 * (416 + 256 + 96 + 4)});
}

TEST(DlrmModel, WhatDoesNotFollowOnEachOtherIsRefused) {
  EXPECT_EQ(user_error([] { require_sound(small_model(Interaction::cat)); }), "");
  const auto error = [](auto change) {
    Dlrm model = small_model(Interaction::dot);
    change(model);
    return user_error([&] { require_sound(model); });
  };
  EXPECT_EQ(error([](Dlrm& m) { m.bottom[1].inputs = 31; }),
            "layer 1 of the bottom MLP takes 31 numbers, but the one before gives 32");
  EXPECT_EQ(error([](Dlrm& m) { m.top[1].inputs = 5; }),
            "layer 1 of the top MLP takes 5 numbers, but the one before gives 4");
  EXPECT_EQ(error([](Dlrm& m) { m.top[0].inputs = 12; }),
            "the top MLP takes 12 numbers, but the interaction gives 11");
  EXPECT_EQ(error([](Dlrm& m) { m.top.clear(); }), "a DLRM needs at least one layer at the top, not 0");
  EXPECT_EQ(error([](Dlrm& m) { m.tables.clear(); }), "a DLRM needs at least one embedding table, not 0");
  EXPECT_EQ(error([](Dlrm& m) { m.tables[0].rows = 0; }), "a DLRM needs at least one row in a table, not 0");
  EXPECT_EQ(error([](Dlrm& m) { m.tables[0].bag = 0; }), "a DLRM needs at least one row for a sample, not 0");
  EXPECT_EQ(error([](Dlrm& m) { m.bottom[0].inputs = 0; }),
            "a DLRM needs at least one input of a layer, not 0");
}

TEST(DlrmModel, AnUnknownPublishedModelIsAnsweredWithThoseThatAre) {
  EXPECT_EQ(user_error([] { published_model("B"); }),
            "unknown model \"B\"\n  did you mean \"A\"? known: A, I");
}

}  // namespace
}  // namespace overture::model
