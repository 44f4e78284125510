#include "overture/embedding/sharding.h"

#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/embedding/tables.h"

namespace overture::embedding {
namespace {

const TablesConfig kTables{.tables = {{.rows = 7, .dim = 3}, {.rows = 1, .dim = 8}, {.rows = 100, .dim = 5}},
                           .optimizer = {.kind = OptimizerKind::adagrad}};

using model::TableSharding;

// One table whole on the last server, one by rows, one by columns on up to five servers from the last on.
Division planned(int servers) {
  std::vector<int> some;
  for (int server = servers; server-- > 0 && some.size() < 5;) some.push_back(server);
  Division division;
  division.plan = {{TableSharding::table_wise, {servers - 1}},
                   {TableSharding::row_wise, {}},
                   {TableSharding::column_wise, some}};
  return division;
}

TEST(Sharding, EveryNumberOfEveryRowIsHeldOnce) {
  for (const int servers : {1, 2, 3, 11}) {
    for (const Division& sharding :
         {Division(Sharding::hash), Division(Sharding::range), Division(Sharding::table_wise),
          Division(Sharding::column_wise), planned(servers)}) {
      validate(sharding, kTables, servers);
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
          EXPECT_EQ(held, std::vector<int>(held.size(), 1)) << "sharding " << static_cast<int>(sharding.all);
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

TEST(Sharding, APlanSaysWhichServersHoldATable) {
  Division division;
  division.plan = {
      {TableSharding::table_wise, {2}}, {TableSharding::column_wise, {3, 1}}, {TableSharding::row_wise, {}}};
  const auto shares = all_shares(kTables, division, 4);
  for (std::size_t server = 0; server < 4; ++server) {
    EXPECT_EQ(shares[server][0].rows, server == 2 ? 7 : 0);
    EXPECT_EQ(shares[server][1].rows, server == 1 || server == 3 ? 1 : 0);
    EXPECT_EQ(shares[server][2].rows, 25);
  }
  EXPECT_EQ(shares[3][1].begin, 0);
  EXPECT_EQ(shares[3][1].end, 4);  // of eight numbers and adagrad's one
  EXPECT_EQ(shares[1][1].begin, 4);
  EXPECT_EQ(shares[1][1].end, 9);
}

TEST(Sharding, APlanOfOtherTablesOrServersIsRefused) {
  const auto error = [](auto change, int servers) {
    Division division = planned(3);
    change(division.plan);
    return user_error([&] { validate(division, kTables, servers); });
  };
  EXPECT_EQ(error([](auto&) {}, 3), "");
  EXPECT_EQ(
      error([](auto&) {}, 2),
      "tables.plan: table 0 is on server 2, but servers are 0 to 1\n  start at least 3 servers, or plan "
      "for 2");
  EXPECT_EQ(
      error([](auto& plan) { plan[1].sharding = TableSharding::data_parallel; }, 3),
      "tables.plan: table 1 is data_parallel, but every row has one home\n  make the plan with `overture "
      "plan MODEL --for train`");
  EXPECT_EQ(error(
                [](auto& plan) {
                  plan[2].nodes = {1, 1};
                },
                3),
            "tables.plan: table 2 names a server twice");
  EXPECT_EQ(error(
                [](auto& plan) {
                  plan[2].nodes = {0, -1};
                },
                3),
            "tables.plan: table 2 is on node -1, but nodes are 0 to 2");
  EXPECT_EQ(error(
                [](auto& plan) {
                  plan[2] = plan[1], plan[1] = {TableSharding::column_wise, {}};
                },
                3),
            "tables.plan: table 1 has 0 nodes\n  table_wise names one node, column_wise one for each share, "
            "the others none");
  EXPECT_EQ(error([](auto& plan) { plan.pop_back(); }, 3),
            "tables.plan: 2 places for 3 tables\n  give every table a place");
}

}  // namespace
}  // namespace overture::embedding
