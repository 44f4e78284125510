// What the study says of made-up runs: every claim on either side of where it turns, tables to the letter.
#include "overture/study/astra_tutorial/findings.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "overture/study/astra_tutorial/published.h"

namespace overture::study::astra_tutorial {
namespace {

LayerTimes layer(const std::string& name, double exposed, std::vector<double> queueing = {}) {
  LayerTimes times{.name = name, .forward = 1, .weight_gradient = 2, .input_gradient = 3};
  times.exposed = exposed;
  times.communication = exposed + 5;
  times.queueing = std::move(queueing);
  return times;
}

// As printed, to the last digit that the slides have.
CellTimes printed_run() {
  CellTimes run{.cell = {kPrintedShape}, .finished = kFinished, .compute = kCompute, .exposed = kExposed};
  const auto phases = published_phases();
  for (std::size_t l = 0; l < phases.size(); ++l) {
    LayerTimes& times = run.layers.emplace_back(layer("layer" + std::to_string(l), 0));
    times.queueing.assign(phases[l].begin(), phases[l].begin() + 6);
    times.messaging.assign(phases[l].begin() + 6, phases[l].end());
    if (l >= published_layers().size()) continue;
    const PublishedLayer& row = published_layers()[l];
    times.forward = row.forward;
    times.weight_gradient = row.weight_gradient;
    times.input_gradient = row.input_gradient;
    times.exposed = row.exposed;
    times.communication = row.communication;
  }
  return run;
}

CellTimes drawn_run(std::vector<LayerTimes> layers) {
  CellTimes run;
  run.cell.shape = kDrawnShape;
  run.layers = std::move(layers);
  return run;
}

Claim claim_of(const std::string& id, const std::vector<CellTimes>& times, const TutorialPlan& plan = {}) {
  const auto claims = tutorial_claims(plan, times);
  const auto found = std::ranges::find(claims, id, &Claim::id);
  return found == claims.end() ? Claim{.id = "none"} : *found;
}

TEST(TutorialClaims, AllThatIsPrintedIsMetByWhatIsPrinted) {
  for (const char* id : {"P1", "P2", "P3", "P4", "P5", "P6"})
    EXPECT_EQ(claim_of(id, {printed_run()}).verdict, Verdict::met) << id;
  EXPECT_EQ(claim_of("P4", {printed_run()}).ours, "90 equal");
  EXPECT_EQ(claim_of("P5", {printed_run()}).published, "209 numbers");
  EXPECT_EQ(claim_of("P6", {printed_run()}).ours, "11 equal");
}

TEST(TutorialClaims, OneDigitMoreOrLessIsNotMet) {
  CellTimes run = printed_run();
  run.finished += 0.001;
  EXPECT_EQ(claim_of("P1", {run}).verdict, Verdict::not_met);
  EXPECT_EQ(claim_of("P1", {run}).ours, "4875.202 us");
  EXPECT_EQ(claim_of("P2", {run}).verdict, Verdict::met);
  run.layers[17].communication += 0.001;
  EXPECT_EQ(claim_of("P4", {run}).verdict, Verdict::not_met);
  EXPECT_EQ(claim_of("P4", {run}).ours, "89 equal");
  run.layers[18].messaging[4] += 0.0001;
  EXPECT_EQ(claim_of("P5", {run}).ours, "208 equal");
  EXPECT_EQ(claim_of("P6", {run}).verdict, Verdict::met) << "the 20th row is another claim";
  run.layers[19].queueing.pop_back();
  EXPECT_EQ(claim_of("P6", {run}).verdict, Verdict::not_met) << "a phase is missing";
}

TEST(TutorialClaims, WithoutThePrintedShapeNothingIsSaidOfIt) {
  CellTimes run = printed_run();
  run.cell.shape = kDrawnShape;
  EXPECT_EQ(claim_of("P1", {run}).id, "none");
  EXPECT_NE(claim_of("C1", {run}).id, "none");
}

TEST(TutorialClaims, C1WantsTheFirstLayerAlone) {
  CellTimes run = drawn_run({layer("a", 10), layer("b", 0)});
  run.exposed = 30;
  EXPECT_EQ(claim_of("C1", {run}).verdict, Verdict::met);
  EXPECT_EQ(claim_of("C1", {run}).ours, "1 of 2 layers");
  run.layers[1].exposed = 20;
  const Claim both = claim_of("C1", {run});
  EXPECT_EQ(both.verdict, Verdict::not_met);
  EXPECT_TRUE(both.why.starts_with("The first layer waits 10.0 us of the 30.0 us that are charged to layers"))
      << both.why;
  run.layers[0].exposed = 0;
  EXPECT_EQ(claim_of("C1", {run}).verdict, Verdict::not_met) << "one layer, but not the first";
}

TEST(TutorialClaims, C2WantsTheLongestQueueBeforeTheSecondPhase) {
  CellTimes run = drawn_run({layer("a", 0, {1, 2, 9}), layer("b", 0, {1, 8, 3})});
  EXPECT_EQ(claim_of("C2", {run}).verdict, Verdict::met);
  EXPECT_EQ(claim_of("C2", {run}).ours, "P2; mean of all layers in us: P0 1.0, P1 5.0, P2 6.0");
  run.layers[1].queueing[1] = 11;
  EXPECT_EQ(claim_of("C2", {run}).verdict, Verdict::not_met);
  EXPECT_NE(claim_of("C2", {run}).why.find("network.dimensions.0.bandwidth"), std::string::npos);
}

TEST(TutorialClaims, C3AndC4WantTheShareToRiseAtEveryStep) {
  const TutorialPlan plan{.shapes = {{2, 2, 2}, {2, 4, 4}, {2, 8, 8}}, .compute_scales = {1, 0.5}};
  std::vector<CellTimes> times{{.cell = {{2, 2, 2}}, .finished = 100, .exposed = 10},
                               {.cell = {{2, 4, 4}}, .finished = 100, .exposed = 20}};
  EXPECT_EQ(claim_of("C3", times, plan).verdict, Verdict::met) << "of those that were run";
  EXPECT_EQ(claim_of("C3", times, plan).ours, "2x2x2: 10.0 %, 2x4x4: 20.0 %");
  EXPECT_EQ(claim_of("C4", times, plan).verdict, Verdict::open) << "one speed alone";
  times.push_back({.cell = {{2, 8, 8}}, .finished = 200, .exposed = 40});
  EXPECT_EQ(claim_of("C3", times, plan).verdict, Verdict::not_met) << "equal is no rise";
  EXPECT_EQ(claim_of("C3", times, plan).why, "The share does not rise at every step.");
  times.push_back({.cell = {{2, 4, 4}, 0.5}, .finished = 100, .exposed = 21});
  EXPECT_EQ(claim_of("C4", times, plan).verdict, Verdict::met);
}

TEST(TutorialTables, CellsAreALineEach) {
  const std::vector<CellTimes> times{
      {.cell = {{2, 4, 4}, 0.5}, .finished = 100, .compute = 75, .exposed = 25}};
  const auto tables = tutorial_tables({}, times);
  ASSERT_EQ(tables.size(), 1U) << "neither the printed nor the drawn run is there";
  EXPECT_EQ(tables[0].file, "tutorial.csv");
  EXPECT_EQ(tables[0].text,
            "cell,torus_nodes,compute_scale,finished_us,compute_us,exposed_communication_us,exposed_share\n"
            "2x4x4.compute-0.5,32,0.5,100.000000,75.000000,25.000000,0.250000\n");
}

// A layer that has fewer phases than another one leaves their columns empty.
TEST(TutorialTables, LayersHaveAColumnForEveryPhaseOfAny) {
  CellTimes run = drawn_run({layer("a", 4, {1, 2}), layer("b", 0)});
  run.layers[0].messaging = {7};
  const auto tables = tutorial_tables({}, {run});
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[1].file, "layers-2x4x4.csv");
  EXPECT_EQ(tables[1].text,
            "layer,forward_us,weight_gradient_us,input_gradient_us,exposed_communication_us,"
            "raw_communication_us,queueing_phase_0_us,queueing_phase_1_us,message_phase_1_us\n"
            "a,1.000000,2.000000,3.000000,4.000000,9.000000,1.000000,2.000000,7.000000\n"
            "b,1.000000,2.000000,3.000000,0.000000,5.000000,,,\n");
}

TEST(TutorialTables, TheSameShapeIsWrittenOnce) {
  TutorialPlan plan;
  plan.drawn = kPrintedShape;
  const auto tables = tutorial_tables(plan, {printed_run()});
  EXPECT_EQ(tables.size(), 2U);
}

TEST(TutorialTables, TheTerminalShowsSharesInPercent) {
  const std::string table = cells_table({{.cell = {{2, 2, 2}}, .finished = 8, .compute = 5, .exposed = 3}});
  EXPECT_NE(table.find("37.5"), std::string::npos) << table;
  EXPECT_NE(table.find("2x2x2"), std::string::npos) << table;
}

TEST(TutorialReport, ItsHeadlineCountsWhatIsEqual) {
  EXPECT_EQ(tutorial_report({}, {}).headline, "The run whose tables the slides print was not made.");
  CellTimes run = printed_run();
  EXPECT_TRUE(tutorial_report({}, {run}).headline.starts_with(
      "313 of the 313 numbers that the tutorial prints come out digit for digit."))
      << tutorial_report({}, {run}).headline;
  run.compute += 1;
  run.layers[0].forward += 1;
  EXPECT_TRUE(tutorial_report({}, {run}).headline.starts_with("311 of the 313 numbers"));
  EXPECT_NE(tutorial_report({}, {run}).headline.find("56 % of the time is exposed"), std::string::npos);
}

}  // namespace
}  // namespace overture::study::astra_tutorial
