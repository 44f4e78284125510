#include "overture/network/cost.h"

#include <gtest/gtest.h>

#include "overture/base/testing.h"

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

}  // namespace
}  // namespace overture::network
