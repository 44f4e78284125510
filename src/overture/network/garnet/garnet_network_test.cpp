#include "overture/network/garnet/garnet_network.h"

#include <gtest/gtest.h>

#include "overture/network/garnet/testing.h"

namespace overture::network::garnet {
namespace {

std::int64_t time_of(const GarnetConfig& config, const Message& message) {
  sim::EventQueue events;
  GarnetNetwork network(config, events);
  Traffic traffic(network, events);
  traffic.send_at(5, message);
  return traffic.run()[0] - 5;
}

TEST(GarnetNetwork, AMessageAloneTakesTheClosedForm) {
  for (const int hops : {1, 2, 3}) {
    for (const int latency : {1, 2, 3}) {
      GarnetConfig config = ring_of(4);
      config.router_latency = latency;
      const int flits = 3 * 4;  // 600 bytes are three packets, and the last is as large as the others
      EXPECT_EQ(time_of(config, message(0, hops, 600)),
                2 + 2 * 10 + hops * (10 + 1) + (hops + 1) * (latency - 1) + flits - 1)
          << hops << " hops, latency " << latency;
      config.local.width = 128;  // four parts of every flit
      EXPECT_EQ(time_of(config, message(0, hops, 600)),
                2 + 2 * 10 + hops * (10 + 4 + 4) + (hops + 1) * (latency - 1) + (flits - 1) * 4)
          << hops << " hops in parts, latency " << latency;
    }
  }
}

TEST(GarnetNetwork, ARingHasOneDirection) {
  EXPECT_EQ(time_of(ring_of(4), message(1, 0, 64)), 2 + 2 * 10 + 3 * 11 + 3);
}

TEST(GarnetNetwork, EveryVnetIsARingOfItsOwn) {
  GarnetConfig config = ring_of(1);
  config.size = {1, 4, 1};
  config.horizontal_rings = 1;
  const int east = 1;
  const int west = 2;
  const std::int64_t one_hop = 2 + 2 * 10 + 21 + 3;
  EXPECT_EQ(time_of(config, message(0, 1, 64, east)), one_hop);
  EXPECT_EQ(time_of(config, message(0, 1, 64, west)), one_hop + 2 * 21);
}

TEST(GarnetNetwork, MessagesOfOneLaneFollowEachOther) {
  sim::EventQueue events;
  GarnetNetwork network(ring_of(4), events);
  Traffic traffic(network, events);
  traffic.send_at(0, message(0, 1, 256));
  traffic.send_at(0, message(0, 1, 256));
  const auto arrivals = traffic.run();
  EXPECT_EQ(arrivals[0], 2 + 20 + 11 + 3);
  EXPECT_EQ(arrivals[1], arrivals[0] + 4) << "a flit in each cycle";
}

TEST(GarnetNetwork, FewBuffersLimitWhatIsOnTheWay) {
  GarnetConfig config = ring_of(2);
  config.buffers.assign(config.buffers.size(), 1);
  // One flit per round trip of the slowest hop: link 10, a cycle to forward, credit 10, each a cycle to take
  // up.
  EXPECT_GT(time_of(config, message(0, 1, 256)), time_of(ring_of(2), message(0, 1, 256)) + 3 * 20);
}

TEST(GarnetNetwork, PacketsAreSprayedOverSwitches) {
  GarnetConfig config = ring_of(1);
  config.wiring = Wiring::switches;
  config.size = {1, 4, 1};
  config.local_rings = 1;
  config.switches = 2;
  config.package.width = 64;  // eight parts of every flit
  config.buffers.assign(static_cast<std::size_t>(config.vnets()), 8);
  const std::int64_t one = time_of(config, message(0, 3, 256, 1));
  EXPECT_EQ(one, 2 + 20 + 2 * (20 + 8 + 4) + 3 * 8);
  EXPECT_EQ(time_of(config, message(0, 3, 512, 1)), one + 4) << "the second packet has links of its own";
}

TEST(GarnetNetwork, CountsWhatItCarries) {
  sim::EventQueue events;
  GarnetConfig config = ring_of(4);
  config.local.width = 128;
  GarnetNetwork network(config, events);
  Traffic traffic(network, events);
  traffic.send_at(0, message(0, 2, 512));
  traffic.run();
  const GarnetStatistics& statistics = network.statistics();
  EXPECT_EQ(statistics.packets, 2);
  EXPECT_EQ(statistics.flits, 8);
  EXPECT_EQ(statistics.hops, 16);
  EXPECT_EQ(statistics.parts, 64);
  EXPECT_EQ(network.under_way(), 0U);
}

// Two packets of four flits of 64 bytes over two hops; and watching changes nothing.
TEST(GarnetNetwork, WatchedLinksCarryEveryFlit) {
  for (const bool original : {false, true}) {
    sim::EventQueue events;
    GarnetConfig config = ring_of(4);
    config.local.width = 128;
    config.original_order = original;
    GarnetNetwork network(config, events);
    network.watch({});
    Traffic traffic(network, events);
    traffic.send_at(0, message(0, 2, 512));
    EXPECT_EQ(traffic.run().front(), time_of(config, message(0, 2, 512)));
    const NetworkRecord record = network.record();
    std::int64_t bytes = 0;
    int used = 0;
    for (const NetworkRecord::Link& link : record.links) {
      bytes += link.total.carried.count();
      used += link.total.carried.count() > 0 ? 1 : 0;
    }
    EXPECT_EQ(bytes, 2 * 512);
    EXPECT_EQ(used, 2);
    EXPECT_EQ(record.links.front().rate, Bandwidth::bits_per_second(128'000'000'000));
    EXPECT_EQ(record.count("flits"), 8U);
    EXPECT_EQ(record.delivered, Bytes{512});
  }
}

TEST(GarnetNetwork, ADeadlockLeavesMessagesUnderWay) {
  GarnetConfig config = ring_of(4);
  config.vcs = 1;
  sim::EventQueue events;
  GarnetNetwork network(config, events);
  Traffic traffic(network, events);
  for (int rank = 0; rank < 4; ++rank) traffic.send_at(0, message(rank, (rank + 3) % 4, 4096));
  traffic.run();
  EXPECT_GT(network.under_way(), 0U) << "each waits for the next one's virtual channel, round the ring";
}

}  // namespace
}  // namespace overture::network::garnet
