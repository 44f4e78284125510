#include "overture/network/flow/max_min.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "overture/base/random.h"

namespace overture::network::flow {
namespace {

struct Problem {
  std::vector<double> capacity;
  std::vector<std::vector<Use>> uses;
  std::vector<double> weight;

  std::vector<double> solve() const {
    std::vector<Demand> demands;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      demands.push_back({.uses = uses[i], .weight = weight.empty() ? 1 : weight[i]});
    }
    std::vector<double> rates;
    MaxMin().solve(capacity, demands, rates);
    return rates;
  }
};

Problem random_problem(std::uint64_t seed) {
  RandomStream random = RandomStreams(seed).make("max-min");
  Problem problem;
  const std::uint64_t links = 1 + random.below(12);
  for (std::uint64_t i = 0; i < links; ++i)
    problem.capacity.push_back(static_cast<double>(1 + random.below(100)));
  const std::uint64_t flows = 1 + random.below(40);
  for (std::uint64_t i = 0; i < flows; ++i) {
    std::vector<Use>& uses = problem.uses.emplace_back();
    for (std::uint32_t link = 0; link < links; ++link) {
      if (random.below(3) == 0)
        uses.push_back({.link = link, .load = 0.25 * static_cast<double>(1 + random.below(4))});
    }
    if (uses.empty()) uses.push_back({.link = static_cast<std::uint32_t>(random.below(links))});
    problem.weight.push_back(static_cast<double>(1 + random.below(3)));
  }
  return problem;
}

TEST(MaxMin, SharesALinkEqually) {
  const Problem problem{.capacity = {12}, .uses = {{{0}}, {{0}}, {{0}}}};
  EXPECT_EQ(problem.solve(), (std::vector<double>{4, 4, 4}));
}

TEST(MaxMin, GivesWhatOthersCannotUseToTheRest) {
  // Flow 0 crosses both links, flow 1 the narrow one, flows 2 and 3 the wide one.
  const Problem problem{.capacity = {10, 4}, .uses = {{{0}, {1}}, {{1}}, {{0}}, {{0}}}};
  EXPECT_EQ(problem.solve(), (std::vector<double>{2, 2, 4, 4}));
}

TEST(MaxMin, CountsHalfAFlowAsHalf) {
  const Problem problem{.capacity = {3}, .uses = {{{0, 0.5}}, {{0, 1}}}};
  EXPECT_EQ(problem.solve(), (std::vector<double>{2, 2}));
}

TEST(MaxMin, SharesInProportionToWeights) {
  const Problem problem{.capacity = {12}, .uses = {{{0}}, {{0}}}, .weight = {1, 2}};
  EXPECT_EQ(problem.solve(), (std::vector<double>{4, 8}));
}

TEST(MaxMin, StopsOnALinkWithoutCapacity) {
  const Problem problem{.capacity = {0, 6}, .uses = {{{0}, {1}}, {{1}}}};
  EXPECT_EQ(problem.solve(), (std::vector<double>{0, 6}));
}

TEST(MaxMin, EveryFlowHasAFullLinkOnWhichNobodyIsFaster) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Problem problem = random_problem(seed);
    const std::vector<double> rates = problem.solve();
    std::vector<double> load(problem.capacity.size());
    std::vector<double> fastest(problem.capacity.size());
    for (std::size_t i = 0; i < rates.size(); ++i) {
      for (const Use& use : problem.uses[i]) {
        load[use.link] += use.load * rates[i];
        fastest[use.link] = std::max(fastest[use.link], rates[i] / problem.weight[i]);
      }
    }
    for (std::size_t link = 0; link < load.size(); ++link) {
      EXPECT_LE(load[link], problem.capacity[link] * (1 + 1e-9)) << "seed " << seed;
    }
    for (std::size_t i = 0; i < rates.size(); ++i) {
      const bool held = std::ranges::any_of(problem.uses[i], [&](const Use& use) {
        return load[use.link] >= problem.capacity[use.link] * (1 - 1e-9) &&
               rates[i] / problem.weight[i] >= fastest[use.link] * (1 - 1e-9);
      });
      EXPECT_TRUE(held) << "seed " << seed << " flow " << i;
    }
  }
}

TEST(MaxMin, DoesNotDependOnTheOrderOfFlows) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Problem problem = random_problem(seed);
    const std::vector<double> rates = problem.solve();
    std::ranges::reverse(problem.uses);
    std::ranges::reverse(problem.weight);
    std::vector<double> reversed = problem.solve();
    std::ranges::reverse(reversed);
    for (std::size_t i = 0; i < rates.size(); ++i) EXPECT_NEAR(rates[i], reversed[i], 1e-9 * rates[i]);
  }
}

}  // namespace
}  // namespace overture::network::flow
