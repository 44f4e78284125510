// The planner's estimate of a step by hand: a byte of memory takes a picosecond, and every exchange lies on a
// line in round numbers. How plans are explained, with an estimate that a test can read.
#include "overture/study/plan/estimate.h"

#include <gtest/gtest.h>

#include "overture/study/plan/explain.h"

namespace overture::study {
namespace {

using namespace literals;
using model::EmbeddingTable;
using model::TablePlan;
using model::TableSharding;

constexpr int kRanks = 4;
constexpr std::int64_t kSamples = 1000;  // of a rank

const ExchangeLines kLines{.all_to_all = {.base_ps = 1000, .ps_per_byte = 2},
                           .reduce_scatter = {.base_ps = 2000, .ps_per_byte = 3},
                           .all_gather = {.base_ps = 3000, .ps_per_byte = 5},
                           .all_reduce = {.base_ps = 4000, .ps_per_byte = 7}};

// A table of ten rows of 100 bytes, two of which are summed for a sample; no bottom MLP.
workload::DlrmTraining one_table(int gpus = 1) {
  workload::DlrmTraining training{.batch = kSamples * kRanks, .gpus_per_node = gpus};
  training.model.tables = {{.rows = 10, .columns = 25, .bag = 2}};
  training.compute.by = model::ProductsAndMemory{
      .products = compute::Roofline{.peak = compute::FlopRate::per_second(1'000'000),
                                    .memory = Bandwidth::bits_per_second(8'000'000'000'000)},
      .memory = Bandwidth::bits_per_second(8'000'000'000'000)};
  return training;
}

StepEstimate::Parts parts_of(const workload::DlrmTraining& training, const TablePlan& plan) {
  const StepEstimate estimate(training, kRanks, kLines);
  const model::TableLoads loads = loads_of(plan, training.model.tables, kRanks);
  const StepEstimate::Parts parts = estimate.parts(loads);
  EXPECT_DOUBLE_EQ(estimate.picoseconds(loads), parts.gather_ps + parts.exchange_ps + parts.copies_ps);
  return parts;
}

TEST(ExchangeLine, NothingCostsNothingAndTheFirstByteTheBase) {
  EXPECT_DOUBLE_EQ(kLines.all_to_all.of(0_B), 0);
  EXPECT_DOUBLE_EQ(kLines.all_to_all.of(Bytes{-5}), 0);
  EXPECT_DOUBLE_EQ(kLines.all_to_all.of(1_B), 1002);
  EXPECT_DOUBLE_EQ(kLines.all_reduce.of(100_B), 4700);
}

// All 4,000 samples are gathered by one rank, 200 bytes each, and again twice over for the gradients; 400 kB
// of sums go round, in both directions.
TEST(StepEstimate, AWholeTableIsGatheredByItsRankForAll) {
  const auto parts = parts_of(one_table(), {{TableSharding::table_wise, {1}}});
  EXPECT_DOUBLE_EQ(parts.gather_ps, 3 * 800'000);
  EXPECT_DOUBLE_EQ(parts.exchange_ps, 2 * (1000 + 2 * 400'000));
  EXPECT_DOUBLE_EQ(parts.copies_ps, 0);
}

TEST(StepEstimate, SharesOfColumnsDivideTheGatheringAndTheSums) {
  const auto parts = parts_of(one_table(), {{TableSharding::column_wise, {0, 1, 2, 3}}});
  // 25 columns in four shares: the widest has seven, 28 bytes.
  EXPECT_DOUBLE_EQ(parts.gather_ps, 3 * 2 * 28 * 4000);
  EXPECT_DOUBLE_EQ(parts.exchange_ps, 2 * (1000 + 2 * 28 * 4000));
}

TEST(StepEstimate, SharesOfRowsAreScatteredAndGathered) {
  const auto parts = parts_of(one_table(), {{TableSharding::row_wise, {}}});
  EXPECT_DOUBLE_EQ(parts.gather_ps, 3 * 200'000);
  EXPECT_DOUBLE_EQ(parts.exchange_ps, (2000 + 3 * 400'000) + (3000 + 5 * 100'000));
}

TEST(StepEstimate, CopiesAreGatheredAtHomeAndTheirGradientsSummed) {
  const auto parts = parts_of(one_table(), {{TableSharding::data_parallel, {}}});
  EXPECT_DOUBLE_EQ(parts.gather_ps, 3 * 200'000);
  EXPECT_DOUBLE_EQ(parts.exchange_ps, 0);
  EXPECT_DOUBLE_EQ(parts.copies_ps, 4000 + 7 * 1000);
}

// A whole table is on one GPU of the node, whatever the others do; rows and copies are on all of them.
TEST(StepEstimate, GpusOfANodeShareWhatTheyAllHave) {
  const workload::DlrmTraining training = one_table(8);
  EXPECT_DOUBLE_EQ(parts_of(training, {{TableSharding::table_wise, {0}}}).gather_ps, 3 * 800'000);
  EXPECT_DOUBLE_EQ(parts_of(training, {{TableSharding::row_wise, {}}}).gather_ps, 3 * 25'000);
  const auto copies = parts_of(training, {{TableSharding::data_parallel, {}}});
  EXPECT_DOUBLE_EQ(copies.gather_ps, 3 * 25'000);
  // Inside of the node first: twice an eighth of the kilobyte at 200 Gbps, 40 ps a byte.
  EXPECT_DOUBLE_EQ(copies.copies_ps, 4000 + 7 * 1000 + 250 * 40);
}

TEST(StepEstimate, TheRankThatGathersMostCounts) {
  workload::DlrmTraining training = one_table();
  training.model.tables.push_back({.rows = 10, .columns = 50, .bag = 1});
  const auto together =
      parts_of(training, {{TableSharding::table_wise, {2}}, {TableSharding::table_wise, {2}}});
  EXPECT_DOUBLE_EQ(together.gather_ps, 3 * (200 + 200) * 4000);
  const auto apart = parts_of(training, {{TableSharding::table_wise, {2}}, {TableSharding::table_wise, {0}}});
  EXPECT_DOUBLE_EQ(apart.gather_ps, 3 * 200 * 4000);
  EXPECT_DOUBLE_EQ(apart.exchange_ps, 2 * (1000 + 2 * 200 * 4000)) << "the wider sum";
}

TEST(StepEstimate, ABottomMlpHidesExchangesAndNeverMoreThanAll) {
  workload::DlrmTraining training = one_table();
  // 2 * 16 * 64 operations for each of 1,000 samples, a million a second: 2.048 s forward.
  training.model.bottom = {{.inputs = 16, .outputs = 64}};
  EXPECT_DOUBLE_EQ(parts_of(training, {{TableSharding::table_wise, {1}}}).exchange_ps, 0);
  training.compute.by = model::ProductsAndMemory{
      .products = compute::Roofline{.peak = compute::FlopRate::per_second(20'480'000'000'000),
                                    .memory = Bandwidth::bits_per_second(8'000'000'000'000'000)},
      .memory = Bandwidth::bits_per_second(8'000'000'000'000)};
  // 100 ns forward and twice that backward, of 801 ns each way.
  EXPECT_NEAR(parts_of(training, {{TableSharding::table_wise, {1}}}).exchange_ps,
              (801'000 - 100'000) + (801'000 - 200'000), 10);
}

TEST(StepEstimate, ARemainderOfTheBatchIsASampleMore) {
  workload::DlrmTraining training = one_table();
  training.batch = 4001;
  EXPECT_DOUBLE_EQ(parts_of(training, {{TableSharding::row_wise, {}}}).gather_ps, 3 * 200 * 1001);
}

// Ring algorithms of n ranks move (n-1)/n of what a rank holds, twice for an all-reduce; of an all-gather, a
// rank holds one share.
TEST(MeasureExchanges, SlopesAreThoseOfRings) {
  simulation::SimulationConfig config;
  network::AnalyticalConfig network;
  network.dimensions = {{.kind = topology::DimensionKind::switched,
                         .size = kRanks,
                         .links = 1,
                         .link_latency_ns = 500,
                         .link_gib_per_s = 1e9 / (1 << 30)}};  // a byte takes a nanosecond
  config.network = network;
  for (auto& implementation : config.system.implementations)
    implementation = {.per_dimension = {{system::kRing}}};
  const ExchangeLines lines = measure_exchanges(config);
  EXPECT_NEAR(lines.all_reduce.ps_per_byte, 1500, 1);
  EXPECT_NEAR(lines.reduce_scatter.ps_per_byte, 750, 1);
  EXPECT_NEAR(lines.all_gather.ps_per_byte, 3000, 1);
  EXPECT_GT(lines.all_reduce.base_ps, 6 * 500'000) << "six steps, each with its latency";
  std::get<network::AnalyticalConfig>(config.network).dimensions[0].size = 1;
  EXPECT_DOUBLE_EQ(measure_exchanges(config).all_reduce.of(1_MiB), 0) << "nobody to exchange with";
}

// ---- in sentences

// 5 ms, one more for rows that are scattered, two more for copies.
PlanProblem told_by(std::vector<EmbeddingTable> tables, Bytes memory) {
  PlanProblem problem{.tables = std::move(tables), .nodes = 2, .memory = memory};
  problem.estimate = [](const model::TableLoads& loads) {
    return 5e9 + (loads.row_wise_pooled > Bytes{} ? 1e9 : 0) + (loads.copies_size > Bytes{} ? 2e9 : 0);
  };
  problem.price = [](const TablePlan&) { return Duration{1}; };
  return problem;
}

const EmbeddingTable kTable{.rows = 1000, .columns = 16, .bag = 4};  // 64,000 bytes

TEST(ExplainPlan, TablesOfAShapeThatAreShardedAlikeAreOneDecision) {
  const EmbeddingTable other{.rows = 1000, .columns = 16, .bag = 5};
  const PlanProblem problem = told_by({kTable, other, kTable, kTable}, Bytes{1'000'000'000});
  const auto decisions = explain_plan(problem, {{TableSharding::table_wise, {0}},
                                                {TableSharding::table_wise, {1}},
                                                {TableSharding::table_wise, {1}},
                                                {TableSharding::row_wise, {}}});
  ASSERT_EQ(decisions.size(), 3U);
  EXPECT_EQ(decisions[0].tables, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(decisions[1].tables, (std::vector<std::size_t>{1}));
  EXPECT_EQ(decisions[2].tables, (std::vector<std::size_t>{3}));
  EXPECT_EQ(decisions[2].place.sharding, TableSharding::row_wise);
}

TEST(ExplainPlan, SaysWhatEveryOtherShardingWouldCost) {
  const PlanProblem problem = told_by({kTable, kTable}, Bytes{1'000'000'000});
  const auto decisions =
      explain_plan(problem, {{TableSharding::table_wise, {0}}, {TableSharding::table_wise, {1}}});
  ASSERT_EQ(decisions.size(), 1U);
  EXPECT_EQ(decisions[0].why, to_string(64'000_B) +
                                  " each, whole; 2 tables over 2 ranks; one of them as column_wise +0 ms, "
                                  "row_wise +1 ms, data_parallel +2 ms");
}

TEST(ExplainPlan, SaysWhatWouldGainAndWhatDoesNotFit) {
  const PlanProblem problem = told_by({kTable, kTable}, Bytes{100'000});
  const auto decisions =
      explain_plan(problem, {{TableSharding::row_wise, {}}, {TableSharding::row_wise, {}}});
  ASSERT_EQ(decisions.size(), 1U);
  EXPECT_EQ(decisions[0].why, to_string(64'000_B) +
                                  ": 1000 rows over all 2 ranks; one of them as table_wise +0 ms, "
                                  "column_wise +0 ms, data_parallel +2 ms");
  const auto tight = explain_plan(told_by({kTable, kTable}, Bytes{80'000}),
                                  {{TableSharding::row_wise, {}}, {TableSharding::row_wise, {}}});
  EXPECT_NE(tight[0].why.find("table_wise does not fit"), std::string::npos) << tight[0].why;
  EXPECT_NE(tight[0].why.find("data_parallel does not fit"), std::string::npos) << tight[0].why;
  EXPECT_NE(tight[0].why.find("column_wise +0 ms"), std::string::npos) << tight[0].why;
}

TEST(ExplainPlan, OneTableIsNamedWithItsPlace) {
  const PlanProblem problem = told_by({kTable}, Bytes{1'000'000'000});
  const auto why = [&](const model::TablePlace& place) { return explain_plan(problem, {place})[0].why; };
  EXPECT_NE(why({TableSharding::table_wise, {1}}).find("whole on rank 1;"), std::string::npos);
  EXPECT_NE(why({TableSharding::column_wise, {1, 0}}).find(": 16 columns in 2 shares;"), std::string::npos);
  const std::string copies = why({TableSharding::data_parallel, {}});
  EXPECT_NE(copies.find(": a copy on every rank;"), std::string::npos);
  EXPECT_NE(copies.find("table_wise -2 ms"), std::string::npos) << copies;
}

TEST(ExplainPlan, ForTheTrainerNoTableHasCopies) {
  PlanProblem problem = told_by({kTable}, Bytes{1'000'000'000});
  problem.as_trained = true;
  const std::string why = explain_plan(problem, {{TableSharding::row_wise, {}}})[0].why;
  EXPECT_NE(why.find("one of them as table_wise"), std::string::npos) << why;
  EXPECT_EQ(why.find("data_parallel"), std::string::npos) << why;
}

}  // namespace
}  // namespace overture::study
