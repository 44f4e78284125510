// What the study says about results: claims, ratios, figures and costs, from cells with made-up numbers.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/study/chart.h"
#include "overture/study/hoti_dlrm/measures.h"
#include "overture/study/hoti_dlrm/report.h"
#include "overture/study/hoti_dlrm/scoreboard.h"
#include "overture/study/hoti_dlrm/testing.h"

namespace overture::study::hoti {
namespace {

TEST(HotiDlrm, SeesWhenFlatAndHierarchicalChangePlaces) {
  std::vector<CellResult> cells{result("systems", "Flat100G", "default", 100),
                                result("systems", "Hier", "default", 90)};
  EXPECT_FALSE(ranking_reversals(Results(cells)).has_value());
  cells.push_back(result("window", "Flat100G", "0.1 MB", 100));
  cells.push_back(result("window", "Hier", "0.1 MB", 95));
  EXPECT_FALSE(ranking_reversals(Results(cells)).has_value()) << "the other values may turn it";
  cells.back().finished_us = 110;
  EXPECT_EQ(ranking_reversals(Results(cells))->size(), 1);
  // An axis that the published table does not have tells nothing about what was published.
  cells.push_back(result("segment", "Flat100G", "8960 B", 100));
  cells.push_back(result("segment", "Hier", "8960 B", 110));
  EXPECT_EQ(ranking_reversals(Results(cells))->size(), 1);
}

TEST(HotiDlrm, TheRatioOfSystemsIsToldForEveryValueThatAllOfThemHave) {
  std::vector<CellResult> cells{
      result("systems", "Flat100G", "default", 40), result("systems", "Flat800G", "default", 12),
      result("systems", "Hier", "default", 38), result("systems", "HierOpt", "default", 8)};
  EXPECT_FALSE(ratio_with(Results(cells), "scale-up", "25 GB/s"));
  cells.push_back(result("scale-up", "Hier", "25 GB/s", 60));
  EXPECT_FALSE(ratio_with(Results(cells), "scale-up", "25 GB/s"));  // HierOpt is missing
  cells.push_back(result("scale-up", "HierOpt", "25 GB/s", 20));
  // The flat systems have no scale-up links and stay as they are.
  EXPECT_DOUBLE_EQ(*ratio_with(Results(cells), "scale-up", "25 GB/s"), 60.0 / 12);
  EXPECT_DOUBLE_EQ(*ratio_with(Results(cells), "scale-up", "150 GB/s"), 40.0 / 8);
  EXPECT_EQ(ratio_experiments(Results(cells)), "The ratio with scale-up 25 GB/s: 5.00x");
  EXPECT_THROW(ratio_with(Results(cells), "colour", "red"), UserError);
}

TEST(HotiDlrm, SensitivityIsOneWhereAValueIsTheDefault) {
  std::vector<CellResult> cells;
  for (const SystemSetup& system : systems()) cells.push_back(result("systems", system.name, "default", 50));
  for (const Measured& factor : sensitivities(Results(cells), "injection", "0.01 us"))
    EXPECT_DOUBLE_EQ(factor.value, 1) << factor.name;
  EXPECT_TRUE(sensitivities(Results(cells), "injection", "100 us").empty());  // not run
}

TEST(HotiDlrm, TheBestConcurrencyMayLieInsideOrWhereTheCurveIsFlat) {
  const auto verdict = [](double first, double last) {
    std::vector<CellResult> cells;
    for (const SystemSetup& system : systems()) {
      for (const AxisValue& value : axis_named("concurrency").values) {
        const bool is_default = keys_of(value, system).empty();
        cells.push_back(result(is_default ? "systems" : "concurrency", system.name,
                               is_default ? "default" : value.label, 100));
      }
      const auto curve = concurrency_curve(Results(cells), system.name);
      for (CellResult& cell : cells) {
        if (cell.cell.system != system.name) continue;
        if (cell.cell.value == curve.front().label) cell.finished_us = first;
        if (cell.cell.value == curve.back().label) cell.finished_us = last;
      }
    }
    for (const Claim& claim : result_claims(Results(cells))) {
      if (claim.id == "R05") return claim.verdict;
    }
    return Verdict::open;
  };
  EXPECT_EQ(verdict(100, 100), Verdict::met);     // flat
  EXPECT_EQ(verdict(120, 150), Verdict::met);     // too little and too much are worse
  EXPECT_EQ(verdict(120, 50), Verdict::not_met);  // more would be better still
  EXPECT_EQ(verdict(50, 150), Verdict::not_met);  // less would be
}

TEST(HotiDlrm, RankCorrelationIsSpearmans) {
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4}, {10, 20, 30, 400}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4}, {4, 3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3}, {1, 3, 2}), 0.5);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 1, 1}, {1, 3, 2}), 0);
}

TEST(HotiDlrm, WhereLatenciesDoNotGrowWithSizeTheSlowGpusTellWhy) {
  std::vector<CellResult> cells;
  const auto claim = [&cells] {
    const auto claims = result_claims(Results(cells));
    return *std::ranges::find(claims, "I05", &Claim::id);
  };
  for (const SystemSetup& system : systems())
    cells.push_back(reduced("scheduling", system.name, "FIFO", {30, 20, 10}));
  EXPECT_EQ(claim().verdict, Verdict::not_met);
  EXPECT_EQ(claim().why.find("3 TFLOPS"), std::string::npos);  // not run
  EXPECT_NE(claim().why.find("all-reduce before it: Flat100G"), std::string::npos) << claim().why;
  for (const SystemSetup& system : systems())
    cells.push_back(reduced("compute", system.name, "3 TFLOPS, FIFO", {10, 20, 30}));
  EXPECT_EQ(claim().verdict, Verdict::not_met);
  EXPECT_NE(claim().why.find("Flat100G 1.00, Flat800G 1.00"), std::string::npos) << claim().why;
}

TEST(HotiDlrm, ServiceOfAnAllReduceBeginsWhenTheOneBeforeItHasEnded) {
  CellResult cell = result("scheduling", "Flat100G", "FIFO", 1000);
  const auto add = [&cell](double bytes, double issued, double finished) {
    cell.collectives.push_back({.iteration = 1,
                                .kind = "all_reduce",
                                .bytes = bytes,
                                .issued_us = issued,
                                .finished_us = finished,
                                .latency_us = finished - issued});
  };
  // The smallest is issued last and waits longest; alone they would take 30, 20 and 10.
  add(20, 1, 50);
  add(10, 2, 60);
  add(30, 0, 30);
  EXPECT_DOUBLE_EQ(size_correlation(cell, 1), -1);
  EXPECT_DOUBLE_EQ(service_correlation(cell, 1), 1);
  add(5, 100, 104);  // the network is idle when it comes
  EXPECT_DOUBLE_EQ(service_correlation(cell, 1), 1);
}

TEST(HotiDlrm, TheHeadlineComparesSystemsIfThereAreTwo) {
  std::vector<CellResult> cells{reduced("systems", "Hier", "default", {1, 2, 3})};
  cells[0].finished_us = 8'000;
  EXPECT_EQ(make_report(Results(cells), 16).headline, "Hier takes 4.00 ms an iteration.");
  cells.push_back(reduced("systems", "Flat100G", "default", {1, 2, 3}));
  cells[1].finished_us = 20'000;
  EXPECT_EQ(make_report(Results(cells), 16).headline,
            "Hier takes 4.00 ms an iteration, Flat100G 10.00 ms: 2.5 times as long.");
  EXPECT_EQ(make_report(Results({}), 16).headline, "Only single collectives were run.");
}

TEST(HotiDlrm, TheFigureOfTheFluidSaysHowFarItIsFromPackets) {
  std::vector<CellResult> cells;
  for (const char* system : {"Flat100G", "Hier"}) {
    cells.push_back(reduced("systems", system, "default", {1, 2, 3}));
    cells.push_back(reduced("flow", system, "fluid", {1, 2, 3}));
  }
  cells[1].finished_us = 960;
  cells[3].finished_us = 1'030;
  const auto all = sections(Results(cells));
  const auto fluid =
      std::ranges::find_if(all, [](const Section& section) { return section.table.file == "fluid.csv"; });
  ASSERT_NE(fluid, all.end());
  EXPECT_NE(fluid->figure.caption.find("between -4.0 % (Flat100G) and +3.0 % (Hier)"), std::string::npos)
      << fluid->figure.caption;
}

std::string figure_of(const std::vector<CellResult>& cells, const std::string& file) {
  for (const Section& section : sections(Results(cells))) {
    if (section.figure.file == file) return section.figure.svg;
  }
  return "";
}

TEST(HotiDlrm, ASystemKeepsItsColourWhicheverOthersWereRun) {
  std::vector<CellResult> cells{reduced("systems", "HierOpt", "default", {1, 2, 3}),
                                reduced("window", "HierOpt", "0.1 MB", {1, 2, 3})};
  cells[0].finished_us = 100;
  for (const char* file : {"raw-latency.svg", "window.svg"}) {
    const std::string svg = figure_of(cells, file);
    EXPECT_NE(svg.find(colour(3)), std::string::npos) << file;
    EXPECT_EQ(svg.find(colour(0)), std::string::npos) << file;
  }
}

TEST(HotiDlrm, ThePublishedRatioIsDrawnOnlyWhereAllFourSystemsAre) {
  std::vector<CellResult> cells;
  for (const SystemSetup& system : systems()) {
    EXPECT_EQ(figure_of(cells, "ratio.svg").find("published"), std::string::npos) << cells.size();
    cells.push_back(reduced("systems", system.name, "default", {1, 2, 3}));
    cells.back().finished_us = 1'000 * static_cast<double>(cells.size());
  }
  EXPECT_NE(figure_of(cells, "ratio.svg").find("published"), std::string::npos);
}

Claim judged(const std::vector<CellResult>& cells, const std::string& id) {
  const auto claims = result_claims(Results(cells));
  return *std::ranges::find(claims, id, &Claim::id);
}

// The four systems as they are, and at one value of an axis so many times as long.
std::vector<CellResult> slowed(const std::string& axis, const std::string& value,
                               const std::vector<double>& factors) {
  std::vector<CellResult> cells;
  for (std::size_t i = 0; i < systems().size(); ++i) {
    cells.push_back(result("systems", systems()[i].name, "default", 10'000));
    cells.push_back(result(axis, systems()[i].name, value, 10'000 * factors[i]));
  }
  return cells;
}

TEST(HotiDlrm, FlatSystemsMustBothSufferMoreFromCopiesThanBothHierarchicalOnes) {
  EXPECT_EQ(judged(slowed("injection", "100 us", {20, 80, 2, 9}), "R03").verdict, Verdict::met);
  EXPECT_EQ(judged(slowed("injection", "100 us", {8, 80, 2, 9}), "R03").verdict, Verdict::not_met);
  EXPECT_EQ(judged(slowed("injection", "10 us", {20, 80, 2, 9}), "R03").verdict, Verdict::open);
}

TEST(HotiDlrm, TheSwitchBufferMustTellTheSystemsApartByMoreThanFivePercent) {
  EXPECT_EQ(judged(slowed("buffer", "64 MB, per port", {1, 1, 1.18, 1}), "R04").verdict, Verdict::met);
  EXPECT_EQ(judged(slowed("buffer", "64 MB, per port", {1, 1, 1.04, 1}), "R04").verdict, Verdict::not_met);
  EXPECT_EQ(judged(slowed("buffer", "64 MB, per port", {1.2, 1, 1.2, 1.2}), "R04").verdict, Verdict::not_met);
}

TEST(HotiDlrm, IterationTimesAreJudgedByTheirBoundsAndRatio) {
  const auto cells = [](double flat, double fast) {
    return std::vector<CellResult>{result("systems", "Flat100G", "default", 2e3 * flat),
                                   result("systems", "Flat800G", "default", 2e3 * fast),
                                   result("systems", "Hier", "default", 2e3 * flat),
                                   result("systems", "HierOpt", "default", 2e3 * fast)};
  };
  EXPECT_EQ(judged(cells(20, 6), "R02").verdict, Verdict::met);  // 3.3 times
  EXPECT_EQ(judged(cells(20, 6), "I07").verdict, Verdict::met);
  EXPECT_EQ(judged(cells(16.9, 6), "I07").verdict, Verdict::not_met);
  EXPECT_EQ(judged(cells(20, 2.9), "I08").verdict, Verdict::not_met);
  EXPECT_EQ(judged(cells(20, 3), "I08").verdict, Verdict::met);
  EXPECT_EQ(judged(cells(20, 3), "I09").verdict, Verdict::not_met);
  EXPECT_EQ(judged(cells(20, 4), "I09").verdict, Verdict::met);
}

// The all-to-all of the first iteration, forward and backward.
CellResult exchanged(const std::string& system, double forward, double backward, double exposed) {
  CellResult cell = result("systems", system, "default", 10'000);
  cell.collectives = {
      {.layer = "Embedding",
       .pass = "forward",
       .kind = "all_to_all",
       .latency_us = forward,
       .exposed_us = exposed},
      {.layer = "Embedding", .pass = "input gradient", .kind = "all_to_all", .latency_us = backward}};
  return cell;
}

TEST(HotiDlrm, WhatIsExposedIsWhatTheBottomLayersDoNotHide) {
  const double bottom = bottom_forward_us(system_named("Flat100G"));
  EXPECT_NEAR(bottom, 118.559, 0.01);
  const auto cells = [&](double flat100, double flat800, double backward) {
    return std::vector<CellResult>{
        exchanged("Flat100G", 348, backward, flat100), exchanged("Flat800G", 45, backward, flat800),
        exchanged("Hier", 341, backward, 341 - bottom), exchanged("HierOpt", 341, backward, 341 - bottom)};
  };
  const auto right = cells(348 - bottom, 0, 400);
  for (const char* id : {"R06", "I01", "I02", "I03", "I04"})
    EXPECT_EQ(judged(right, id).verdict, Verdict::met) << id;
  EXPECT_EQ(judged(cells(348, 0, 400), "I01").verdict, Verdict::not_met);
  EXPECT_EQ(judged(cells(348, 0, 400), "I02").verdict, Verdict::not_met);
  EXPECT_EQ(judged(cells(229, 3, 400), "I03").verdict, Verdict::not_met);
  EXPECT_EQ(judged(cells(0, 0, 400), "R06").verdict, Verdict::not_met);
  EXPECT_EQ(judged(cells(229, 0, 340), "I04").verdict, Verdict::not_met);
}

TEST(HotiDlrm, CostsAreSummedByGroupAndTold) {
  std::vector<CellResult> cells{reduced("systems", "Flat100G", "default", {1, 2, 3}),
                                reduced("systems", "Hier", "default", {1, 2, 3}),
                                reduced("window", "Hier", "0.1 MB", {1, 2, 3})};
  const auto cost = [&]() -> std::string {
    for (const Section& section : sections(Results(cells))) {
      if (section.table.file == "cost.csv") return section.table.text;
    }
    return "";
  };
  EXPECT_EQ(cost(), "");  // cells of an earlier program noted none
  cells[0].cost = {.cpu_seconds = 12, .peak_mib = 70};
  cells[1].cost = {.cpu_seconds = 30.5, .peak_mib = 60};
  cells[2].cost = {.cpu_seconds = 20, .peak_mib = 200};
  EXPECT_EQ(cost(),
            "group,cells,cpu_s,dearest_s,peak_MiB,dearest\n"
            "systems,2,42,30.5,70,\"Hier, systems: default\"\n"
            "window,1,20,20.0,200,\"Hier, window: 0.1 MB\"\n"
            "all,3,62,30.5,200,\"Hier, systems: default\"\n");
}

TEST(HotiDlrm, AClaimIsNotMetWhenItsNumbersSaySo) {
  std::vector<CellResult> cells;
  const double times[] = {40'000, 8'000, 40'000, 7'000};
  for (std::size_t i = 0; i < systems().size(); ++i)
    cells.push_back(result("systems", systems()[i].name, "default", times[i]));
  std::map<std::string, Verdict> verdicts;
  for (const Claim& claim : result_claims(Results(cells))) verdicts[claim.id] = claim.verdict;
  EXPECT_EQ(verdicts["R02"], Verdict::not_met);
  EXPECT_EQ(verdicts["I07"], Verdict::met);
  EXPECT_EQ(verdicts["I09"], Verdict::met);
}

}  // namespace
}  // namespace overture::study::hoti
