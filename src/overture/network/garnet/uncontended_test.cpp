#include "overture/network/garnet/uncontended.h"

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/network/garnet/garnet_network.h"
#include "overture/network/garnet/testing.h"

namespace overture::network::garnet {
namespace {

struct Sent {
  std::int64_t cycle;
  Message what;
};

template <class T>
std::vector<std::int64_t> arrivals(const GarnetConfig& config, const std::vector<Sent>& sent) {
  sim::EventQueue events;
  T network(config, events);
  Traffic traffic(network, events);
  for (const Sent& one : sent) traffic.send_at(one.cycle, one.what);
  return traffic.run();
}

GarnetConfig draw_config(RandomStream& random) {
  GarnetConfig config = ring_of(2 + static_cast<int>(random.below(3)));
  config.size[1] = 1 + static_cast<int>(random.below(3));
  config.local.width = 512 >> random.below(4);
  config.package.width = 512 >> random.below(4);
  config.router_latency = 1 + static_cast<int>(random.below(3));
  config.vcs = 2 + static_cast<int>(random.below(20));
  return config;
}

std::vector<Sent> draw_messages(const GarnetConfig& config, RandomStream& random) {
  std::vector<Sent> sent;
  for (int i = 0; i < 12; ++i) {
    const int vnet = static_cast<int>(random.below(config.size[1] > 1 ? 3 : 1));
    const int from = static_cast<int>(random.below(static_cast<std::uint64_t>(config.ranks())));
    sent.push_back({static_cast<std::int64_t>(random.below(1500)),
                    message(from, next_rank(config, from, vnet),
                            1 + static_cast<std::int64_t>(random.below(3000)), vnet)});
  }
  return sent;
}

TEST(Uncontended, IsWhatTheFlitsDoOrGivesUp) {
  RandomStream random = RandomStreams(1).make("uncontended");
  int exact = 0;
  for (int i = 0; i < 300; ++i) {
    const GarnetConfig config = draw_config(random);
    const std::vector<Sent> sent = draw_messages(config, random);
    try {
      const auto closed_form = arrivals<UncontendedNetwork>(config, sent);
      EXPECT_EQ(closed_form, arrivals<GarnetNetwork>(config, sent)) << "draw " << i;
      ++exact;
    } catch (const Contended&) {
    }
  }
  EXPECT_GT(exact, 100) << "most draws have channels enough";
  EXPECT_LT(exact, 300) << "some have not";
}

TEST(Uncontended, GivesUpOnMessagesThatPassOthers) {
  EXPECT_THROW(arrivals<UncontendedNetwork>(ring_of(4), {{0, message(0, 2, 64)}}), Contended);
}

TEST(Uncontended, NeedsBuffersForAPacketAndMoreThanOneFlit) {
  GarnetConfig config = ring_of(4);
  EXPECT_TRUE(UncontendedNetwork::may_fit(config));
  config.buffers[2] = 3;
  EXPECT_FALSE(UncontendedNetwork::may_fit(config));
  config = ring_of(4);
  config.packet = Bytes{64};
  EXPECT_FALSE(UncontendedNetwork::may_fit(config));
  config = ring_of(4);
  config.local.width = 1024;
  EXPECT_FALSE(UncontendedNetwork::may_fit(config));
}

}  // namespace
}  // namespace overture::network::garnet
