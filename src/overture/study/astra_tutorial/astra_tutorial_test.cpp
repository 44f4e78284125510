// The shipped example is the tutorial's run: its printed numbers are compared one by one.
#include <algorithm>
#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/setup/setup.h"
#include "overture/study/astra_tutorial/findings.h"
#include "overture/study/astra_tutorial/published.h"

namespace overture::study::astra_tutorial {
namespace {

namespace fs = std::filesystem;

CellTimes run_example(const TutorialCell& cell) {
  const setup::Setup setup =
      setup::load_setup(fs::path(OVERTURE_EXAMPLES) / "resnet50-torus.yaml", overrides(cell));
  return times_of(cell, setup.simulation.workload, simulation::simulate(setup.simulation));
}

TEST(AstraTutorial, PrintedTotalsComeOut) {
  const CellTimes run = run_example({kPrintedShape});
  EXPECT_DOUBLE_EQ(run.finished, 4875.201);
  EXPECT_DOUBLE_EQ(run.compute, 2164.9);
  EXPECT_DOUBLE_EQ(run.exposed, 2710.301);
  ASSERT_EQ(run.layers.size(), 54U);
  const LayerTimes& conv1 = run.layers.front();
  EXPECT_EQ(conv1.name, "conv1");
  ASSERT_EQ(conv1.queueing.size(), 6U);
  EXPECT_NEAR(conv1.queueing[1], 1.8795, 1e-9);
  EXPECT_NEAR(conv1.queueing[2], 0.5455, 1e-9);
  EXPECT_NEAR(conv1.queueing[5], 2.3575, 1e-9);
  EXPECT_NEAR(conv1.messaging[0], 0.035, 1e-9);
  EXPECT_NEAR(run.layers[19].queueing[2], 10.085, 1e-9)
      << "the slide has 0.0065; ASTRA-sim's report has this";
}

TEST(AstraTutorial, EveryPrintedNumberOfEveryLayerComesOut) {
  const CellTimes run = run_example({kPrintedShape});
  const auto layers = published_layers();
  ASSERT_EQ(layers.size(), 18U);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    EXPECT_NEAR(run.layers[l].forward, layers[l].forward, 1e-9) << l;
    EXPECT_NEAR(run.layers[l].weight_gradient, layers[l].weight_gradient, 1e-9) << l;
    EXPECT_NEAR(run.layers[l].input_gradient, layers[l].input_gradient, 1e-9) << l;
    EXPECT_NEAR(run.layers[l].exposed, layers[l].exposed, 1e-9) << l;
    EXPECT_NEAR(run.layers[l].communication, layers[l].communication, 1e-9) << l;
  }
  const auto phases = published_phases();
  ASSERT_EQ(phases.size(), 20U);
  // The last printed row differs from ASTRA-sim's own report, which golden_astra_test compares.
  for (std::size_t l = 0; l + 1 < phases.size(); ++l) {
    for (std::size_t p = 0; p < 6; ++p) EXPECT_NEAR(run.layers[l].queueing[p], phases[l][p], 1e-9) << l;
    for (std::size_t p = 0; p < 5; ++p) EXPECT_NEAR(run.layers[l].messaging[p], phases[l][6 + p], 1e-9) << l;
  }
}

TEST(AstraTutorial, AFasterNodeComputesLessAndMovesTheSameBytes) {
  const CellTimes slow = run_example({kDrawnShape});
  const CellTimes fast = run_example({kDrawnShape, 0.5});
  EXPECT_NEAR(fast.compute / slow.compute, 0.5, 0.001);
  EXPECT_GT(fast.exposed_share(), slow.exposed_share());
}

TEST(AstraTutorial, TheReportHasEveryLayerInEveryChartOfLayers) {
  TutorialPlan plan;
  std::vector<CellTimes> times;
  for (const TutorialCell& cell : cells_of(plan)) times.push_back(run_example(cell));
  const StudyReport report = tutorial_report(plan, times);
  std::size_t charts = 0;
  for (const Figure& figure : report.figures) {
    if (figure.title.find("layer") == std::string::npos) continue;
    ++charts;
    for (const LayerTimes& layer : times.front().layers)
      EXPECT_NE(figure.svg.find(">" + layer.name + "<"), std::string::npos) << figure.file << layer.name;
  }
  EXPECT_EQ(charts, 8U) << "four of each of the two shapes";
  for (const Claim& claim : report.claims) {
    EXPECT_NE(claim.verdict, Verdict::open) << claim.id;
    if (!claim.id.starts_with("P") || claim.id == "P6") continue;
    EXPECT_EQ(claim.verdict, Verdict::met) << claim.id << claim.ours;
  }
}

TEST(AstraTutorial, ClaimsAreOpenWhereTheRunsAreMissing) {
  const auto claims = tutorial_claims({}, {});
  for (const Claim& claim : claims) EXPECT_EQ(claim.verdict, Verdict::open) << claim.id;
}

TEST(AstraTutorial, CellsAreEachRunOnceAndHaveNamesOfTheirOwn) {
  const auto cells = cells_of({});
  std::set<std::string> names;
  for (const TutorialCell& cell : cells) EXPECT_TRUE(names.insert(cell_name(cell)).second) << cell_name(cell);
  EXPECT_EQ(cells.size(), 9U);  // five shapes, the printed one, three scales beside 1
  EXPECT_NE(std::ranges::find(cells, TutorialCell{kPrintedShape}), cells.end());
  EXPECT_EQ(cell_name({kDrawnShape, 0.5}), "2x4x4.compute-0.5");
  EXPECT_EQ(cells_of({.drawn = kPrintedShape, .shapes = {kPrintedShape}, .compute_scales = {1}}).size(), 1U);
}

TEST(AstraTutorial, RunsAreOrderedBySizeAndBySpeed) {
  TutorialPlan plan{.shapes = {{2, 8, 8}, {2, 2, 2}, {2, 4, 4}}, .compute_scales = {0.25, 1}};
  std::vector<CellTimes> times;
  for (const TutorialCell& cell : cells_of(plan)) times.push_back({.cell = cell});
  std::vector<int> nodes;
  for (const CellTimes* run : runs_by_nodes(plan, times)) nodes.push_back(nodes_of(run->cell.shape));
  EXPECT_EQ(nodes, (std::vector{8, 32, 128}));
  std::vector<double> scales;
  for (const CellTimes* run : runs_by_speed(plan, times)) scales.push_back(run->cell.compute_scale);
  EXPECT_EQ(scales, (std::vector{1.0, 0.25}));
  EXPECT_EQ(find_cell(times, {{9, 9, 9}}), nullptr);
  times.erase(times.begin(), times.end());
  EXPECT_TRUE(runs_by_nodes(plan, times).empty());
}

TEST(AstraTutorial, ARunOfNoTimeExposesNothing) {
  EXPECT_EQ(CellTimes{}.exposed_share(), 0);
  EXPECT_EQ((CellTimes{.finished = 4, .exposed = 1}.exposed_share()), 0.25);
}

TEST(AstraTutorial, ShapesAreThreeNumbers) {
  EXPECT_EQ(parse_shape("2x8x4"), (Shape{2, 8, 4}));
  for (const char* bad : {"", "2x4", "2x4x4x4", "2x0x4", "ax4x4", "2x4x", "1x1x1", "60000x60000x60000"})
    EXPECT_THROW(parse_shape(bad), UserError) << bad;
}

}  // namespace
}  // namespace overture::study::astra_tutorial
