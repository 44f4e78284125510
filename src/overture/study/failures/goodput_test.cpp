#include "overture/study/failures/goodput.h"

#include <cmath>

#include <gtest/gtest.h>

namespace overture::study::failures {
namespace {

// One part that fails once in 10,000 s on the average.
const Parts kOne{.nodes = 1};
Reliability every(double seconds) { return {.node_mtbf = seconds}; }

TEST(Goodput, FormulasAreThoseOfTheirPapers) {
  EXPECT_DOUBLE_EQ(young(50, 10'000), 1000);  // sqrt(2 * 50 * 10,000)
  // 1000 (1 + 0.05 / 3 + 0.0025 / 9) - 50
  EXPECT_NEAR(daly(50, 10'000), 966.944, 0.001);
  EXPECT_DOUBLE_EQ(daly(300, 100), 100);
  // For small C/M all agree; the exact one meets exp(-(t + C) / M) = 1 - t / M.
  EXPECT_NEAR(exact_best(1e-4, 1), young(1e-4, 1), 2e-4);
  for (const double write : {0.001, 0.1, 1.0, 5.0}) {
    const double t = exact_best(write, 1);
    EXPECT_NEAR(std::exp(-(t + write)), 1 - t, 1e-12);
  }
}

TEST(Goodput, PartsAddTheirRates) {
  const Parts tree = fat_tree_parts(128);  // k = 8
  EXPECT_NEAR(tree.switches, 80, 1e-9);
  EXPECT_DOUBLE_EQ(tree.links, 384);
  EXPECT_NEAR(system_mtbf({.nodes = 10, .links = 20, .switches = 5},
                          {.node_mtbf = 100, .link_mtbf = 400, .switch_mtbf = 100}),
              5, 1e-12);  // 0.1 + 0.05 + 0.05 a second
}

TEST(Goodput, WithoutFailuresOnlyWritingCosts) {
  const Goodput g = simulate_goodput(kOne, every(1e15), {.write = 10, .read = 5, .restart = 5}, 90,
                                     {.days = 1, .runs = 10});
  EXPECT_NEAR(g.useful, 0.9, 1e-3);
  EXPECT_NEAR(g.writing, 0.1, 1e-3);
  EXPECT_EQ(g.failures, 0);
}

TEST(Goodput, SharesAddUpAndCausesFollowTheRates) {
  const Goodput g =
      simulate_goodput({.nodes = 3, .links = 1}, {.node_mtbf = 40'000, .link_mtbf = 40'000},
                       {.write = 50, .read = 20, .restart = 100}, 900, {.days = 10, .runs = 500});
  EXPECT_NEAR(g.useful + g.writing + g.lost_work + g.restarting, 1, 1e-9);
  EXPECT_NEAR(g.lost_by[0] + g.lost_by[1] + g.lost_by[2], g.lost_work + g.restarting, 1e-9);
  EXPECT_NEAR(g.lost_by[0] / g.lost_by[1], 3, 0.1);
  EXPECT_EQ(g.lost_by[2], 0);
  EXPECT_NEAR(g.failures, 86.4, 1);  // 864,000 s over 10,000
}

TEST(Goodput, EndsWhenItIsStoppedHoweverLongItWouldTake) {
  int asked = 0;
  const TrainingRuns runs{.days = 1e6, .runs = 1'000'000, .stopped = [&] { return ++asked >= 3; }};
  best_interval(kOne, every(1), {.write = 1, .read = 1, .restart = 1}, runs);
  EXPECT_GE(asked, 3);
  EXPECT_LT(asked, 100);
}

// Daly (2006), eq. 20: with failures also while it restarts, 1 of useful work takes
// M exp(R/M) (exp((t + C) / M) - 1) / t.
TEST(Goodput, IsWhatTheoryExpects) {
  const double m = 10'000;
  const Checkpointing checkpoints{.write = 100, .read = 100, .restart = 400};
  for (const double t : {300.0, 1000.0, 5000.0, 20'000.0}) {
    const double expected = t / (m * std::exp(500 / m) * (std::exp((t + 100) / m) - 1));
    EXPECT_NEAR(simulate_goodput(kOne, every(m), checkpoints, t, {.days = 600, .runs = 1000}).useful,
                expected, 0.005 * expected)
        << t;
  }
}

TEST(Goodput, TheSimulatedBestIntervalIsTheExactOne) {
  for (const double write : {10.0, 100.0, 1000.0, 5000.0}) {
    const Best best = best_interval(kOne, every(10'000), {.write = write, .read = 100, .restart = 100},
                                    {.days = 60, .runs = 400});
    EXPECT_NEAR(best.interval, exact_best(write, 10'000), 0.04 * best.interval) << write;
  }
}

}  // namespace
}  // namespace overture::study::failures
