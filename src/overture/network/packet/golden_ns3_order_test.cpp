// Runs in which the order of simultaneous events decides who loses packets (tests/golden/ns3-order): every
// flow is as in ns-3.37, and as many packets are dropped.
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "overture/network/packet/run_flows.h"
#include "overture/topology/fat_tree.h"
#include "overture/topology/leaf_spine.h"
#include "overture/topology/star.h"

namespace overture::network::packet {
namespace {

using namespace literals;
using topology::Topology;

struct Ns3Run {
  std::vector<FlowSpec> flows;
  std::vector<double> completion_ns;
};

Ns3Run read_run(const std::string& name) {
  std::ifstream file(OVERTURE_GOLDEN "/ns3-order/" + name + ".csv");
  EXPECT_TRUE(file) << name;
  Ns3Run run;
  std::string line;
  std::getline(file, line);  // the header
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::vector<double> numbers;
    for (std::string cell; std::getline(cells, cell, ',');) numbers.push_back(std::stod(cell));
    run.flows.push_back({.from = Rank{static_cast<std::int32_t>(numbers[0])},
                         .to = Rank{static_cast<std::int32_t>(numbers[1])},
                         .size = Bytes{static_cast<std::int64_t>(numbers[2])},
                         .start = Time{Duration{std::llround(numbers[3] * 1000)}}});
    run.completion_ns.push_back(numbers[4]);
  }
  EXPECT_FALSE(run.flows.empty()) << name;
  return run;
}

void expect_all_flows(const std::string& name, const Topology& topology, const PacketConfig& config,
                      std::uint64_t drops) {
  const Ns3Run reference = read_run(name);
  const PacketRun run = run_flows(topology, config, reference.flows);
  EXPECT_EQ(run.statistics.drops, drops) << name;
  for (std::size_t i = 0; i < reference.flows.size(); ++i)
    EXPECT_NEAR(to_ns(run.completion[i].value()), reference.completion_ns[i], 0.002) << name << " " << i;
}

Topology star(int hosts, Bandwidth rate, Duration delay) {
  return topology::star({.hosts = hosts, .wire = {.rate = rate, .delay = delay}});
}

Topology fat_tree(Duration delay, Duration core) {
  return topology::fat_tree({.k = 4,
                             .host = {.rate = 10_Gbps, .delay = delay, .tier = 0},
                             .aggregation = {.rate = 10_Gbps, .delay = delay, .tier = 1},
                             .core = {.rate = 10_Gbps, .delay = core, .tier = 2}});
}

TEST(GoldenNs3Order, PortsThatHoldFivePackets) {
  PacketConfig config;
  config.queue.port_limit = Bytes{7'467};
  config.of<TcpConfig>().min_rto = 10ms;
  expect_all_flows("tiny-buffers-40g", star(4, 40_Gbps, 500ns), config, 154);
  expect_all_flows("tiny-buffers-100g", star(4, 100_Gbps, 3us), config, 364);
}

TEST(GoldenNs3Order, WiresOfSeveralRates) {
  PacketConfig config;
  config.queue.port_limit = Bytes{15'630};
  config.of<TcpConfig>().receive_window = 16_MiB;
  config.of<TcpConfig>().segment = Bytes{1000};
  config.of<TcpConfig>().initial_window = 4;
  expect_all_flows("mixed-rates",
                   topology::leaf_spine({.leaves = 2,
                                         .hosts_per_leaf = 3,
                                         .spines = 1,
                                         .host = {.rate = 25_Gbps, .delay = 700ns, .tier = 0},
                                         .spine = {.rate = 10_Gbps, .delay = 50us, .tier = 1}}),
                   config, 560);
}

TEST(GoldenNs3Order, LongRoundTrips) {
  PacketConfig config;
  config.queue.port_limit = Bytes{22'350};
  config.of<TcpConfig>().receive_window = 16_MiB;
  config.of<TcpConfig>().min_rto = 5ms;
  config.of<TcpConfig>().initial_window = 4;
  expect_all_flows("long-rtt-1g", star(6, 1_Gbps, 400us), config, 467);
}

TEST(GoldenNs3Order, FatTrees) {
  PacketConfig config;
  config.queue.port_limit = Bytes{44'700};
  config.of<TcpConfig>().min_rto = 5ms;
  config.of<TcpConfig>().initial_window = 4;
  expect_all_flows("fat-tree-at-once", fat_tree(1us, 1us), config, 151);
  config.queue.port_limit = Bytes{11'920};
  config.of<TcpConfig>().min_rto = 300us;
  config.of<TcpConfig>().initial_window = 2;
  expect_all_flows("fat-tree-10g", fat_tree(700ns, 1700ns), config, 785);
}

TEST(GoldenNs3Order, WindowsBelow65535Bytes) {
  PacketConfig config;
  config.queue.port_limit = Bytes{5'960};
  config.of<TcpConfig>().receive_window = Bytes{5'792};
  config.of<TcpConfig>().min_rto = 5ms;
  config.of<TcpConfig>().initial_window = 4;
  expect_all_flows("small-window", star(3, 25_Gbps, 1us), config, 0);
}

}  // namespace
}  // namespace overture::network::packet
