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
#include "overture/study/hoti_dlrm/testing.h"

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

// What the program would run, without the name.
std::string effective(const Cell& cell) {
  setup::Setup setup = parsed(system_named(cell.system), cell.keys);
  setup.name.clear();
  return setup::write_setup(setup);
}

TEST(HotiDlrm, NoTwoCellsAreTheSameRun) {
  std::map<std::string, std::string> known;
  for (const Cell& cell : cells_of({.gpus = 128})) {
    const auto [other, added] = known.emplace(effective(cell), name(cell));
    EXPECT_TRUE(added) << name(cell) << " is " << other->second;
  }
}

TEST(HotiDlrm, EveryCellHasAFolderThatItsKeysDecide) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "hoti_cells";
  const std::vector<Cell> cells = cells_of({.gpus = 16});
  const SweepJob job = cell_job(cells, "/bin/true", "v1", folder);
  ASSERT_EQ(job.points.size(), cells.size());
  std::set<std::filesystem::path> folders;
  for (const SweepPoint& point : job.points) EXPECT_TRUE(folders.insert(point.folder).second) << point.folder;
  // The same cell with other keys for all is another run, and one of another size.
  const std::vector<Cell> changed = cells_of({.gpus = 16, .keys = {"system.chunks=8"}});
  const std::vector<Cell> larger = cells_of({.gpus = 32});
  for (const auto& others : {changed, larger}) {
    for (const SweepPoint& point : cell_job(others, "/bin/true", "v1", folder).points)
      EXPECT_TRUE(folders.insert(point.folder).second) << point.folder;
  }
  // Whoever asks for one axis finds what a run of all axes left.
  for (const SweepPoint& point :
       cell_job(cells_of({.axes = {"injection"}, .gpus = 16}), "/bin/true", "v1", folder).points)
    EXPECT_TRUE(folders.contains(point.folder)) << point.folder;
  EXPECT_TRUE(job.notes_costs);
}

TEST(HotiDlrm, AnAxisRunsEachOfItsValuesOnEachSystemThatItConcernsButNotTheDefault) {
  for (const Axis& axis : axes()) {
    std::multiset<std::pair<std::string, std::string>> expected;
    for (const SystemSetup& system : systems()) {
      if (!concerns(axis, system)) continue;
      for (const AxisValue& value : axis.values) {
        if (!keys_of(value, system).empty() && !becomes_another(value, system))
          expected.emplace(system.name, value.label);
      }
    }
    std::multiset<std::pair<std::string, std::string>> found;
    for (const Cell& cell : cells_of({.axes = {axis.name}})) {
      if (cell.group == axis.name) found.emplace(cell.system, cell.value);
    }
    EXPECT_EQ(found, expected) << axis.name;
    EXPECT_FALSE(found.empty()) << axis.name;
  }
  for (const Cell& cell : cells_of({.axes = {"none"}}))
    EXPECT_TRUE(cell.group == "systems" || cell.group == "flow" || cell.group.starts_with("all-"))
        << name(cell);
}

TEST(HotiDlrm, AFlatSystemAt800GbpsIsTheOtherFlatSystem) {
  const Results results({result("systems", "Flat100G", "default", 100),
                         result("systems", "Flat800G", "default", 30),
                         result("bandwidth", "Hier", "800 Gbps", 50)});
  EXPECT_EQ(results.find("bandwidth", "800 Gbps", "Flat100G"), results.system("Flat800G"));
  EXPECT_EQ(results.find("bandwidth", "800 Gbps", "Hier")->finished_us, 50);
  EXPECT_EQ(results.find("bandwidth", "800 Gbps", "HierOpt"), nullptr);
  EXPECT_EQ(results.find("bandwidth", "100 Gbps", "Flat100G"), results.system("Flat100G"));
}

TEST(HotiDlrm, RefusesWhatItDoesNotKnow) {
  EXPECT_THROW(cells_of({.systems = {"Flat400G"}}), UserError);
  EXPECT_THROW(cells_of({.axes = {"colour"}}), UserError);
  EXPECT_THROW(cells_of({.gpus = 24}), UserError);
  EXPECT_THROW(cells_of({.axes = {"none", "injection"}}), UserError);
  EXPECT_THROW(cells_of({.backend = "rotor"}), UserError);
  EXPECT_THROW(cells_of({.keys = {"system.chunk=8"}}), UserError);
  EXPECT_THROW(cells_of({.keys = {"system.chunks=0"}}), UserError);
  // A key that only the chosen systems have is none of the others' business.
  EXPECT_NO_THROW(cells_of({.systems = {"Hier"}, .keys = {"network.nodes.inside.rate=25 GB/s"}}));
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

}  // namespace
}  // namespace overture::study::hoti
