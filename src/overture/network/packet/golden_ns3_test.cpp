// The flow completion times that ns-3.37 gave (tests/golden/ns3), within the tolerances that its README
// states.
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
#include "overture/topology/star.h"

namespace overture::network::packet {
namespace {

using namespace literals;

constexpr auto kGolden = OVERTURE_GOLDEN "/ns3/";

std::vector<std::vector<double>> read_csv(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::vector<std::vector<double>> rows;
  std::string line;
  std::getline(file, line);  // the header
  while (std::getline(file, line)) {
    auto& row = rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::stod(cell));
  }
  return rows;
}

Rank rank(double number) { return Rank{static_cast<std::int32_t>(number)}; }

struct Scenario {
  std::vector<FlowSpec> flows;
  std::map<std::pair<Rank, Rank>, double> reference_ns;  // one flow a pair
};

Scenario read_scenario(const std::string& name) {
  Scenario scenario;
  for (const auto& row : read_csv(kGolden + name + "/flows.csv")) {
    scenario.flows.push_back({.from = rank(row[0]),
                              .to = rank(row[1]),
                              .size = Bytes{static_cast<std::int64_t>(row[2])},
                              .start = Time{Duration{std::llround(row[3] * 1000)}}});
  }
  for (const auto& row : read_csv(kGolden + name + "/fct.csv")) {
    scenario.reference_ns[{rank(row[0]), rank(row[1])}] = row[4];
  }
  return scenario;
}

struct Comparison {
  std::vector<double> errors;  // per flow, relative, sorted
  double mean_us = 0;
  double reference_mean_us = 0;

  double worst() const { return errors.back(); }
  double at(double share) const {
    return errors[static_cast<std::size_t>(share * static_cast<double>(errors.size()))];
  }
};

Comparison compare(const Scenario& scenario, const RunResult& result) {
  Comparison comparison;
  const auto count = static_cast<double>(scenario.flows.size());
  for (std::size_t i = 0; i < scenario.flows.size(); ++i) {
    const double ours = to_ns(result.completion[i].value());
    const double reference = scenario.reference_ns.at({scenario.flows[i].from, scenario.flows[i].to});
    comparison.errors.push_back(std::abs(ours / reference - 1));
    comparison.mean_us += ours / count / 1000;
    comparison.reference_mean_us += reference / count / 1000;
  }
  std::ranges::sort(comparison.errors);
  return comparison;
}

void print(const char* name, const Comparison& comparison, const RunResult& result) {
  std::printf(
      "%s: makespan %.3f us, mean %.3f us (ns-3 %.3f), per flow p95 %.4f %% worst %.4f %%, %llu drops\n",
      name, to_us(result.makespan), comparison.mean_us, comparison.reference_mean_us,
      100 * comparison.at(0.95), 100 * comparison.worst(),
      static_cast<unsigned long long>(result.statistics.drops));
}

TEST(GoldenNs3, EveryPointOfASingleFlow) {
  double worst = 0;
  for (const auto& row : read_csv(std::string(kGolden) + "single_flow.csv")) {
    const auto whole = [&](int column) {
      return static_cast<std::int64_t>(row[static_cast<std::size_t>(column)]);
    };
    const topology::Wire wire{.rate = 1_Gbps * whole(0), .delay = Nanoseconds{whole(1)}};
    PacketConfig config;
    config.tcp.receive_window = Bytes{whole(2)};
    config.tcp.segment = Bytes{whole(3)};
    const auto result = run_flows(topology::star({.hosts = 2, .wire = wire}), config,
                                  {{.from = Rank{0}, .to = Rank{1}, .size = Bytes{whole(4)}}});
    const double error = std::abs(to_ns(result.completion[0].value()) / row[5] - 1);
    EXPECT_LT(error, 0.001) << row[0] << " Gb/s, " << row[1] << " ns, window " << row[2] << ", segment "
                            << row[3] << ", " << row[4] << " B: " << to_ns(result.completion[0].value())
                            << " ns, not " << row[5];
    worst = std::max(worst, error);
  }
  std::printf("single_flow: worst %.6f %%\n", 100 * worst);
}

TEST(GoldenNs3, S1StarAllToAllWithStartOffsets) {
  const Scenario scenario = read_scenario("S1-star16-a2a-256k-blast");
  PacketConfig config;
  config.tcp.initial_window = 363;
  const auto result = run_flows(topology::star({.hosts = 16}), config, scenario.flows);
  const Comparison comparison = compare(scenario, result);
  print("S1", comparison, result);
  EXPECT_LT(comparison.worst(), 0.005);
  EXPECT_EQ(result.statistics.drops, 0);
}

TEST(GoldenNs3, S2StarAllToAllSynchronised) {
  const Scenario scenario = read_scenario("S2-star64-a2a-32k-iw10");
  const auto result = run_flows(topology::star({.hosts = 64}), {}, scenario.flows);
  const Comparison comparison = compare(scenario, result);
  print("S2", comparison, result);
  EXPECT_LT(comparison.worst(), 0.005);
  EXPECT_EQ(result.statistics.drops, 0);
}

TEST(GoldenNs3, S3IncastWithLoss) {
  const Scenario scenario = read_scenario("S3-star33-incast-256k-1MBport");
  PacketConfig config;
  config.queue.port_limit = 1_MiB;
  const auto result = run_flows(topology::star({.hosts = 33}), config, scenario.flows);
  const Comparison comparison = compare(scenario, result);
  print("S3", comparison, result);
  EXPECT_NEAR(comparison.mean_us, comparison.reference_mean_us, 0.1 * comparison.reference_mean_us);
  EXPECT_NEAR(static_cast<double>(result.statistics.drops), 742, 0.2 * 742);
  EXPECT_GT(to_us(result.makespan), 650);
  EXPECT_LT(to_us(result.makespan), 1400);
}

TEST(GoldenNs3, S4FatTreeAllToAllByDestination) {
  const Scenario scenario = read_scenario("S4-fattree4-a2a-256k-dmodk");
  const auto result = run_flows(topology::fat_tree({.k = 4}), {}, scenario.flows);
  const Comparison comparison = compare(scenario, result);
  print("S4", comparison, result);
  EXPECT_NEAR(to_us(result.makespan), 422.207, 0.02 * 422.207);
  EXPECT_NEAR(comparison.mean_us, comparison.reference_mean_us, 0.02 * comparison.reference_mean_us);
  EXPECT_LT(comparison.at(0.95), 0.05);
}

}  // namespace
}  // namespace overture::network::packet
