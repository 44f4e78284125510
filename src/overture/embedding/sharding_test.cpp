#include "overture/embedding/sharding.h"

#include <gtest/gtest.h>

#include "overture/embedding/tables.h"

namespace overture::embedding {
namespace {

const TablesConfig kTables{.tables = {{.rows = 7, .dim = 3}, {.rows = 1, .dim = 8}, {.rows = 100, .dim = 5}},
                           .optimizer = {.kind = OptimizerKind::adagrad}};

TEST(Sharding, EveryNumberOfEveryRowIsHeldOnce) {
  for (const Sharding sharding :
       {Sharding::hash, Sharding::range, Sharding::table_wise, Sharding::column_wise}) {
    for (const int servers : {1, 2, 3, 11}) {
      const auto shares = all_shares(kTables, sharding, servers);
      for (std::size_t t = 0; t < kTables.tables.size(); ++t) {
        std::int64_t places = 0;
        for (std::int64_t id = 0; id < kTables.tables[t].rows; ++id) {
          std::vector<int> held(static_cast<std::size_t>(kTables.tables[t].dim + 1), 0);
          for (const auto& tables : shares) {
            if (!tables[t].holds(id)) continue;
            EXPECT_EQ(tables[t].id(tables[t].place(id)), id);
            EXPECT_LT(tables[t].place(id), tables[t].rows);
            for (std::int32_t c = tables[t].begin; c < tables[t].end; ++c)
              ++held[static_cast<std::size_t>(c)];
            ++places;
          }
          EXPECT_EQ(held, std::vector<int>(held.size(), 1)) << "sharding " << static_cast<int>(sharding);
        }
        std::int64_t rows = 0;
        for (const auto& tables : shares) {
          rows += tables[t].rows;
          EXPECT_FALSE(tables[t].holds(-1));
          EXPECT_FALSE(tables[t].holds(kTables.tables[t].rows + 11));
        }
        EXPECT_EQ(rows, places);
      }
    }
  }
}

TEST(Sharding, WholeTablesGoWhereLeastIs) {
  const auto shares = all_shares(kTables, Sharding::table_wise, 2);
  EXPECT_EQ(shares[0][2].rows, 100);  // the largest
  EXPECT_EQ(shares[1][0].rows, 7);
  EXPECT_EQ(shares[1][1].rows, 1);  // 12 floats, beside 28
  EXPECT_EQ(shares[0][0].rows, 0);
}

}  // namespace
}  // namespace overture::embedding
