#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/study/hoti_dlrm/counts.h"
#include "overture/study/hoti_dlrm/measures.h"
#include "overture/study/hoti_dlrm/report.h"
#include "overture/study/hoti_dlrm/scoreboard.h"

namespace overture::study::hoti {
namespace {

std::vector<std::vector<std::string>> golden(const std::string& file) {
  std::istringstream lines(read_file(std::filesystem::path(OVERTURE_GOLDEN) / "hoti-tcp" / file));
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream columns(line);
    auto& row = rows.emplace_back();
    for (std::string cell; std::getline(columns, cell, ',');) row.push_back(cell);
  }
  return rows;
}

CellResult result(const std::string& group, const std::string& system, const std::string& value, double us) {
  return {.cell = {.group = group, .system = system, .value = value, .keys = {}},
          .iterations = 2,
          .finished_us = us};
}

TEST(HotiDlrm, EveryStatementOfTheReferenceIsOnTheScoreboardOnce) {
  std::multiset<std::string> ids;
  for (const Claim& claim : parameter_claims()) ids.insert(claim.id);
  for (const Claim& claim : result_claims(Results({}))) ids.insert(claim.id);
  std::multiset<std::string> expected;
  for (const auto& row : golden("checks.csv")) expected.insert(row[0]);
  EXPECT_EQ(ids, expected);
}

TEST(HotiDlrm, AllParametersAreThePublishedOnes) {
  for (const Claim& claim : parameter_claims())
    EXPECT_EQ(claim.verdict, Verdict::met) << claim.id << ": " << claim.published << ", ours " << claim.ours;
}

TEST(HotiDlrm, WhatWasNotRunStaysOpen) {
  for (const Claim& claim : result_claims(Results({}))) {
    const bool counted = claim.id == "R08" || claim.id == "R09" || claim.id == "I10" || claim.id == "I11";
    EXPECT_EQ(claim.verdict, counted ? Verdict::met : Verdict::open) << claim.id << " " << claim.ours;
  }
}

// The cells with the references' names, through the whole system layer.
TEST(HotiDlrm, OneAllToAllTakesAsLongAsInNs3) {
  const auto cells = single_all_to_alls(128);
  std::vector<CellResult> results;
  for (const auto& row : golden("ns3_points.csv")) {
    const auto cell = std::ranges::find(cells, row[0], &Cell::value);
    ASSERT_NE(cell, cells.end()) << row[0];
    const auto run = simulation::simulate(parsed(system_named(cell->system), cell->keys).simulation);
    EXPECT_NEAR(to_us(run.finished) / std::stod(row[7]), 1, 0.005) << row[0];
    results.push_back({.cell = *cell, .iterations = 1, .finished_us = to_us(run.finished)});
  }
  for (const Claim& claim : reference_claims(Results(results)))
    EXPECT_EQ(claim.verdict, Verdict::met) << claim.text << ": " << claim.ours;
}

TEST(HotiDlrm, EveryCellHasASetupThatCanRun) {
  for (const int gpus : {16, 128, 512}) {
    std::set<std::string> names;
    for (const Cell& cell : cells_of({.gpus = gpus})) {
      const setup::Setup setup = parsed(system_named(cell.system), cell.keys);
      EXPECT_EQ(network::count_hosts(setup.simulation.network), gpus) << name(cell);
      EXPECT_TRUE(names.insert(name(cell)).second) << name(cell);
    }
  }
}

TEST(HotiDlrm, RefusesWhatItDoesNotKnow) {
  EXPECT_THROW(cells_of({.systems = {"Flat400G"}}), UserError);
  EXPECT_THROW(cells_of({.axes = {"colour"}}), UserError);
  EXPECT_THROW(cells_of({.gpus = 24}), UserError);
  EXPECT_THROW(cells_of({.backend = "rotor"}), UserError);
}

TEST(HotiDlrm, FindsTheDefaultWhereAValueChangesNothing) {
  const Results results({result("systems", "Flat100G", "default", 100),
                         result("systems", "Hier", "default", 90),
                         result("injection", "Flat100G", "100 us", 700)});
  EXPECT_EQ(results.find("injection", "0.01 us", "Flat100G")->finished_us, 100);
  EXPECT_EQ(results.find("injection", "100 us", "Flat100G")->finished_us, 700);
  EXPECT_EQ(results.find("concurrency", "1024 x 64", "Flat100G")->finished_us, 100);
  EXPECT_EQ(results.find("concurrency", "1024 x 64", "Hier"), nullptr);
  EXPECT_EQ(results.find("injection", "1 us", "Flat100G"), nullptr);
}

TEST(HotiDlrm, SeesWhenFlatAndHierarchicalChangePlaces) {
  std::vector<CellResult> cells{result("systems", "Flat100G", "default", 100),
                                result("systems", "Hier", "default", 90)};
  EXPECT_FALSE(ranking_reversals(Results(cells)).has_value());
  cells.push_back(result("window", "Flat100G", "0.1 MB", 100));
  cells.push_back(result("window", "Hier", "0.1 MB", 95));
  EXPECT_TRUE(ranking_reversals(Results(cells))->empty());
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

TEST(HotiDlrm, EveryAxisHasOneDefaultForEverySystemItConcerns) {
  std::set<std::string> names;
  for (const Axis& axis : axes()) {
    EXPECT_TRUE(names.insert(axis.name).second) << axis.name;
    EXPECT_EQ(&axis_named(axis.name), &axis);
    for (const SystemSetup& system : systems()) {
      if (!concerns(axis, system)) continue;
      const auto defaults = std::ranges::count_if(
          axis.values, [&](const AxisValue& value) { return keys_of(value, system).empty(); });
      EXPECT_EQ(defaults, 1) << axis.name << " on " << system.name;
    }
  }
}

TEST(HotiDlrm, AnAxisChangesNothingThatItDoesNotName) {
  for (const Cell& cell : cells_of({.axes = {"window"}})) {
    if (cell.group != "window") continue;
    EXPECT_EQ(cell.keys.size(), 1U) << name(cell);
    EXPECT_NE(command_of(cell).find("-s 'network.tcp.receive_window=104858 B'"), std::string::npos);
  }
}

TEST(HotiDlrm, NoAxesLeaveTheSystemsAndTheSingleCollectives) {
  std::map<std::string, int> groups;
  for (const Cell& cell : cells_of({.axes = {"none"}})) ++groups[cell.group];
  EXPECT_EQ(groups["systems"], 4);
  EXPECT_EQ(groups["flow"], 4);
  EXPECT_EQ(groups.size(), 4U);  // and all-to-alls and all-reduces
  for (const Cell& cell : cells_of({.systems = {"Hier"}, .axes = {"none"}})) EXPECT_EQ(cell.system, "Hier");
}

TEST(HotiDlrm, KeysOfTheUserComeBeforeThoseOfTheAxis) {
  for (const Cell& cell : cells_of({.systems = {"Hier"}, .axes = {"window"}, .keys = {"seed=7"}})) {
    ASSERT_FALSE(cell.keys.empty());
    EXPECT_EQ(cell.keys.front(), "seed=7") << name(cell);
  }
}

TEST(HotiDlrm, TheBoundOfAnAllReduceIsItsVolume) {
  const Bandwidth rate = Bandwidth::bits_per_second(8'000'000'000);
  EXPECT_EQ(all_reduce_bound(Bytes{1000}, 2, rate), Duration{1'000'000});  // each sends all of it once
  EXPECT_EQ(all_reduce_bound(Bytes{1000}, 4, rate), Duration{1'500'000});
}

TEST(HotiDlrm, ADamagedCellIsNamed) {
  const auto root = std::filesystem::path(::testing::TempDir()) / "hoti-damaged";
  const SweepPoint point{.folder = root / "cell"};
  std::filesystem::create_directories(point.folder);
  const Cell cell{.group = "systems", .system = "Hier", .value = "default", .keys = {}};
  const std::string header = "iteration,layer,pass,collective,bytes,chunks,issued,finished,latency,exposed\n";
  write_file(point.folder / "summary.json", "{\"finished_us\": 8, \"iterations\": 2}");
  write_file(point.folder / "collectives.csv", header + "1,A,forward,all_to_all,64,1,0,3,3,1\n");
  const CellResult read = read_result(cell, point, root);
  EXPECT_EQ(read.iteration_us(), 4);
  EXPECT_EQ(collective(read, 1, "A", "forward")->latency_us, 3);
  EXPECT_EQ(collective(read, 2, "A", "forward"), nullptr);
  for (const char* line : {"1,A,forward\n", "1,A,forward,all_to_all,many,1,0,3,3,1\n"}) {
    write_file(point.folder / "collectives.csv", header + line);
    EXPECT_THROW(read_result(cell, point, root), UserError) << line;
  }
  write_file(point.folder / "summary.json", "[]");
  EXPECT_THROW(read_result(cell, point, root), UserError);
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

// Layers of 1, 2, 3, ... bytes whose all-reduces take so long.
CellResult reduced(const std::string& group, const std::string& system, const std::string& value,
                   const std::vector<double>& latencies) {
  CellResult cell = result(group, system, value, 1000);
  for (std::size_t i = 0; i < latencies.size(); ++i)
    cell.collectives.push_back({.iteration = 1,
                                .kind = "all_reduce",
                                .bytes = static_cast<double>(i + 1),
                                .latency_us = latencies[i]});
  return cell;
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
