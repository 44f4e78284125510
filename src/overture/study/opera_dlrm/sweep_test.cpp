// Co-design on 16 nodes as a fluid, small enough to run for real.
#include "overture/study/opera_dlrm/sweep.h"

#include <algorithm>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/base/testing.h"
#include "overture/study/opera_dlrm/networks.h"
#include "overture/study/opera_dlrm/testing.h"

namespace overture::study::opera_dlrm {
namespace {

using namespace std::chrono_literals;

std::set<std::string> names(const std::vector<Cell>& cells) {
  std::set<std::string> all;
  for (const Cell& cell : cells) all.insert(name(cell));
  return all;
}

// A row that took `time`, as if it had run.
StudyRow row(const std::string& cell, Duration time) {
  return {.cell = parse_cell(cell), .results = {{.iteration = time}}};
}

TEST(OperaDlrmSweep, AllCombinationsRunOnOperaAndOnceOnTheFatTreeThatHasNoRotors) {
  const SweepPlan plan =
      sweep_all(small(), {parse_sweep_axis("slice-us=20,40"), parse_sweep_axis("reconfiguration-us=1,10")});
  std::set<std::string> expected{"I.baseline.16.fat-tree.ring.flow.sound.1",
                                 "I.baseline.16.fat-tree.dps.flow.sound.1",
                                 "I.baseline.16.opera.dps.flow.sound.1.reconfiguration-us=10"};
  for (const std::string all_reduce : {"ring", "dps"}) {
    for (const std::string slice : {"20", "40"}) {
      for (const std::string dark : {"1", "10"}) {
        expected.insert("I.baseline.16.opera." + all_reduce + ".flow.sound.1.slice-us=" + slice +
                        ".reconfiguration-us=" + dark);
      }
    }
  }
  EXPECT_EQ(names(plan.cells), expected);
  EXPECT_TRUE(plan.left_out.empty());
}

TEST(OperaDlrmSweep, WorkChangesOnBothNetworks) {
  const SweepPlan plan = sweep_all(small(), {parse_sweep_axis("batch=1048576")});
  EXPECT_TRUE(names(plan.cells).contains("I.baseline.16.fat-tree.dps.flow.sound.1.batch=1048576"));
  EXPECT_TRUE(
      names(plan.cells).contains("I.baseline.16.opera.dps.flow.sound.1.batch=1048576.reconfiguration-us=10"));
}

TEST(OperaDlrmSweep, EachAxisAloneTriesPlacementsOnlyWhereThereIsAChoice) {
  MatrixChoice choice = small();
  choice.nodes = {16, 1024};  // 361 tables
  const auto spread = [](const std::vector<Cell>& cells, int nodes) {
    return std::ranges::count_if(
        cells, [&](const Cell& cell) { return cell.nodes == nodes && cell.changes.of(Knob::column_spread); });
  };
  const std::vector<Cell> cells = sweep_each(choice, automatic_axes(StudyBackend::flow)).cells;
  EXPECT_EQ(spread(cells, 1024), 0);
  EXPECT_EQ(spread(cells, 16), 8);  // two placements; ring and DPS, on the tree and on Opera
  for (const Cell& cell : cells) EXPECT_TRUE(is_runnable(cell)) << name(cell);
}

TEST(OperaDlrmSweep, WhatCannotRunIsToldBeforeAnythingDoes) {
  const auto axis = [](const std::string& text) { return user_error([&] { parse_sweep_axis(text); }); };
  EXPECT_NE(axis("slice=10").find("unknown axis \"slice\""), std::string::npos);
  EXPECT_NE(axis("slice-us=").find("no values"), std::string::npos);
  EXPECT_NE(axis("slice-us").find("no values"), std::string::npos);
  EXPECT_NE(axis("slice-us=12.5").find("whole number"), std::string::npos);
  EXPECT_NE(axis("tables=0").find("whole number from 1"), std::string::npos);
  EXPECT_NE(axis("placement=random").find("round-robin"), std::string::npos);
  EXPECT_NE(axis("all-reduce=tree").find("ring"), std::string::npos);
  const auto cell = [](const std::string& text) { return user_error([&] { parse_cell(text); }); };
  EXPECT_NE(cell("A.baseline.16.opera.dps.flow.sound.1.slice-us=10").find("reconfiguration of 10 us"),
            std::string::npos);
  EXPECT_NE(cell("A.baseline.16.fat-tree.dps.flow.sound.1.slice-us=40").find("no rotors"), std::string::npos);
  EXPECT_NE(cell("A.baseline.16.opera.dps.flow.sound.1.bulk-threshold-kb=100").find("--backend packet"),
            std::string::npos);
  EXPECT_NE(cell("A.baseline.16.opera.dps.flow.sound.1.slice-us=40.slice-us=20").find("twice"),
            std::string::npos);
  EXPECT_NE(cell("A.baseline.128.topoopt.ring.flow.sound.1").find("--backend packet"), std::string::npos);
  EXPECT_NE(
      user_error([] { sweep_all(small(), {parse_sweep_axis("batch=1")}); }).find("no point of the sweep"),
      std::string::npos);
  // All points of the sweep have a slice that is too short, but the unchanged Opera can run.
  const SweepPlan plan = sweep_all(small(), {parse_sweep_axis("slice-us=5")});
  ASSERT_EQ(plan.left_out.size(), 1U);
  EXPECT_NE(plan.left_out[0].reason.find("a slice of 5 us is no longer than"), std::string::npos);
}

TEST(OperaDlrmSweep, SlicesAndRotorsAreThoseOfTheCell) {
  const topology::Opera opera = topology::generate_opera(
      opera_config(parse_cell("I.baseline.16.opera.dps.flow.sound.1.slice-us=40.reconfiguration-us=2")));
  EXPECT_EQ(opera.timing().slice(), Duration(40us));
  EXPECT_EQ(opera.timing().dark, Duration(2us));
}

TEST(OperaDlrmSweep, SpreadTablesKeepAllColumnsAndPlacementsDiffer) {
  const auto step = [](const std::string& changes) {
    return make_step(parse_cell("I.baseline.16.fat-tree.dps.flow.sound.1" + changes), {});
  };
  const workload::DlrmStep equal = step("");
  const workload::DlrmStep spread = step(".column-spread=4");
  EXPECT_EQ(spread.model.interacted(), equal.model.interacted());
  const auto [least, most] = std::ranges::minmax(spread.model.tables, {}, &model::EmbeddingTable::columns);
  EXPECT_LT(least.columns * 4, most.columns);
  // The fullest node holds less when sizes are balanced; equal tables leave nothing to balance.
  const auto fullest = [](const workload::DlrmStep& of) {
    const auto owner = model::place_tables(of.model.tables, of.nodes, of.placement);
    return std::ranges::max(model::bytes_per_node(of.model.tables, owner, of.nodes));
  };
  EXPECT_LT(fullest(step(".column-spread=4.placement=size-balanced")), fullest(spread));
  EXPECT_EQ(fullest(step(".placement=size-balanced")), fullest(equal));
}

TEST(OperaDlrmSweep, TheGapIsToTheBestFatTreeAndRotorsCountApart) {
  const std::vector<StudyRow> rows{
      row("I.baseline.16.fat-tree.ring.flow.sound.1", 110ms),
      row("I.baseline.16.fat-tree.dps.flow.sound.1", 100ms),
      row("I.baseline.16.opera.dps.flow.sound.1.reconfiguration-us=10", 140ms),
      row("I.baseline.16.opera.dps.flow.sound.1.slice-us=40.reconfiguration-us=10", 130ms),
      row("I.baseline.16.opera.dps.flow.sound.1.slice-us=40.reconfiguration-us=1", 110ms),
      // Of other work, and faster.
      row("I.baseline.16.opera.dps.flow.sound.1.tables=10.reconfiguration-us=10", 1ms)};
  const std::vector<CoDesign> designs = co_designs(rows);
  ASSERT_EQ(designs.size(), 1U);  // 10 tables did not run on the tree
  EXPECT_EQ(designs[0].tree, &rows[1]);
  EXPECT_EQ(designs[0].opera, &rows[2]);
  EXPECT_EQ(designs[0].tuned, &rows[3]);
  EXPECT_EQ(designs[0].best, &rows[4]);
  EXPECT_NEAR(designs[0].gap(), 0.4, 1e-9);
  EXPECT_NEAR(designs[0].left(), 0.1, 1e-9);
  EXPECT_NEAR(*designs[0].closed(), 0.75, 1e-9);
  EXPECT_NE(gap_summary(designs).find("75.0%"), std::string::npos);
}

TEST(OperaDlrmSweep, TheBestOfEachAxisAreTriedTogether) {
  const std::vector<StudyRow> rows{
      row("I.baseline.16.fat-tree.dps.flow.sound.1", 100ms),
      row("I.baseline.16.opera.dps.flow.sound.1.reconfiguration-us=10", 140ms),
      row("I.baseline.16.opera.dps.flow.sound.1.slice-us=40.reconfiguration-us=10", 130ms),
      row("I.baseline.16.opera.dps.flow.sound.1.slice-us=80.reconfiguration-us=10", 150ms),
      row("I.baseline.16.opera.dps.flow.sound.1.reconfiguration-us=1", 120ms),
      row("I.baseline.16.fat-tree.dps.flow.sound.1.tables=10", 10ms),
      row("I.baseline.16.opera.dps.flow.sound.1.tables=10.reconfiguration-us=10", 14ms)};
  const std::string opera = "I.baseline.16.opera.dps.flow.sound.1.";
  EXPECT_EQ(
      names(sweep_best(rows).cells),
      (std::set<std::string>{
          opera + "slice-us=40.reconfiguration-us=1", opera + "slice-us=80.reconfiguration-us=1",
          opera + "slice-us=40.reconfiguration-us=10", opera + "reconfiguration-us=1",
          opera + "tables=10.reconfiguration-us=1", opera + "tables=10.slice-us=40.reconfiguration-us=1",
          opera + "tables=10.slice-us=40.reconfiguration-us=10"}));
}

TEST(OperaDlrmSweep, ARealSweepFindsThatFasterRotorsHelp) {
  std::vector<FinishedCell> cells;
  MatrixChoice choice = small();
  choice.all_reduces = {kDps};
  for (const Cell& cell :
       sweep_all(choice, {parse_sweep_axis("reconfiguration-us=1,10"), parse_sweep_axis("tables=16")})
           .cells) {
    cells.push_back({cell, run_cell(cell)});
  }
  const std::vector<StudyRow> rows = by_seed(cells);
  const std::vector<CoDesign> designs = co_designs(rows);
  ASSERT_FALSE(designs.empty());
  for (const CoDesign& of : designs) {
    EXPECT_EQ(of.best->cell.changes.of(Knob::reconfiguration_us), 1);
    EXPECT_GT(of.gap(), of.left());
  }
  for (const std::string& table : {gap_table(designs), best_configurations(designs), gap_summary(designs)}) {
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  }
  const std::string csv = sweep_csv(cells);
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(csv, '\n')), cells.size() + 1);
  for (const Figure& figure : sweep_figures(rows)) EXPECT_TRUE(figure.svg.ends_with("</svg>\n"));
}

TEST(OperaDlrmSweep, TopoOptRunsItsRingsOverItsFibres) {
  const Cell cell = parse_cell("I.baseline.16.topoopt.ring.flow.sound.1.tables=16");
  const workload::DlrmStep step = make_step(cell, {});
  EXPECT_EQ(step.rings.size(), 4U);
  // The data is split over the rings, nothing is lost.
  Cell tree = cell;
  tree.network = StudyNetwork::fat_tree;
  const Bytes split = dlrm_traffic(step).collectives;
  const Bytes whole = dlrm_traffic(make_step(tree, {})).collectives;
  EXPECT_NEAR(static_cast<double>(split.count()), static_cast<double>(whole.count()),
              1e-3 * static_cast<double>(whole.count()));
  // Four fibres a node: rings take a quarter of the fat tree's time.
  const CellResult on_fibres = run_cell(cell);
  const CellResult on_tree = run_cell(tree);
  EXPECT_LT(on_fibres.iteration, on_tree.iteration);
}

}  // namespace
}  // namespace overture::study::opera_dlrm
