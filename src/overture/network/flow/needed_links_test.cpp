#include "overture/network/flow/needed_links.h"

#include <gtest/gtest.h>

namespace overture::network::flow {
namespace {

// Links 0 and 1 leave hosts, 2 and 3 lead to hosts, 4 is in the middle.
constexpr std::uint32_t kMiddle = 4;

FlowClass flows(std::uint32_t from, std::uint32_t to, double share) {
  FlowClass made;
  made.uses = {{.link = from}, {.link = to}, {.link = kMiddle, .load = share}};
  made.flows = 1;
  made.first = from;
  made.last = to;
  return made;
}

struct Network {
  Network() {
    links.reset(5, [](std::uint32_t) { return 10.0; });
  }
  void add(const FlowClass& flows) {
    links.add(flows, [&](std::uint32_t link) { found.push_back(link); });
  }
  NeededLinks links;
  std::vector<std::uint32_t> found;
};

TEST(NeededLinks, AHostsLinksAlwaysAre) {
  Network network;
  network.add(flows(0, 2, 1));
  EXPECT_EQ(network.found, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_FALSE(network.links.needed(kMiddle));
}

TEST(NeededLinks, WhatOneHostReceivesFitsALinkAsFast) {
  Network network;
  network.add(flows(0, 2, 1));
  network.add(flows(1, 2, 1));
  EXPECT_FALSE(network.links.needed(kMiddle));
}

TEST(NeededLinks, WhatTwoHostsSendToTwoOthersMayNotFit) {
  Network network;
  network.add(flows(0, 2, 1));
  network.add(flows(1, 3, 1));
  EXPECT_TRUE(network.links.needed(kMiddle));
  EXPECT_EQ(network.found.back(), kMiddle);
}

TEST(NeededLinks, HalfOfWhatTwoHostsSendFits) {
  Network network;
  network.add(flows(0, 2, 0.5));
  network.add(flows(1, 3, 0.5));
  EXPECT_FALSE(network.links.needed(kMiddle));
}

TEST(NeededLinks, AllAreIfCapacitiesAreNotKnown) {
  NeededLinks links;
  links.reset(5, nullptr);
  EXPECT_TRUE(links.needed(kMiddle));
}

}  // namespace
}  // namespace overture::network::flow
