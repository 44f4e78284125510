#include "overture/study/failures/report.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace overture::study::failures {
namespace {

Regime regime(double write, double best, double young_interval, double daly_interval) {
  return {.write_over_mtbf = write, .best = best, .young = young_interval, .daly = daly_interval};
}

SlowRun slow_run(const char* training, const char* slow, double factor, double iteration_us) {
  return {.training = training, .slow = slow, .factor = factor, .iteration_us = iteration_us, .cell = {}};
}

NetworkRun network_run(const char* network, double share, double makespan_us, double unfinished = 0) {
  return {.network = network,
          .share = share,
          .draws = 3,
          .makespan_us = makespan_us,
          .unfinished = unfinished,
          .cell = {}};
}

const std::string* table_of(const StudyReport& report, const std::string& file) {
  const auto found =
      std::ranges::find_if(report.tables, [&](const StudyTable& table) { return table.file == file; });
  return found == report.tables.end() ? nullptr : &found->text;
}

TEST(FailuresReport, AFormulaHoldsUpToTheFirstRegimeInWhichItIsMoreThanFivePercentOff) {
  EXPECT_DOUBLE_EQ(deviation(95, 100), 0.05);
  EXPECT_DOUBLE_EQ(deviation(110, 100), 0.1);
  const std::vector<Regime> regimes{regime(0.001, 1, 1.01, 1), regime(0.01, 1, 1.049, 1),
                                    regime(0.1, 1, 1.2, 0.97), regime(1, 1, 1.0, 2)};
  EXPECT_DOUBLE_EQ(holds_up_to(regimes, &Regime::young), 0.01) << "a later hit by chance does not count";
  EXPECT_DOUBLE_EQ(holds_up_to(regimes, &Regime::daly), 0.1);
  EXPECT_DOUBLE_EQ(holds_up_to({}, &Regime::young), 0);
  EXPECT_DOUBLE_EQ(holds_up_to({regime(0.001, 1, 2, 2)}, &Regime::young), 0);
}

TEST(FailuresReport, HasOnlyWhatWasRun) {
  const StudyReport nothing = make_report({});
  EXPECT_TRUE(nothing.figures.empty());
  EXPECT_TRUE(nothing.tables.empty());
  EXPECT_TRUE(nothing.claims.empty());
  Results results;
  results.networks = {network_run("fat tree, NDP", 0, 100), network_run("fat tree, NDP", 0.1, 150)};
  const StudyReport networks = make_report(results);
  EXPECT_EQ(networks.figures.size(), 1u);
  EXPECT_NE(table_of(networks, "networks.csv"), nullptr);
  EXPECT_EQ(table_of(networks, "goodput.csv"), nullptr);
}

TEST(FailuresReport, SlowRunsAreComparedWithTheHealthyRunOfTheSameTraining) {
  Results results;
  results.slow = {slow_run("synchronous", "computing", 1, 100), slow_run("synchronous", "computing", 2, 150),
                  slow_run("cache", "computing", 1, 50), slow_run("cache", "cable", 4, 200)};
  const std::string text = slow_text(results);
  EXPECT_NE(text.find("1.50"), std::string::npos) << text;
  EXPECT_NE(text.find("4.00"), std::string::npos) << text;
  const StudyReport report = make_report(results);
  EXPECT_NE(report.headline.find("cable is 4 times slower makes an iteration 4.0 times as long (cache)"),
            std::string::npos)
      << report.headline;
  ASSERT_NE(table_of(report, "slow-node.csv"), nullptr);
  EXPECT_NE(table_of(report, "slow-node.csv")->find("\"cache\",cable,4,200.000,4.0000"), std::string::npos);
}

TEST(FailuresReport, ANetworkThatCutsEverybodyOffHasNoMakespan) {
  Results results;
  results.networks = {network_run("Opera", 0, 100), network_run("Opera", 0.2, 0, 0.25)};
  const std::string text = networks_text(results);
  EXPECT_NE(text.find("25.0 %"), std::string::npos) << text;
  EXPECT_EQ(text.find(" 0 us"), std::string::npos) << text;
  const StudyReport report = make_report(results);
  EXPECT_EQ(report.figures.at(0).svg.find("nan"), std::string::npos);
}

TEST(FailuresReport, AScaleIsFlatAtItsBestInterval) {
  Results asked;
  asked.reliability = {
      .node_mtbf = 7000.0 * 3600, .link_mtbf = 300'000.0 * 3600, .switch_mtbf = 100'000.0 * 3600};
  asked.checkpoints = {.write = 60, .read = 60, .restart = 300};
  asked.runs = {.days = 5, .runs = 40};
  const Scale scale = run_scale(1024, asked);
  EXPECT_NEAR(scale.mtbf, system_mtbf(scale.parts, asked.reliability), 1e-9);
  EXPECT_TRUE(std::ranges::is_sorted(scale.by_interval, {}, [](const auto& point) { return point.first; }));
  for (const auto& [interval, goodput] : scale.by_interval) {
    EXPECT_LE(goodput.useful, scale.best.useful + 0.01) << interval;
    EXPECT_NEAR(goodput.useful + goodput.writing + goodput.lost_work + goodput.restarting, 1, 1e-9);
  }
  asked.scales = {scale};
  const StudyReport report = make_report(asked);
  EXPECT_EQ(report.figures.size(), 2u);
  EXPECT_NE(report.headline.find("With 1024 nodes, a failure every"), std::string::npos) << report.headline;
}

// Below 1, failures come in bursts: after one, the next is near, so less is lost between them.
TEST(FailuresReport, BurstsLeaveMoreUsefulTimeThanTheSameNumberOfEvenFailures) {
  const Parts one{.nodes = 1};
  const Checkpointing checkpoints{.write = 100, .read = 50, .restart = 50};
  const TrainingRuns runs{.days = 100, .runs = 200};
  const auto useful = [&](double shape) {
    return simulate_goodput(one, {.node_mtbf = 10'000, .shape = shape}, checkpoints, 1000, runs).useful;
  };
  EXPECT_GT(useful(0.5), useful(1) + 0.005);
  EXPECT_LT(useful(3), useful(1) + 0.005);
}

}  // namespace
}  // namespace overture::study::failures
