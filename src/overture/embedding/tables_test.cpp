#include "overture/embedding/tables.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "overture/base/error.h"

namespace overture::embedding {
namespace {

const TablesConfig kConfig{.tables = {{.rows = 100, .dim = 16}, {.rows = 7, .dim = 5}},
                           .optimizer = {.kind = OptimizerKind::adagrad},
                           .seed = 3};

TEST(Tables, RowsStartWithinTheBoundOfTheirTable) {
  Workers workers(2);
  Tables tables(kConfig, {}, workers);
  float largest = 0;
  for (std::int64_t id = 0; id < 7; ++id) {
    for (int column = 0; column < 5; ++column)
      largest = std::max(largest, std::abs(tables.row(1, id)[column]));
    EXPECT_EQ(tables.row(1, id)[5], 0) << "the accumulator";
  }
  EXPECT_LE(largest, std::sqrt(1.0f / 7));
  EXPECT_GT(largest, 0.5f * std::sqrt(1.0f / 7));
}

TEST(Tables, AShareHoldsTheSameRowsAsTheWhole) {
  Workers workers;
  Tables whole(kConfig, {}, workers);
  for (int index = 0; index < 3; ++index) {
    Tables share(kConfig, {.index = index, .count = 3}, workers);
    for (std::int64_t table = 0; table < 2; ++table) {
      for (std::int64_t id = index; id < kConfig.tables[static_cast<std::size_t>(table)].rows; id += 3) {
        EXPECT_TRUE(std::equal(share.row(table, id), share.row(table, id) + share.held(table).stride(),
                               whole.row(table, id)));
      }
    }
  }
}

TEST(Tables, AnotherSeedGivesOtherRows) {
  Workers workers;
  TablesConfig other = kConfig;
  other.seed = 4;
  Tables a(kConfig, {}, workers);
  Tables b(other, {}, workers);
  EXPECT_NE(a.row(0, 0)[0], b.row(0, 0)[0]);
  EXPECT_NE(a.row(0, 0)[0], a.row(0, 1)[0]);
}

TEST(Tables, BadSizesAreUserErrors) {
  Workers workers;
  EXPECT_THROW(Tables({.tables = {{.rows = 0}}}, {}, workers), UserError);
  EXPECT_THROW(Tables({.tables = {{.rows = 1, .dim = 0}}}, {}, workers), UserError);
  EXPECT_THROW(Tables({.tables = {{.rows = 1, .dim = 5000}}}, {}, workers), UserError);
  EXPECT_THROW(Tables({.tables = {{.rows = std::int64_t{1} << 40}}}, {}, workers), UserError) << "64 TiB";
}

}  // namespace
}  // namespace overture::embedding
