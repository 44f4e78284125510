// Every statement of the scoreboard from made-up runs: on either side of where it turns, and what it says.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "overture/study/hoti_dlrm/cells.h"
#include "overture/study/hoti_dlrm/measures.h"
#include "overture/study/hoti_dlrm/scoreboard.h"

namespace overture::study::hoti {
namespace {

// Cells that were run, as a test says.
class Runs {
 public:
  // Of two iterations, so many milliseconds each.
  CellResult& add(const std::string& group, const std::string& system, const std::string& value, double ms) {
    return cells_.emplace_back(
        CellResult{.cell = {.group = group, .system = system, .value = value, .keys = {}},
                   .iterations = 2,
                   .finished_us = 2000 * ms});
  }
  // All four, in the order of the study: Flat100G, Flat800G, Hier, HierOpt.
  void add_systems(const std::vector<double>& ms, const std::string& group = "systems",
                   const std::string& value = "default") {
    for (std::size_t i = 0; i < systems().size(); ++i) add(group, systems()[i].name, value, ms[i]);
  }
  CellResult& of(const std::string& group, const std::string& system, const std::string& value) {
    return *std::ranges::find_if(cells_, [&](const CellResult& result) {
      return result.cell.group == group && result.cell.system == system && result.cell.value == value;
    });
  }
  CellResult& system(const std::string& name) { return of("systems", name, "default"); }

  Results results() const { return Results(cells_); }
  Claim claim(const std::string& id) const {
    const auto claims = result_claims(results());
    return *std::ranges::find(claims, id, &Claim::id);
  }
  Verdict verdict(const std::string& id) const { return claim(id).verdict; }

 private:
  std::vector<CellResult> cells_;
};

void exchange(CellResult& cell, const std::string& pass, double latency_us, double exposed_us = 0) {
  std::erase_if(cell.collectives, [&](const CollectiveRow& row) { return row.pass == pass; });
  cell.collectives.push_back({.iteration = 1,
                              .layer = "Embedding",
                              .pass = pass,
                              .kind = "all_to_all",
                              .latency_us = latency_us,
                              .exposed_us = exposed_us});
}

void all_reduce(CellResult& cell, const std::string& layer, double issued_us, double finished_us) {
  cell.collectives.push_back({.iteration = 1,
                              .layer = layer,
                              .pass = "weight gradient",
                              .kind = "all_reduce",
                              .issued_us = issued_us,
                              .finished_us = finished_us,
                              .latency_us = finished_us - issued_us});
}

// 2 * 127 / 128 of a megabyte at 100 Gbps: 158.75 us. A factor of ten either way of 50 counts.
TEST(HotiClaims, R01ComparesSingleAllReducesWithTheirVolume) {
  Runs runs;
  const auto single = [&](const std::string& value, double times) {
    CellResult& cell = runs.add("all-reduce", "Flat100G", value, 0);
    cell.finished_us = 158.75 * times;
    cell.collectives = {{.kind = "all_reduce", .bytes = 1e6}};
  };
  single("DBT", 1.5);
  single("DBT, injection 100 us", 50);
  EXPECT_EQ(runs.verdict("R01"), Verdict::open) << "two are not enough";
  single("A2A naive, buffer 64 MB, RTO 10 ms", 12);
  const Claim claim = runs.claim("R01");
  EXPECT_EQ(claim.verdict, Verdict::met);
  EXPECT_EQ(claim.ours, "50x");
  EXPECT_NE(claim.why.find("the most is DBT, injection 100 us; with the defaults it is 1.50x"),
            std::string::npos)
      << claim.why;
  EXPECT_NE(claim.why.find("RTO 10 ms: 12.0x"), std::string::npos) << claim.why;
  runs.of("all-reduce", "Flat100G", "DBT, injection 100 us").finished_us = 158.75 * 501;
  EXPECT_EQ(runs.verdict("R01"), Verdict::not_met);
  runs.of("all-reduce", "Flat100G", "DBT, injection 100 us").finished_us = 158.75 * 4;
  runs.of("all-reduce", "Flat100G", "A2A naive, buffer 64 MB, RTO 10 ms").finished_us = 158.75 * 4.9;
  EXPECT_EQ(runs.verdict("R01"), Verdict::not_met);
}

TEST(HotiClaims, R02TakesTheLongestIterationOverTheShortest) {
  Runs runs;
  runs.add_systems({40, 20, 30, 10});
  EXPECT_EQ(runs.verdict("R02"), Verdict::met) << "4x is within 35 % of 3x";
  EXPECT_EQ(runs.claim("R02").ours, "4.00x");
  runs.system("Flat100G").finished_us = 2000 * 42;
  EXPECT_EQ(runs.verdict("R02"), Verdict::not_met);
  runs.system("Flat100G").finished_us = 2000 * 15;
  EXPECT_EQ(runs.claim("R02").ours, "3.00x") << "now a hierarchical one is the slowest";
  runs.system("Hier").finished_us = runs.system("Flat800G").finished_us = 2000 * 10;
  EXPECT_EQ(runs.verdict("R02"), Verdict::not_met) << "1.5x is too little";
}

TEST(HotiClaims, R04TellsWhatNaiveOrdersAdd) {
  Runs runs;
  runs.add_systems({10, 10, 10, 10});
  runs.add("order", "Hier", "naive, 1 GB", 10);
  EXPECT_EQ(buffer_experiments(runs.results()), "");
  runs.add("order", "Hier", "naive, 64 MB, RTO 1 ms", 15);
  EXPECT_EQ(buffer_experiments(runs.results()), "If all GPUs send to GPU 0 first: Hier 1.50x");
  runs.add("order", "Hier", "naive, 64 MB, RTO 10 ms", 40);
  EXPECT_EQ(buffer_experiments(runs.results()),
            "If all GPUs send to GPU 0 first: Hier 1.50x (4.00x with a minimum RTO of 10 ms)");
}

TEST(HotiClaims, R06AndTheExposedTimesOfTheFlatSystems) {
  Runs runs;
  exchange(runs.add("systems", "Flat100G", "default", 20), "forward", 500, 0);
  EXPECT_EQ(runs.verdict("R06"), Verdict::not_met);
  EXPECT_EQ(runs.verdict("I02"), Verdict::not_met);
  for (const auto& [us, met] : {std::pair{209.9, false}, {210.0, true}, {330.0, true}, {330.1, false}}) {
    exchange(runs.system("Flat100G"), "forward", 500, us);
    EXPECT_EQ(runs.verdict("I02"), met ? Verdict::met : Verdict::not_met) << us;
    EXPECT_EQ(runs.verdict("R06"), Verdict::met);
  }
  EXPECT_EQ(runs.claim("R06").ours, "330.1 us on Flat100G");
  EXPECT_EQ(runs.verdict("I03"), Verdict::open);
  exchange(runs.add("systems", "Flat800G", "default", 10), "forward", 60, 0.9);
  EXPECT_EQ(runs.verdict("I03"), Verdict::met);
  exchange(runs.system("Flat800G"), "forward", 60, 1.0);
  EXPECT_EQ(runs.verdict("I03"), Verdict::not_met);
}

TEST(HotiClaims, WhatTheExchangeExperimentsGaveIsTold) {
  Runs runs;
  EXPECT_EQ(exchange_experiments(runs.results()), "an all-to-all of one chunk");
  exchange(runs.add("exchange", "Flat100G", "32 chunks", 20), "forward", 1, 111.1);
  exchange(runs.add("order", "Flat100G", "naive, 1 GB", 20), "forward", 1, 222.2);
  EXPECT_EQ(exchange_experiments(runs.results()),
            "an all-to-all of one chunk; 111.1 us if it is cut into 32; 222.2 us if all GPUs send to GPU 0 "
            "first");
}

TEST(HotiClaims, I01ComparesWhatIsExposedWithWhatTheBottomMlpLeaves) {
  Runs runs;
  runs.add_systems({20, 10, 20, 10});
  for (const SystemSetup& system : systems())
    exchange(runs.system(system.name), "forward", bottom_forward_us(system) + 100, 104);
  EXPECT_EQ(runs.verdict("I01"), Verdict::met) << "within 5 %";
  EXPECT_NE(runs.claim("I01").ours.find("Flat100G 104.0 of 100.0 us"), std::string::npos);
  exchange(runs.system("Hier"), "forward", bottom_forward_us(system_named("Hier")) + 100, 94);
  EXPECT_EQ(runs.verdict("I01"), Verdict::not_met);
  exchange(runs.system("Hier"), "forward", bottom_forward_us(system_named("Hier")) - 10, 0);
  EXPECT_EQ(runs.verdict("I01"), Verdict::met) << "all of it is hidden";
}

TEST(HotiClaims, TheBottomMlpComputesTheSameOnEverySystem) {
  const double first = bottom_forward_us(systems().front());
  EXPECT_GT(first, 10);
  for (const SystemSetup& system : systems()) EXPECT_DOUBLE_EQ(bottom_forward_us(system), first);
}

TEST(HotiClaims, I04WantsEverySystemToBeSlowerBackward) {
  Runs runs;
  runs.add_systems({20, 10, 20, 10});
  for (const SystemSetup& system : systems()) {
    exchange(runs.system(system.name), "forward", 100);
    exchange(runs.system(system.name), "input gradient", 100);
  }
  EXPECT_EQ(runs.verdict("I04"), Verdict::met);
  exchange(runs.system("HierOpt"), "input gradient", 99);
  const Claim claim = runs.claim("I04");
  EXPECT_EQ(claim.verdict, Verdict::not_met);
  EXPECT_NE(claim.ours.find("HierOpt 99 and 100 us"), std::string::npos) << claim.ours;
  EXPECT_EQ(claim.why, "backward and forward, first iteration");
  runs.add("all-to-all", "Flat100G", "flat800-rotated", 0).finished_us = 72.5;
  runs.add("all-to-all", "Flat100G", "flat800-rotated-window40", 0).finished_us = 61.25;
  EXPECT_NE(runs.claim("I04").why.find("takes 72.50 us, and 61.25 us with an initial window"),
            std::string::npos);
}

TEST(HotiClaims, I06WantsTheLastIssuedToEndFirst) {
  Runs runs;
  CellResult& lifo = runs.add("systems", "Flat100G", "default", 20);
  all_reduce(lifo, "MLP_Top_10", 100, 9000);
  EXPECT_EQ(runs.verdict("I06"), Verdict::open) << "the bottom layer has none";
  all_reduce(runs.system("Flat100G"), "MLP_Bottom_0", 500, 8000);
  EXPECT_EQ(runs.verdict("I06"), Verdict::met);
  EXPECT_EQ(runs.claim("I06").ours, "MLP_Bottom_0 ends at 8.00 ms, MLP_Top_10 at 9.00 ms");
  runs.system("Flat100G").collectives.back().finished_us = 9001;
  EXPECT_EQ(runs.verdict("I06"), Verdict::not_met);
  runs.system("Flat100G").collectives.back() = {.iteration = 1,
                                                .layer = "MLP_Bottom_0",
                                                .pass = "weight gradient",
                                                .issued_us = 50,
                                                .finished_us = 8000};
  EXPECT_EQ(runs.verdict("I06"), Verdict::not_met) << "it was issued first";
  CellResult& fifo = runs.add("scheduling", "Flat100G", "FIFO", 20);
  all_reduce(fifo, "MLP_Bottom_0", 500, 9500);
  all_reduce(fifo, "MLP_Top_10", 100, 1500);
  EXPECT_NE(runs.claim("I06").why.find("; with FIFO 9.50 and 1.50 ms"), std::string::npos);
}

TEST(HotiClaims, I12ComparesTwoBuffersOfOneAllToAll) {
  Runs runs;
  runs.add("all-to-all", "Flat100G", "flat100-rotated", 1);
  EXPECT_EQ(runs.verdict("I12"), Verdict::open);
  runs.add("all-to-all", "Flat100G", "flat100-rotated-64MB", 1.009);
  EXPECT_EQ(runs.verdict("I12"), Verdict::met);
  EXPECT_EQ(runs.claim("I12").ours, "1.0090x");
  runs.of("all-to-all", "Flat100G", "flat100-rotated-64MB").finished_us *= 1.01;
  EXPECT_EQ(runs.verdict("I12"), Verdict::not_met);
}

TEST(HotiClaims, R07IsOpenUntilSomethingTurnsOrAllWasRun) {
  Runs runs;
  runs.add_systems({40, 10, 20, 8});
  EXPECT_EQ(runs.verdict("R07"), Verdict::open) << "nothing but the defaults was run";
  runs.add("window", "Flat100G", "0.1 MB", 50);
  runs.add("window", "Hier", "0.1 MB", 30);
  EXPECT_EQ(runs.verdict("R07"), Verdict::open) << "other values may turn it";
  runs.of("window", "Hier", "0.1 MB").finished_us = 2000 * 60;
  const Claim claim = runs.claim("R07");
  EXPECT_EQ(claim.verdict, Verdict::met);
  EXPECT_EQ(claim.ours, "1 reversal");
  EXPECT_EQ(claim.why, "window 0.1 MB: flat 50.00 ms, Hier 60.00 ms (default 40.00 and 20.00)");
}

TEST(HotiClaims, R07IsNotMetIfNothingTurnsInAllOfTheStudy) {
  Runs runs;
  for (const Cell& cell : cells_of({})) {
    const double flat_ms = cell.system == "Flat800G" ? 10 : 40;
    runs.add(cell.group, cell.system, cell.value, cell.system.starts_with("Hier") ? 9 : flat_ms);
  }
  EXPECT_EQ(runs.verdict("R07"), Verdict::not_met);
  EXPECT_EQ(runs.claim("R07").why, "no value changes the order");
}

// At 800 Gbps Flat100G is Flat800G: no cell of its own is needed.
TEST(HotiClaims, R07TakesFlat800GForFlat100GAt800Gbps) {
  Runs runs;
  runs.add_systems({40, 10, 20, 30});
  runs.add("bandwidth", "Hier", "800 Gbps", 12);
  const Claim claim = runs.claim("R07");
  EXPECT_EQ(claim.verdict, Verdict::met);
  EXPECT_NE(claim.why.find("bandwidth 800 Gbps: flat 10.00 ms, Hier 12.00 ms"), std::string::npos)
      << claim.why;
}

// What follows from the setups alone holds without a run.
TEST(HotiClaims, FourStatementsNeedNoCells) {
  const Runs none;
  EXPECT_EQ(none.claim("R08").ours, "0 B");
  EXPECT_EQ(none.verdict("R09"), Verdict::met);
  EXPECT_EQ(none.claim("I10").ours, "16 x 8");
  EXPECT_EQ(none.verdict("I11"), Verdict::met);
  EXPECT_TRUE(none.claim("I11").ours.starts_with("254, 44, ")) << none.claim("I11").ours;
  for (const char* id : {"R01", "R02", "R05", "I01", "I05", "I12"})
    EXPECT_EQ(none.verdict(id), Verdict::open);
}

TEST(HotiMeasures, RanksOfEqualValuesShareTheirPlaces) {
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3}, {10, 100, 1000}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3}, {3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 1, 1}, {3, 2, 1}), 0) << "nothing to rank by";
  // Places 1.5, 1.5, 3 against 1, 2, 3.
  EXPECT_NEAR(rank_correlation({5, 5, 9}, {1, 2, 3}), 1.5 / std::sqrt(1.5 * 2), 1e-12);
}

TEST(HotiMeasures, FewerThanThreeAllReducesCorrelateWithNothing) {
  Runs runs;
  CellResult& cell = runs.add("scheduling", "Flat100G", "FIFO", 20);
  all_reduce(cell, "a", 0, 10);
  all_reduce(cell, "b", 10, 30);
  EXPECT_DOUBLE_EQ(size_correlation(cell, 1), 0);
  EXPECT_DOUBLE_EQ(service_correlation(cell, 1), 0);
}

TEST(HotiMeasures, AnIterationWithoutAnExchangeHasNone) {
  Runs runs;
  CellResult& cell = runs.add("systems", "Hier", "default", 20);
  exchange(cell, "forward", 70, 7);
  EXPECT_DOUBLE_EQ(exchange_latency(cell, 1, "forward"), 70);
  EXPECT_DOUBLE_EQ(exchange_latency(cell, 2, "forward"), 0);
  EXPECT_DOUBLE_EQ(exchange_latency(cell, 1, "input gradient"), 0);
  EXPECT_DOUBLE_EQ(exposed_exchange(cell, 1), 7);
}

TEST(HotiMeasures, TheConcurrencyCurveIsByBytesUnderWay) {
  Runs runs;
  runs.add("systems", "Flat100G", "default", 20);  // 1,024 chunks, 64 at a time: a sixteenth of 8 MiB
  runs.add("concurrency", "Flat100G", "128 x 4", 30);
  runs.add("concurrency", "Flat100G", "32 x 128", 40);
  const auto curve = concurrency_curve(runs.results(), "Flat100G");
  ASSERT_EQ(curve.size(), 3U);
  EXPECT_EQ(curve[0].label, "128 x 4");
  EXPECT_DOUBLE_EQ(curve[0].kib_under_way, 256);
  EXPECT_EQ(curve[1].label, "1024 x 64");
  EXPECT_DOUBLE_EQ(curve[1].kib_under_way, 512);
  EXPECT_EQ(curve[2].label, "32 x 128");
  EXPECT_DOUBLE_EQ(curve[2].kib_under_way, 8192) << "no more than there are";
  EXPECT_DOUBLE_EQ(curve[2].iteration_ms, 40);
}

}  // namespace
}  // namespace overture::study::hoti
