// Which links a flow takes: shares that add up at every switch, one path per flow where flows hash, and ways
// around what is down. And capacities that come and go.
#include "overture/network/flow/flow_paths.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/network/flow/capacity.h"
#include "overture/network/flow/max_min.h"
#include "overture/topology/fat_tree.h"
#include "overture/topology/hierarchical_switch.h"
#include "overture/topology/leaf_spine.h"
#include "overture/topology/star.h"
#include "overture/topology/torus.h"

namespace overture::network::flow {
namespace {

using namespace literals;
using topology::PathRule;
using topology::Topology;

std::vector<Topology> examples() {
  std::vector<Topology> all;
  all.push_back(topology::star({.hosts = 4}));
  all.push_back(topology::fat_tree({.k = 4}));
  all.push_back(topology::leaf_spine({.leaves = 3, .hosts_per_leaf = 2, .spines = 3}));
  all.push_back(topology::torus({.sizes = {4, 4}}));
  all.push_back(topology::torus({.sizes = {4}, .rings = {2}}));
  for (const int nics : {1, 2, 4})
    all.push_back(topology::hierarchical_switch({.gpus_per_node = 4, .nics_per_node = nics},
                                                topology::star({.hosts = 2 * nics})));
  return all;
}

// The links of a way with their shares.
std::map<std::uint32_t, Share> links_of(const FlowPaths& paths, const Way& way) {
  std::map<std::uint32_t, Share> links;
  if (way.first != kNoLink) links[way.first] = kWhole;
  if (way.last != kNoLink) links[way.last] = kWhole;
  for (const LinkShare& part : paths.bundle(way.bundle)) links[part.link] += part.share;
  return links;
}

template <class Check>
void for_each_pair(const Topology& topology, Check check) {
  for (int from = 0; from < topology.graph.hosts(); ++from) {
    for (int to = 0; to < topology.graph.hosts(); ++to) {
      if (from != to) check(from, to);
    }
  }
}

TEST(FlowPaths, WhatGoesIntoASwitchComesOutOfIt) {
  for (const Topology& topology : examples()) {
    FlowPaths paths(topology, PathRule::spray, 1);
    for_each_pair(topology, [&](int from, int to) {
      std::map<int, double> balance;
      for (const auto& [link, share] : links_of(paths, paths.find(from, to))) {
        const topology::Link& of = topology.graph.links()[link];
        balance[of.from] -= static_cast<double>(share) / static_cast<double>(kWhole);
        balance[of.to] += static_cast<double>(share) / static_cast<double>(kWhole);
      }
      for (const auto& [node, sum] : balance)
        EXPECT_NEAR(sum, node == from ? -1 : node == to ? 1 : 0, 1e-8) << node;
    });
  }
}

TEST(FlowPaths, ASwitchSplitsWhatItGetsEvenlyOverItsEqualPorts) {
  for (const Topology& topology : examples()) {
    FlowPaths paths(topology, PathRule::spray, 1);
    for_each_pair(topology, [&](int from, int to) {
      const auto links = links_of(paths, paths.find(from, to));
      std::map<int, std::set<Share>> leaving;
      std::map<int, std::vector<int>> ports;
      for (const auto& [link, share] : links) {
        const int node = topology.graph.links()[link].from;
        leaving[node].insert(share);
        ports[node].push_back(static_cast<int>(link) - topology.graph.first_link(node));
      }
      for (const auto& [node, shares] : leaving) {
        EXPECT_EQ(shares.size(), 1U) << "equal parts at node " << node;
        EXPECT_EQ(ports[node], equal_ports(topology, node, to)) << from << " to " << to;
      }
    });
  }
}

// Two nodes of four GPUs and two NICs each: odd GPUs are reached through the odd NIC, whoever was asked for
// first.
TEST(FlowPaths, NicsOfAMachineServeTheirOwnGpus) {
  const Topology machines =
      topology::hierarchical_switch({.gpus_per_node = 4, .nics_per_node = 2}, topology::star({.hosts = 4}));
  FlowPaths paths(machines, PathRule::spray, 1);
  const int hub = machines.graph.nodes() - 1;
  for (int to = 4; to < 8; ++to) {
    std::set<int> through;
    for (const auto& [link, share] : links_of(paths, paths.find(0, to))) {
      if (machines.graph.links()[link].from == hub) through.insert(machines.graph.links()[link].to);
    }
    EXPECT_EQ(through, std::set{10 + 2 + to % 2}) << "to GPU " << to;
  }
}

// Host 0 to host 15 with k = 4: a half on either aggregation, a quarter over each core.
TEST(FlowPaths, OnAFatTreeACoreHasItsFourth) {
  const Topology tree = topology::fat_tree({.k = 4});
  FlowPaths paths(tree, PathRule::spray, 1);
  const Way way = paths.find(0, 15);
  std::map<Share, int> count;
  for (const LinkShare& part : paths.bundle(way.bundle)) ++count[part.share];
  EXPECT_EQ(count, (std::map<Share, int>{{kWhole / 4, 8}, {kWhole / 2, 4}}));
  EXPECT_EQ(paths.delay(way), Duration{6 * 500ns});
}

TEST(FlowPaths, HostsOfTheSameTwoSwitchesShareABundle) {
  const Topology tree = topology::fat_tree({.k = 4});
  FlowPaths paths(tree, PathRule::spray, 1);
  EXPECT_EQ(paths.find(0, 14).bundle, paths.find(1, 15).bundle);
  EXPECT_NE(paths.find(0, 14).first, paths.find(1, 14).first);
  EXPECT_NE(paths.find(0, 14).bundle, paths.find(2, 14).bundle);
  for_each_pair(tree, [&](int from, int to) { paths.find(from, to); });
  EXPECT_EQ(paths.bundles(), 8U * 7 + 8) << "of every two edge switches, and an empty one inside each";
}

TEST(FlowPaths, AFlowThatHashesHasOnePathOfTheTopology) {
  for (const Topology& topology : examples()) {
    for (const PathRule rule : {PathRule::by_destination, PathRule::hash_per_flow}) {
      FlowPaths paths(topology, rule, 7);
      for_each_pair(topology, [&](int from, int to) {
        const auto pick = rule == PathRule::by_destination
                              ? topology::Pick::by_destination()
                              : topology::Pick::by_hash(topology::flow_hash(7, from, to));
        std::set<std::uint32_t> expected;
        for (const int link : path(topology, from, to, pick))
          expected.insert(static_cast<std::uint32_t>(link));
        std::set<std::uint32_t> ours;
        Duration delay{};
        for (const auto& [link, share] : links_of(paths, paths.find(from, to))) {
          ours.insert(link);
          EXPECT_EQ(share, kWhole);
          delay += topology.graph.links()[link].wire.delay;
        }
        EXPECT_EQ(ours, expected);
        EXPECT_EQ(paths.delay(paths.find(from, to)), delay);
      });
    }
  }
}

TEST(FlowPaths, GoAroundWhatIsDownAndComeBack) {
  const Topology tree = topology::fat_tree({.k = 4});
  FlowPaths paths(tree, PathRule::spray, 1);
  const auto usual = links_of(paths, paths.find(0, 15));
  std::vector<bool> down(tree.graph.links().size());
  const int cut = tree.graph.first_link(16) + 2;  // from edge switch 0 to its first aggregation
  down[static_cast<std::size_t>(cut)] = true;
  const topology::LiveRouting live(tree.graph, down);
  EXPECT_FALSE(paths.is_cut(paths.find(0, 15)));
  const Way before = paths.find(0, 15);
  paths.go_around(&live);
  EXPECT_TRUE(paths.is_cut(before));
  const auto around = links_of(paths, paths.find(0, 15));
  EXPECT_FALSE(around.contains(static_cast<std::uint32_t>(cut)));
  EXPECT_FALSE(paths.is_cut(paths.find(0, 15)));
  EXPECT_EQ(links_of(paths, paths.find(4, 15)).size(), usual.size()) << "others stay as they were";
  paths.go_around(nullptr);
  EXPECT_EQ(links_of(paths, paths.find(0, 15)), usual);
}

TEST(FlowPaths, WhereNoPathIsLeftTheUsualOneStands) {
  const Topology star = topology::star({.hosts = 3});
  FlowPaths paths(star, PathRule::spray, 1);
  std::vector<bool> down(6);
  down[0] = true;
  const topology::LiveRouting live(star.graph, down);
  const auto usual = links_of(paths, paths.find(0, 1));
  paths.go_around(&live);
  EXPECT_EQ(links_of(paths, paths.find(0, 1)), usual);
  EXPECT_TRUE(paths.is_cut(paths.find(0, 1)));
}

// ---- capacities

// At every picosecond: is there a window, and what does it say?
TEST(CapacitySchedule, IsWhatItsWindowsSayAtEveryMoment) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random(seed, 0);
    const std::int64_t period = 1 + static_cast<std::int64_t>(random.below(40));
    std::vector<CapacityWindow> windows;
    std::vector<double> share(static_cast<std::size_t>(period));
    for (std::int64_t at = static_cast<std::int64_t>(random.below(3)); at < period;) {
      const std::int64_t to = std::min(period, at + 1 + static_cast<std::int64_t>(random.below(6)));
      const double part = 0.25 * static_cast<double>(1 + random.below(4));
      windows.push_back({Duration{at}, Duration{to}, part});
      std::fill(share.begin() + at, share.begin() + to, part);
      at = to + static_cast<std::int64_t>(random.below(4));
    }
    if (windows.empty()) continue;
    const CapacitySchedule schedule(Duration{period}, windows);
    for (std::int64_t t = 0; t < 3 * period; ++t) {
      const Time now{Duration{t}};
      ASSERT_EQ(schedule.share_at(now), share[static_cast<std::size_t>(t % period)]) << "seed " << seed;
      const std::int64_t next = schedule.next_change(now).time_since_epoch().count();
      ASSERT_GT(next, t);
      for (std::int64_t between = t; between < next; ++between)
        ASSERT_EQ(share[static_cast<std::size_t>(between % period)],
                  share[static_cast<std::size_t>(t % period)])
            << "seed " << seed << ": a change between " << t << " and " << next;
    }
  }
}

TEST(CapacitySchedule, SaysWhatCannotWork) {
  const auto error = [](Duration period, std::vector<CapacityWindow> windows) {
    return user_error([&] { CapacitySchedule(period, std::move(windows)); });
  };
  EXPECT_EQ(error(10us, {{0us, 10us, 1}}), "");
  EXPECT_NE(error(0us, {{0us, 10us, 1}}).find("a period above zero"), std::string::npos);
  EXPECT_NE(error(10us, {}).find("would never end"), std::string::npos);
  EXPECT_NE(error(10us, {{0us, 10us, 0}}).find("would never end"), std::string::npos);
  EXPECT_NE(error(10us, {{0us, 11us, 1}}).find("within its period"), std::string::npos);
  EXPECT_NE(error(10us, {{4us, 6us, 1}, {5us, 8us, 1}}).find("in order, apart"), std::string::npos);
  EXPECT_NE(error(10us, {{4us, 4us, 1}}).find("in order, apart"), std::string::npos);
  EXPECT_NE(error(10us, {{4us, 6us, 1.5}}).find("from 0 to 1"), std::string::npos);
}

// ---- max-min fairness, filled step by step

// All rates rise together; whoever meets a full link stops. Every step looks at everything.
std::vector<double> fill(const std::vector<double>& capacity, const std::vector<Demand>& demands) {
  std::vector<double> rates(demands.size());
  std::vector<bool> stopped(demands.size());
  for (;;) {
    std::vector<double> left = capacity;
    std::vector<double> rising(capacity.size());
    for (std::size_t i = 0; i < demands.size(); ++i) {
      for (const Use& use : demands[i].uses) {
        left[use.link] -= rates[i] * use.load * demands[i].count;
        if (!stopped[i]) rising[use.link] += demands[i].weight * use.load * demands[i].count;
      }
    }
    double step = std::numeric_limits<double>::infinity();
    for (std::size_t link = 0; link < capacity.size(); ++link) {
      if (rising[link] > 0) step = std::min(step, std::max(left[link], 0.0) / rising[link]);
    }
    if (step == std::numeric_limits<double>::infinity()) return rates;
    for (std::size_t i = 0; i < demands.size(); ++i) {
      if (!stopped[i]) rates[i] += step * demands[i].weight;
    }
    for (std::size_t i = 0; i < demands.size(); ++i) {
      stopped[i] = stopped[i] || std::ranges::any_of(demands[i].uses, [&](const Use& use) {
                     return left[use.link] - step * rising[use.link] <= 1e-12 * capacity[use.link];
                   });
    }
  }
}

TEST(MaxMin, IsWhatFillingStepByStepGives) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    RandomStream random(seed, 0);
    std::vector<double> capacity(1 + random.below(10));
    for (double& c : capacity) c = static_cast<double>(1 + random.below(50));
    std::vector<std::vector<Use>> uses(1 + random.below(30));
    std::vector<Demand> demands;
    for (std::vector<Use>& of : uses) {
      for (std::uint32_t link = 0; link < capacity.size(); ++link) {
        if (random.below(3) == 0)
          of.push_back({.link = link, .load = 0.5 * static_cast<double>(1 + random.below(2))});
      }
      if (of.empty()) of.push_back({.link = 0});
      demands.push_back({.uses = of,
                         .weight = static_cast<double>(1 + random.below(3)),
                         .count = static_cast<double>(1 + random.below(4))});
    }
    std::vector<double> rates;
    MaxMin().solve(capacity, demands, rates);
    const std::vector<double> expected = fill(capacity, demands);
    for (std::size_t i = 0; i < rates.size(); ++i)
      ASSERT_NEAR(rates[i], expected[i], 1e-9 * (1 + expected[i])) << "seed " << seed << " flow " << i;
  }
}

TEST(MaxMin, ACountIsAsManyFlows) {
  const std::vector<Use> one{{.link = 0}};
  const std::vector<double> capacity{12};
  std::vector<double> rates;
  MaxMin().solve(capacity, std::vector<Demand>{{.uses = one, .count = 3}, {.uses = one}}, rates);
  EXPECT_EQ(rates, (std::vector<double>{3, 3}));
}

TEST(MaxMin, TheSameProblemGivesTheSameBitsWhateverWasSolvedBefore) {
  const std::vector<Use> wide{{.link = 0}, {.link = 1}};
  const std::vector<Use> narrow{{.link = 1}};
  MaxMin used;
  std::vector<double> first;
  std::vector<double> again;
  used.solve(std::vector<double>{7, 3}, std::vector<Demand>{{.uses = wide}, {.uses = narrow}}, first);
  used.solve(std::vector<double>{1, 9, 4}, std::vector<Demand>{{.uses = narrow}}, again);
  used.solve(std::vector<double>{7, 3}, std::vector<Demand>{{.uses = wide}, {.uses = narrow}}, again);
  EXPECT_EQ(first, again);
}

}  // namespace
}  // namespace overture::network::flow
