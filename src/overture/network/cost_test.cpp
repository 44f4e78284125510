#include "overture/network/cost.h"

#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/network/empty_network.h"

namespace overture::network {
namespace {

using namespace literals;
using topology::DimensionKind;

// Every part shows as a digit of its own.
const Prices kDecimal{.rate = 100_Gbps,
                      .link = Dollars{1},
                      .tile_link = Dollars{1},
                      .nic = Dollars{10},
                      .switch_box = Dollars{1000},
                      .switch_ports = 10,
                      .rotor_port = Dollars{0.5},
                      .npu = Dollars{0}};

PacketNetworkConfig star(int hosts, Bandwidth rate) {
  return {.topology = {.shape = topology::StarConfig{.hosts = hosts, .wire = {.rate = rate}}}, .packets = {}};
}

TEST(Cost, OfDimensionsFollowsAstraSimsPriceList) {
  // 64 NPUs, 2 links of 32 GB/s each in a ring: 64 links at 64 $.
  AnalyticalConfig ring{
      .dimensions = {{.kind = DimensionKind::ring, .size = 64, .links = 2, .link_gib_per_s = 32}}};
  EXPECT_DOUBLE_EQ(cost_in_dollars(ring), 64 * 64);
  ring.dimensions[0].packaging = Packaging::tile;
  EXPECT_DOUBLE_EQ(cost_in_dollars(ring), 64 * 32);
}

TEST(Cost, OfAStarIsANicALinkAndAPortPerHost) {
  EXPECT_DOUBLE_EQ(cost_in_dollars(star(4, 100_Gbps), kDecimal), 4 * (10 + 1 + 100));
}

TEST(Cost, OfPartsIsInProportionToTheirRate) {
  EXPECT_DOUBLE_EQ(cost_in_dollars(star(4, 200_Gbps), kDecimal), 2 * 4 * (10 + 1 + 100));
}

TEST(Cost, OfMachinesWiredToEachOtherIsTheirLinks) {
  const PacketNetworkConfig torus{
      .topology = {.shape = topology::TorusConfig{.sizes = {4, 4}, .ring = {.rate = 100_Gbps}}},
      .packets = {}};
  EXPECT_DOUBLE_EQ(cost_in_dollars(NetworkConfig(torus), kDecimal), 32);
}

TEST(Cost, LeavesOutWhatIsInsideAMachine) {
  PacketNetworkConfig nodes = star(4, 100_Gbps);
  nodes.topology.nodes = topology::HierarchicalSwitchConfig{.gpus_per_node = 8, .nics_per_node = 2};
  EXPECT_DOUBLE_EQ(cost_in_dollars(NetworkConfig(nodes), kDecimal), 4 * (10 + 1 + 100));
}

TEST(Cost, OfRotorsHasAPortOfTheirsPerUplink) {
  const RotorNetworkConfig rotors{.topology = topology::OperaConfig{.tors = 8, .ports = 8}, .rotors = {}};
  const double hosts = 32 * (10 + 1 + 100);
  EXPECT_DOUBLE_EQ(cost_in_dollars(NetworkConfig(rotors), kDecimal), hosts + 32 * (1 + 100 + 0.5));
}

TEST(Cost, CountsNpusWhereTheyHaveAPrice) {
  Prices prices = kDecimal;
  prices.npu = Dollars{5};
  EXPECT_DOUBLE_EQ(cost_in_dollars(NetworkConfig(star(4, 100_Gbps)), prices), 4 * (10 + 1 + 100 + 5));
}

TEST(Prices, NeedARateAndPorts) {
  Prices prices;
  prices.rate = {};
  EXPECT_NE(user_error([&] { require_sound(prices); }), "");
  prices = {};
  prices.switch_ports = 0;
  EXPECT_NE(user_error([&] { require_sound(prices); }), "");
}

// k = 4: 16 hosts, 48 cables, of which 16 end at a NIC; 80 ports of switches.
TEST(Cost, OfAFatTreeIsCountedByItsPorts) {
  const PacketNetworkConfig tree{.topology = {.shape = topology::FatTreeConfig{.k = 4}}, .packets = {}};
  EXPECT_DOUBLE_EQ(cost_in_dollars(NetworkConfig(tree), kDecimal), 48 * 1 + 16 * 10 + 80 * 100);
}

TEST(Cost, AThinnedTreeIsCheaperByWhatWasTakenFromIt) {
  PacketNetworkConfig spines{
      .topology = {.shape = topology::LeafSpineConfig{.leaves = 2, .hosts_per_leaf = 2, .spines = 2}},
      .packets = {}};
  const double full = cost_in_dollars(NetworkConfig(spines), kDecimal);
  spines.topology.oversubscription = 2;
  // Four cables to the spines at half the rate: half of a link and of two ports each.
  EXPECT_DOUBLE_EQ(full - cost_in_dollars(NetworkConfig(spines), kDecimal), 4 * 0.5 * (1 + 2 * 100));
}

TEST(Cost, TheSameGraphCostsTheSameOnEveryBackend) {
  const topology::GraphConfig tree{.shape = topology::FatTreeConfig{.k = 4}};
  EXPECT_DOUBLE_EQ(
      cost_in_dollars(NetworkConfig(PacketNetworkConfig{.topology = tree, .packets = {}}), kDecimal),
      cost_in_dollars(NetworkConfig(FlowNetworkConfig{.topology = tree}), kDecimal));
}

TEST(Cost, OfAFullMeshIsALinkPerPairAndOfASwitchTheSwitchesThatItNeeds) {
  AnalyticalConfig mesh{
      .dimensions = {{.kind = DimensionKind::fully_connected, .size = 8, .links = 7, .link_gib_per_s = 50}}};
  EXPECT_DOUBLE_EQ(cost_in_dollars(mesh), 28 * 100);
  AnalyticalConfig sw{
      .dimensions = {{.kind = DimensionKind::switched, .size = 41, .links = 1, .link_gib_per_s = 50}}};
  EXPECT_DOUBLE_EQ(cost_in_dollars(sw), 41 * 100 + 2 * 23'698.0) << "forty ports a switch";
}

TEST(Cost, PartsAddUpInDollarsAndWatts) {
  const std::vector<NetworkConfig> networks{
      star(4, 100_Gbps),
      PacketNetworkConfig{.topology = {.shape = topology::FatTreeConfig{.k = 4}}, .packets = {}},
      RotorNetworkConfig{.topology = topology::OperaConfig{.tors = 8, .ports = 8}, .rotors = {}},
      AnalyticalConfig{
          .dimensions = {{.kind = DimensionKind::ring, .size = 64, .links = 2, .link_gib_per_s = 32}}}};
  Prices prices;
  prices.npu = Dollars{1'000};
  prices.npu_watts = 400;
  for (const NetworkConfig& network : networks) {
    double dollars = 0;
    double watts = 0;
    for (const CostPart& part : cost_parts(network, prices)) {
      EXPECT_TRUE(part.dollars > 0 || part.watts > 0) << part.part << " is not there";
      dollars += part.dollars;
      watts += part.watts;
    }
    EXPECT_NEAR(dollars, cost_in_dollars(network, prices), 1e-6 * dollars);
    EXPECT_NEAR(watts, power_in_watts(network, prices), 1e-6 * watts);
  }
}

// ---- the network to oneself

const std::vector<FlowSpec> kFlows{
    {Rank{0}, Rank{1}, Bytes{12'500}}, {Rank{2}, Rank{2}, Bytes{12'500}}, {Rank{0}, Rank{3}, Bytes{0}}};

// 12,500 bytes at 100 Gbps take a microsecond.
TEST(EmptyNetwork, AFlowTakesItsWiresAndItsBytesAtTheSlowestLink) {
  EXPECT_EQ(empty_network_times(star(4, 100_Gbps), kFlows),
            (std::vector<Duration>{1us, Duration{}, Duration{}}))
      << "star() leaves out the delay";
  const PacketNetworkConfig thin{
      .topology = {.shape = topology::LeafSpineConfig{.leaves = 4, .hosts_per_leaf = 1, .spines = 1},
                   .oversubscription = 2},
      .packets = {}};
  EXPECT_EQ(empty_network_times(thin, kFlows),
            (std::vector<Duration>{4 * 500ns + 2us, Duration{}, 4 * 500ns}));
}

TEST(EmptyNetwork, OnRotorsACircuitIsThereAtOnce) {
  RotorNetworkConfig rotors{.topology = topology::OperaConfig{.tors = 4, .ports = 8}, .rotors = {}};
  rotors.rotors.rate = 50_Gbps;
  EXPECT_EQ(empty_network_times(rotors, kFlows), (std::vector<Duration>{500ns + 2us, Duration{}, 500ns}));
}

TEST(EmptyNetwork, WithoutLinksThereIsNothingToTell) {
  const AnalyticalConfig ring{.dimensions = {{.kind = DimensionKind::ring, .size = 8, .links = 2}}};
  EXPECT_TRUE(empty_network_times(ring, kFlows).empty());
}

TEST(EmptyNetwork, NoBackendIsFaster) {
  const topology::GraphConfig tree{.shape = topology::FatTreeConfig{.k = 4}};
  std::vector<FlowSpec> flows;
  for (int i = 0; i < 16; ++i) flows.push_back({Rank{i}, Rank{(i * 5 + 3) % 16}, Bytes{1'000 * (i + 1)}});
  for (const NetworkConfig& network : {NetworkConfig(PacketNetworkConfig{.topology = tree, .packets = {}}),
                                       NetworkConfig(FlowNetworkConfig{.topology = tree})}) {
    const std::vector<Duration> least = empty_network_times(network, flows);
    sim::EventQueue events;
    const auto played = play_flows(*make_network(network, events), events, flows);
    for (std::size_t i = 0; i < flows.size(); ++i)
      EXPECT_GE(*played.completion[i] + Duration{1}, least[i]) << i;
  }
}

}  // namespace
}  // namespace overture::network
