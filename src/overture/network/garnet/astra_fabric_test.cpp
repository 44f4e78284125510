// What ASTRA-sim's Garnet wires: which channels a packet takes on rings and over switches, and that every
// port has its channel.
#include "overture/network/garnet/astra_fabric.h"

#include <map>

#include <gtest/gtest.h>

#include "overture/network/garnet/testing.h"

namespace overture::network::garnet {
namespace {

GarnetConfig torus(int local, int horizontal, int vertical) {
  GarnetConfig config = ring_of(local);
  config.size = {local, horizontal, vertical};
  config.local_rings = 2;
  config.buffers.assign(static_cast<std::size_t>(config.vnets()), 8);
  return config;
}

GarnetConfig switched(int local, int packages, int switches) {
  GarnetConfig config = ring_of(local);
  config.size = {local, packages, 1};
  config.wiring = Wiring::switches;
  config.switches = switches;
  config.buffers.assign(static_cast<std::size_t>(config.vnets()), 8);
  return config;
}

const Channel& channel(AstraFabric& fabric, int number) {
  return fabric.channels()[static_cast<std::size_t>(number)];
}

// The routers that a packet passes, until it leaves for a rank, which stands at the end.
std::vector<int> routers_of(AstraFabric& fabric, int from, int to, int vnet) {
  std::vector<int> passed;
  int at = fabric.injection(from, vnet);
  EXPECT_TRUE(channel(fabric, at).from_rank);
  EXPECT_EQ(channel(fabric, at).from, from);
  while (!channel(fabric, at).to_rank) {
    passed.push_back(channel(fabric, at).to);
    const Hop hop = fabric.next(channel(fabric, at), 0, to, vnet);
    EXPECT_EQ(hop.vnet, vnet) << "a packet stays on its vnet";
    at = hop.channel;
    EXPECT_LE(passed.size(), 100U);
  }
  passed.push_back(channel(fabric, at).to);
  return passed;
}

TEST(AstraFabric, OnARingAPacketGoesFromRankToRankUntilItIsThere) {
  const GarnetConfig config = torus(3, 2, 2);
  AstraFabric fabric(config);
  for (int vnet = 0; vnet < config.vnets(); ++vnet) {
    for (int from = 0; from < config.ranks(); ++from) {
      std::vector<int> expected{from};
      for (int to = next_rank(config, from, vnet); to != from; to = next_rank(config, to, vnet)) {
        expected.push_back(to);
        std::vector<int> all = expected;
        all.push_back(to);  // into the rank itself
        EXPECT_EQ(routers_of(fabric, from, to, vnet), all) << "vnet " << vnet;
      }
    }
  }
}

TEST(AstraFabric, BehindSwitchesARankIsTwoHopsAway) {
  const GarnetConfig config = switched(2, 3, 1);
  AstraFabric fabric(config);
  const int vnet = vnets_of(config, 1).first;
  for (int from = 0; from < config.ranks(); ++from) {
    for (int to = 0; to < config.ranks(); ++to) {
      if (from == to) continue;
      EXPECT_EQ(routers_of(fabric, from, to, vnet), (std::vector{from, config.ranks(), to, to}));
    }
  }
}

TEST(AstraFabric, PacketsTakeTheSwitchesInTurn) {
  const GarnetConfig config = switched(1, 4, 3);
  AstraFabric fabric(config);
  const int vnet = vnets_of(config, 1).first;
  std::vector<int> taken;
  for (int packet = 0; packet < 7; ++packet)
    taken.push_back(routers_of(fabric, 0, 3, vnet)[1] - config.ranks());
  EXPECT_EQ(taken, (std::vector{0, 1, 2, 0, 1, 2, 0}));
  EXPECT_EQ(routers_of(fabric, 1, 3, vnet)[1] - config.ranks(), 0) << "every rank takes turns of its own";
}

TEST(AstraFabric, EveryChannelIsAPortOnceAtEitherEnd) {
  for (const GarnetConfig& config : {torus(3, 2, 2), torus(1, 4, 1), switched(2, 3, 2)}) {
    AstraFabric fabric(config);
    std::map<int, int> in;
    std::map<int, int> out;
    for (std::size_t r = 0; r < fabric.routers().size(); ++r) {
      const Router& router = fabric.routers()[r];
      for (std::size_t port = 0; port < router.in.size(); ++port) {
        if (router.in[port] == kNone) continue;
        ++in[router.in[port]];
        EXPECT_EQ(channel(fabric, router.in[port]).to, static_cast<int>(r));
        EXPECT_EQ(channel(fabric, router.in[port]).in_port, static_cast<int>(port));
      }
      for (std::size_t port = 0; port < router.out.size(); ++port) {
        if (router.out[port] == kNone) continue;
        ++out[router.out[port]];
        EXPECT_EQ(channel(fabric, router.out[port]).from, static_cast<int>(r));
        EXPECT_EQ(channel(fabric, router.out[port]).out_port, static_cast<int>(port));
      }
    }
    for (int c = 0; c < static_cast<int>(fabric.channels().size()); ++c) {
      EXPECT_EQ(in[c], channel(fabric, c).to_rank ? 0 : 1) << "channel " << c;
      EXPECT_EQ(out[c], channel(fabric, c).from_rank ? 0 : 1) << "channel " << c;
    }
  }
}

TEST(AstraFabric, ADimensionOfOneRankHasNoRings) {
  const GarnetConfig config = torus(4, 1, 1);
  AstraFabric fabric(config);
  int between = 0;
  for (const Channel& c : fabric.channels()) between += c.from_rank || c.to_rank ? 0 : 1;
  EXPECT_EQ(between, 4 * 2) << "two local rings of four";
}

TEST(AstraFabric, ChannelsHaveTheBuffersAndWiresOfTheirVnets) {
  GarnetConfig config = torus(2, 2, 1);
  config.package.width = 128;  // four parts of a flit
  for (std::size_t v = 0; v < config.buffers.size(); ++v) config.buffers[v] = static_cast<int>(v) + 1;
  AstraFabric fabric(config);
  for (const Channel& c : fabric.channels()) {
    const int vnet = c.first_vc / config.vcs;
    EXPECT_EQ(c.credits, std::vector<std::int32_t>(static_cast<std::size_t>(config.vcs), vnet + 1));
    if (c.from_rank || c.to_rank) {
      EXPECT_EQ(c.wire.parts, 1) << "a rank's own links are as wide as a flit";
      continue;
    }
    const bool local = vnet < 2;
    EXPECT_EQ(c.wire.parts, local ? 1 : 4);
    EXPECT_EQ(c.wire.latency, local ? 10 : 20);
  }
}

}  // namespace
}  // namespace overture::network::garnet
