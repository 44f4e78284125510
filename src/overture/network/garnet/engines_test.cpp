// The two engines against each other: where links are as wide as flits there are no equal credits, and both
// must do the same in every cycle, however scarce virtual channels and buffers are.
#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/network/garnet/garnet_network.h"
#include "overture/network/garnet/testing.h"

namespace overture::network::garnet {
namespace {

GarnetConfig draw(RandomStream& random) {
  const auto number = [&](int least, int most) {
    return least + static_cast<int>(random.below(static_cast<std::uint64_t>(most - least + 1)));
  };
  GarnetConfig config = ring_of(number(1, 4));
  config.wiring = number(0, 2) == 0 ? Wiring::switches : Wiring::torus;
  config.size[1] = number(2, 4);
  config.local_rings = number(1, 2);
  config.switches = number(1, 3);
  config.packet = Bytes{64 * number(1, 5)};
  config.vcs = number(1, 6);
  config.router_latency = number(1, 3);
  config.local.latency = number(1, 12);
  config.package.latency = number(1, 12);
  config.buffers.assign(static_cast<std::size_t>(config.vnets()), number(1, 6));
  return config;
}

// Between ranks that a vnet connects: of one package, or of one row.
Message draw_message(const GarnetConfig& config, RandomStream& random) {
  const auto below = [&](int n) { return static_cast<int>(random.below(static_cast<std::uint64_t>(n))); };
  const int dimension = config.size[0] == 1 ? 1 : below(2);
  const DimensionVnets vnets = vnets_of(config, dimension);
  const int from = below(config.ranks());
  const int stride = dimension == 0 ? 1 : config.size[0];
  const int size = config.size[static_cast<std::size_t>(dimension)];
  const int here = from / stride % size;
  const int there = (here + 1 + below(size - 1)) % size;
  Message one =
      message(from, from + (there - here) * stride, 1 + below(2000), vnets.first + below(vnets.count));
  one.stream = below(3);
  return one;
}

std::vector<std::int64_t> arrivals(const GarnetConfig& config, const std::vector<Message>& messages) {
  sim::EventQueue events;
  GarnetNetwork network(config, events);
  Traffic traffic(network, events);
  for (std::size_t i = 0; i < messages.size(); ++i)
    traffic.send_at(static_cast<std::int64_t>(7 * i), messages[i]);
  return traffic.run();
}

TEST(Engines, AgreeWhereNoCreditsAreEqual) {
  RandomStream random = RandomStreams(3).make("engines");
  for (int i = 0; i < 200; ++i) {
    GarnetConfig config = draw(random);
    std::vector<Message> messages;
    for (int m = 0; m < 30; ++m) messages.push_back(draw_message(config, random));
    const auto skipping = arrivals(config, messages);
    config.original_order = true;
    EXPECT_EQ(skipping, arrivals(config, messages)) << "draw " << i;
  }
}

}  // namespace
}  // namespace overture::network::garnet
