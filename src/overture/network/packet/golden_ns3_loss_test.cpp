// What ns-3.37 gave where packets are lost, where messages share a connection, and where round trips are long
// (tests/golden/ns3-loss), within the tolerances that its README states. A lost packet changes all that
// follows, so those cases are judged by their means over all draws.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "overture/network/packet/run_flows.h"
#include "overture/topology/fat_tree.h"
#include "overture/topology/leaf_spine.h"
#include "overture/topology/star.h"

namespace overture::network::packet {
namespace {

using namespace literals;

struct LossDraw {
  std::vector<FlowSpec> flows;
  std::vector<double> reference_ns;
  double drops = 0;
  std::string setup;
};

std::vector<std::string> rows_of(const std::string& name) {
  std::ifstream file(std::string(OVERTURE_GOLDEN) + "/ns3-loss/" + name);
  EXPECT_TRUE(file) << name;
  std::vector<std::string> rows;
  std::string line;
  std::getline(file, line);  // the header
  while (std::getline(file, line)) rows.push_back(line);
  return rows;
}

std::map<int, LossDraw> read_draws(const std::string& name) {
  std::map<int, LossDraw> draws;
  for (const std::string& row : rows_of(name + ".setups.csv")) {
    const std::size_t drops = row.find(',') + 1;
    const std::size_t setup = row.find(',', drops) + 1;
    LossDraw& draw = draws[std::stoi(row)];
    draw.drops = std::stod(row.substr(drops));
    draw.setup = row.substr(setup);
  }
  for (const std::string& row : rows_of(name + ".csv")) {
    std::istringstream cells(row);
    std::vector<double> numbers;
    for (std::string cell; std::getline(cells, cell, ',');) numbers.push_back(std::stod(cell));
    LossDraw& draw = draws.at(static_cast<int>(numbers[0]));
    draw.flows.push_back({.from = Rank{static_cast<std::int32_t>(numbers[1])},
                          .to = Rank{static_cast<std::int32_t>(numbers[2])},
                          .size = Bytes{static_cast<std::int64_t>(numbers[3])},
                          .start = Time{Duration{std::llround(numbers[4] * 1000)}}});
    draw.reference_ns.push_back(numbers[5]);
  }
  return draws;
}

struct LossComparison {
  double ours_ns = 0;  // added up over all flows of all draws
  double reference_ns = 0;
  double drops = 0;
  double reference_drops = 0;
  double timeouts = 0;
  std::vector<double> errors;  // per flow, relative, sorted

  double p95() const { return errors[errors.size() * 95 / 100]; }
};

// `topology_of` makes the network of a draw.
template <class TopologyOf>
LossComparison compare_draws(const std::string& name, const PacketConfig& config, TopologyOf topology_of) {
  LossComparison all;
  for (const auto& [number, draw] : read_draws(name)) {
    const PacketRun result = run_flows(topology_of(draw), config, draw.flows);
    for (std::size_t i = 0; i < draw.flows.size(); ++i) {
      const double ours = to_ns(result.completion[i].value());
      all.ours_ns += ours;
      all.reference_ns += draw.reference_ns[i];
      all.errors.push_back(std::abs(ours / draw.reference_ns[i] - 1));
    }
    all.drops += static_cast<double>(result.statistics.drops);
    all.timeouts += static_cast<double>(result.statistics.timeouts);
    all.reference_drops += draw.drops;
  }
  std::ranges::sort(all.errors);
  std::printf(
      "%s: mean %+.2f %%, drops %.0f (ns-3 %.0f), timeouts %.0f, per flow median %.4f %% p95 %.4f %%\n",
      name.c_str(), 100 * (all.ours_ns / all.reference_ns - 1), all.drops, all.reference_drops, all.timeouts,
      100 * all.errors[all.errors.size() / 2], 100 * all.p95());
  return all;
}

void expect_means(const LossComparison& all) {
  EXPECT_NEAR(all.ours_ns, all.reference_ns, 0.05 * all.reference_ns);
  EXPECT_NEAR(all.drops, all.reference_drops, 0.1 * all.reference_drops);
}

TEST(GoldenNs3Loss, EightSendersOfWhichAPortLosesPackets) {
  PacketConfig config;
  config.queue.port_limit = Bytes{150'000};
  expect_means(compare_draws("eight-senders-100g", config,
                             [](const LossDraw&) { return topology::star({.hosts = 9}); }));
}

TEST(GoldenNs3Loss, TwoLongFlowsOverASlowPort) {
  PacketConfig config;
  config.queue.port_limit = Bytes{40'000};
  config.of<TcpConfig>().min_rto = 10ms;
  expect_means(compare_draws("two-senders-1g", config, [](const LossDraw&) {
    return topology::star({.hosts = 3, .wire = {.rate = 1_Gbps, .delay = 400us}});
  }));
}

TEST(GoldenNs3Loss, RandomFlowsOverAThinSpine) {
  PacketConfig config;
  config.queue.port_limit = Bytes{60'000};
  expect_means(compare_draws("leaf-spine-40g", config, [](const LossDraw&) {
    return topology::leaf_spine({.leaves = 3,
                                 .hosts_per_leaf = 5,
                                 .spines = 2,
                                 .host = {.rate = 100_Gbps, .delay = 700ns, .tier = 0},
                                 .spine = {.rate = 40_Gbps, .delay = 2us, .tier = 1}});
  }));
}

TEST(GoldenNs3Loss, RandomFlowsOfJumboFramesOnAFatTree) {
  PacketConfig config;
  config.of<TcpConfig>().segment = Bytes{8960};
  config.queue.port_limit = Bytes{100'000};
  expect_means(
      compare_draws("jumbo-fat-tree", config, [](const LossDraw&) { return topology::fat_tree({.k = 4}); }));
}

TEST(GoldenNs3Loss, ManyMessagesOnOneConnection) {
  const auto slow = compare_draws("stream-star-25g", {}, [](const LossDraw&) {
    return topology::star({.hosts = 10, .wire = {.rate = 25_Gbps, .delay = 3us}});
  });
  const auto fast =
      compare_draws("stream-star-100g", {}, [](const LossDraw&) { return topology::star({.hosts = 5}); });
  EXPECT_LT(slow.p95(), 0.005);
  EXPECT_LT(fast.p95(), 0.005);
}

TEST(GoldenNs3Loss, ARoundTripLongerThanTheMinimumRto) {
  const auto all = compare_draws("long-rtt-1g", {}, [](const LossDraw& draw) {
    const std::size_t delay = draw.setup.find("delay: ");
    EXPECT_NE(delay, std::string::npos);
    const Duration microseconds = std::chrono::microseconds(std::stoi(draw.setup.substr(delay + 7)));
    return topology::star({.hosts = 4, .wire = {.rate = 1_Gbps, .delay = microseconds}});
  });
  EXPECT_LT(all.p95(), 0.005);
  EXPECT_EQ(all.timeouts, 0);
}

}  // namespace
}  // namespace overture::network::packet
