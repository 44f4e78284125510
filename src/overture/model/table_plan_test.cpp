#include "overture/model/table_plan.h"

#include <gtest/gtest.h>

#include "overture/base/error.h"

namespace overture::model {
namespace {

// 10 rows of 4 numbers: 160 bytes; a row is 16, a bag of 3 is 48.
const EmbeddingTable kTable{.rows = 10, .columns = 4, .bag = 3};

TEST(TablePlan, AWholeTableLoadsItsNodeOnly) {
  const TableLoads loads = loads_of({{TableSharding::table_wise, {1}}}, {kTable}, 3);
  EXPECT_EQ(loads.nodes[1].memory, Bytes{160});
  EXPECT_EQ(loads.nodes[1].gathered, Bytes{48});
  EXPECT_EQ(loads.nodes[1].pooled, Bytes{16});
  EXPECT_EQ(loads.nodes[0].memory, Bytes{0});
  EXPECT_EQ(loads.fullest(), Bytes{160});
}

TEST(TablePlan, SharesOfColumnsAddUpToTheTable) {
  const TableLoads loads = loads_of({{TableSharding::column_wise, {0, 2, 1}}}, {kTable}, 3);
  EXPECT_EQ(loads.nodes[0].memory, Bytes{40});
  EXPECT_EQ(loads.nodes[2].memory, Bytes{40});
  EXPECT_EQ(loads.nodes[1].memory, Bytes{80});
}

TEST(TablePlan, RowsAreSharedByAllAndCopiesAreEverywhere) {
  const TableLoads loads =
      loads_of({{TableSharding::row_wise, {}}, {TableSharding::data_parallel, {}}}, {kTable, kTable}, 3);
  EXPECT_EQ(loads.nodes[2].memory, Bytes{4 * 16 + 160});  // 4 of 10 rows
  EXPECT_EQ(loads.row_wise_pooled, Bytes{16});
  EXPECT_EQ(loads.copies_size, Bytes{160});
}

TEST(TablePlan, WhatIsAddedCanBeTakenAway) {
  for (const TablePlace& place :
       {TablePlace{TableSharding::table_wise, {0}}, TablePlace{TableSharding::column_wise, {0, 1}},
        TablePlace{TableSharding::row_wise, {}}, TablePlace{TableSharding::data_parallel, {}}}) {
    TableLoads loads = loads_of({place}, {kTable}, 2);
    remove(loads, place, kTable);
    EXPECT_EQ(loads.fullest(), Bytes{0});
    EXPECT_EQ(loads.nodes[0].shards, 0);
    EXPECT_EQ(loads.row_wise_gathered + loads.copies_gathered + loads.nodes[0].gathered, Bytes{0});
  }
}

TEST(TablePlan, RefusesWhatCannotBe) {
  EXPECT_THROW(require_sound({{TableSharding::table_wise, {3}}}, {kTable}, 3), UserError);
  EXPECT_THROW(require_sound({{TableSharding::table_wise, {}}}, {kTable}, 3), UserError);
  EXPECT_THROW(require_sound({{TableSharding::row_wise, {1}}}, {kTable}, 3), UserError);
  EXPECT_THROW(require_sound({{TableSharding::column_wise, {0, 1, 2, 0, 1}}}, {kTable}, 3), UserError);
  EXPECT_THROW(require_sound({}, {kTable}, 3), UserError);
  EXPECT_NO_THROW(require_sound({{TableSharding::column_wise, {0, 1}}}, {kTable}, 3));
}

}  // namespace
}  // namespace overture::model
