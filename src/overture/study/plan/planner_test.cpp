#include "overture/study/plan/planner.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/study/plan/explain.h"
#include "overture/study/plan/greedy.h"
#include "overture/study/plan/problem.h"

namespace overture::study {
namespace {

using model::EmbeddingTable;
using model::TablePlace;
using model::TablePlan;
using model::TableSharding;

simulation::SimulationConfig machine(int ranks, double gib_per_s) {
  simulation::SimulationConfig config;
  network::AnalyticalConfig network;
  network.dimensions = {{.kind = topology::DimensionKind::switched,
                         .size = ranks,
                         .links = 1,
                         .link_latency_ns = 1000,
                         .link_gib_per_s = gib_per_s}};
  config.network = network;
  for (const auto kind : {system::CollectiveKind::all_reduce, system::CollectiveKind::reduce_scatter,
                          system::CollectiveKind::all_gather, system::CollectiveKind::all_to_all})
    config.system.implementation(kind).per_dimension = {
        {kind == system::CollectiveKind::all_to_all ? system::kDirect : system::kRing}};
  return config;
}

// A model of a few tables on two or three ranks whose memory is between just enough and plenty.
struct Instance {
  workload::DlrmTraining training;
  int ranks;
  double gib_per_s;
};

Instance draw(std::mt19937_64& random) {
  const auto number = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  Instance instance{.training = {}, .ranks = static_cast<int>(number(2, 3)), .gib_per_s = 0};
  const std::int64_t tables = number(2, instance.ranks == 2 ? 4 : 3);
  std::int64_t total = 0;
  for (std::int64_t t = 0; t < tables; ++t) {
    const EmbeddingTable table{.rows = std::int64_t{1} << number(4, 20),
                               .columns = std::int64_t{4} << number(0, 4),
                               .bag = static_cast<int>(number(1, 60))};
    instance.training.model.tables.push_back(table);
    total += table.size().count();
  }
  instance.training.model.bottom = {{.inputs = 16, .outputs = 64}};
  instance.training.model.top = {{.inputs = instance.training.model.pooled_columns() + 64, .outputs = 1}};
  instance.training.batch = std::int64_t{256} << number(0, 6);
  instance.training.memory_per_gpu = Bytes{total / instance.ranks + total * number(2, 20) / 20};
  instance.training.compute.by = model::ProductsAndMemory{
      .products = compute::Roofline{.peak = compute::FlopRate::per_second(10'000'000'000'000),
                                    .memory = Bandwidth::bits_per_second(8'000'000'000'000)},
      .memory = Bandwidth::bits_per_second(8'000'000'000'000)};
  instance.gib_per_s = static_cast<double>(number(1, 100));
  return instance;
}

std::vector<TablePlace> all_places(const EmbeddingTable& table, int ranks, bool as_trained) {
  std::vector<TablePlace> places{{TableSharding::row_wise, {}}};
  if (!as_trained) places.push_back({TableSharding::data_parallel, {}});
  for (unsigned set = 1; set < (1U << ranks); ++set) {
    std::vector<int> nodes;
    for (int rank = 0; rank < ranks; ++rank) {
      if ((set >> rank & 1U) != 0) nodes.push_back(rank);
    }
    if (std::ssize(nodes) > table.columns) continue;
    places.push_back({nodes.size() == 1 ? TableSharding::table_wise : TableSharding::column_wise, nodes});
  }
  return places;
}

// Every combination of places, each that fits with its simulated step.
Duration best_of_all(const PlanProblem& problem) {
  std::vector<std::vector<TablePlace>> places;
  for (const EmbeddingTable& table : problem.tables)
    places.push_back(all_places(table, problem.nodes, problem.as_trained));
  Duration best = Duration::max();
  std::vector<std::size_t> at(places.size());
  for (bool more = true; more;) {
    TablePlan plan;
    for (std::size_t t = 0; t < at.size(); ++t) plan.push_back(places[t][at[t]]);
    if (model::loads_of(plan, problem.tables, problem.nodes).fullest() <= problem.memory)
      best = std::min(best, problem.price(plan));
    more = false;
    for (std::size_t t = 0; t < at.size() && !more; ++t) {
      at[t] = (at[t] + 1) % places[t].size();
      more = at[t] != 0;
    }
  }
  return best;
}

TEST(Planner, IsWithinTwoPercentOfBruteForceAndNeverOverMemory) {
  std::mt19937_64 random(18);
  int exact = 0;
  constexpr int kInstances = 200;
  for (int i = 0; i < kInstances; ++i) {
    const Instance instance = draw(random);
    PlanProblem problem = make_plan_problem(instance.training, machine(instance.ranks, instance.gib_per_s));
    const PlanSearch found = search_plan(problem);
    EXPECT_LE(found.best.fullest, problem.memory) << "instance " << i;
    const Duration best = best_of_all(problem);
    EXPECT_LE(static_cast<double>(found.best.step.count()), 1.02 * static_cast<double>(best.count()))
        << "instance " << i;
    exact += found.best.step == best ? 1 : 0;
  }
  EXPECT_GE(exact, kInstances * 8 / 10);
}

TEST(Planner, SaysWhatWouldFitWhenNothingDoes) {
  std::mt19937_64 random(1);
  Instance instance = draw(random);
  instance.training.memory_per_gpu = Bytes{1000};
  const PlanProblem problem = make_plan_problem(instance.training, machine(instance.ranks, 10));
  try {
    search_plan(problem);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("the tables need"), std::string::npos) << error.what();
  }
}

TEST(Planner, CopiesTinyTablesAndDividesWhatFitsNoNode) {
  Instance instance{.training = {}, .ranks = 4, .gib_per_s = 10};
  instance.training.model.tables = {{.rows = 16, .columns = 64, .bag = 20},
                                    {.rows = 1'000'000, .columns = 64, .bag = 20}};
  instance.training.model.top = {{.inputs = 128, .outputs = 1}};
  instance.training.batch = 65536;
  instance.training.memory_per_gpu = Bytes{100'000'000};  // of the 256 MB that the second one has
  const PlanSearch found = search_plan(make_plan_problem(instance.training, machine(4, 10)));
  EXPECT_EQ(found.best.plan[0].sharding, TableSharding::data_parallel);
  EXPECT_NE(found.best.plan[1].sharding, TableSharding::table_wise);
  EXPECT_NE(found.best.plan[1].sharding, TableSharding::data_parallel);
}

TEST(Planner, IsNeverWorseThanTheGreedyOneOrTablesAllAlike) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20; ++i) {
    const Instance instance = draw(random);
    const PlanSearch found =
        search_plan(make_plan_problem(instance.training, machine(instance.ranks, instance.gib_per_s)));
    for (const PricedPlan& other : found.others) {
      if (!other.fits) continue;
      EXPECT_LE(found.best.step, other.step) << other.name << " of instance " << i;
    }
  }
}

// Of all plans without copies, mixed ones too.
TEST(Planner, ForTheTrainerNoTableHasCopies) {
  std::mt19937_64 random(11);
  int mixed = 0;
  for (int i = 0; i < 50; ++i) {
    const Instance instance = draw(random);
    PlanProblem problem = make_plan_problem(instance.training, machine(instance.ranks, instance.gib_per_s));
    problem.as_trained = true;
    const PlanSearch found = search_plan(problem);
    EXPECT_LE(found.best.fullest, problem.memory);
    EXPECT_LE(static_cast<double>(found.best.step.count()),
              1.02 * static_cast<double>(best_of_all(problem).count()))
        << "instance " << i;
    const auto kind = [](const TablePlace& place) { return place.sharding; };
    EXPECT_EQ(std::ranges::count(found.best.plan, TableSharding::data_parallel, kind), 0);
    mixed += std::ranges::count(found.best.plan, found.best.plan.front().sharding, kind) !=
             std::ssize(found.best.plan);
    for (const PricedPlan& other : found.others) {
      EXPECT_NE(other.name, "data_parallel");
      EXPECT_TRUE(!other.fits || found.best.step <= other.step) << other.name;
    }
  }
  EXPECT_GT(mixed, 0);
}

TEST(Planner, WhatTheOptimizerKeepsTakesMemory) {
  Instance instance{.training = {}, .ranks = 2, .gib_per_s = 10};
  instance.training.model.tables = {{.rows = 1000, .columns = 16, .bag = 4},
                                    {.rows = 1000, .columns = 16, .bag = 4}};
  instance.training.model.top = {{.inputs = 32, .outputs = 1}};
  instance.training.batch = 64;
  instance.training.memory_per_gpu = Bytes{64'000};  // of a table's rows alone
  EXPECT_NO_THROW(search_plan(make_plan_problem(instance.training, machine(2, 10))));
  for (EmbeddingTable& table : instance.training.model.tables) table.kept_of_row = 1;
  EXPECT_EQ(instance.training.model.tables[0].memory(), Bytes{68'000});
  EXPECT_THROW(search_plan(make_plan_problem(instance.training, machine(2, 10))), UserError);
  instance.training.memory_per_gpu = Bytes{68'000};
  EXPECT_EQ(search_plan(make_plan_problem(instance.training, machine(2, 10))).best.fullest, Bytes{68'000});
  for (EmbeddingTable& table : instance.training.model.tables) table.kept_of_column = 2;
  EXPECT_EQ(instance.training.model.tables[0].memory(), Bytes{196'000});
  EXPECT_THROW(search_plan(make_plan_problem(instance.training, machine(2, 10))), UserError);
}

TEST(GreedyPlan, FitsOrIsNone) {
  const std::vector<EmbeddingTable> tables(5, {.rows = 1000, .columns = 16, .bag = 4});  // 64 kB each
  const auto plan = greedy_plan({.tables = tables, .nodes = 2, .samples = 64, .memory = Bytes{200'000}});
  ASSERT_TRUE(plan);
  EXPECT_LE(model::loads_of(*plan, tables, 2).fullest(), Bytes{200'000});
  EXPECT_FALSE(greedy_plan({.tables = tables, .nodes = 2, .samples = 64, .memory = Bytes{60'000}}));
}

TEST(Ranges, NumbersInARowAreOneRange) {
  EXPECT_EQ(ranges({}), "");
  EXPECT_EQ(ranges({7}), "7");
  EXPECT_EQ(ranges({0, 1, 2, 3, 7}), "0-3, 7");
  EXPECT_EQ(ranges({1, 3, 5}), "1, 3, 5");
  EXPECT_EQ(ranges({4, 5, 9, 10, 11}), "4-5, 9-11");
}

TEST(ShardingNames, AreThoseOfSetups) {
  EXPECT_EQ(name(model::TableSharding::table_wise), "table_wise");
  EXPECT_EQ(name(model::TableSharding::column_wise), "column_wise");
  EXPECT_EQ(name(model::TableSharding::row_wise), "row_wise");
  EXPECT_EQ(name(model::TableSharding::data_parallel), "data_parallel");
}

}  // namespace
}  // namespace overture::study
