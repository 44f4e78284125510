#include "overture/network/flow/relay_fill.h"

#include <gtest/gtest.h>

namespace overture::network::flow {
namespace {

// Host i sends through links 4i and 4i+1 and receives through 4i+2 and 4i+3, each as fast as the other.
struct Hosts {
  explicit Hosts(std::size_t count, double capacity = 12) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto first = static_cast<std::uint32_t>(4 * i);
      for (const LinkRole role : {LinkRole::out, LinkRole::out, LinkRole::in, LinkRole::in}) {
        links.push_back({.role = role, .capacity = capacity});
      }
      relays.push_back({.hosts = 1, .out = {first, first + 1}, .in = {first + 2, first + 3}});
    }
  }

  void add(std::uint32_t from, std::uint32_t to) {
    uses.push_back({{.link = 4 * from}, {.link = 4 * from + 1}, {.link = 4 * to + 2}, {.link = 4 * to + 3}});
  }
  void set_direct(std::uint32_t from, std::uint32_t to, double rate) {
    for (const std::uint32_t link : {4 * from, 4 * from + 1, 4 * to + 2, 4 * to + 3}) {
      links[link].direct += rate;
    }
  }

  std::vector<double> solve(double most_each = 1000) {
    std::vector<RelayedFlows> flows;
    for (const auto& each : uses) flows.push_back({.uses = each});
    std::vector<double> rates;
    fill.solve(links, relays, flows, most_each, rates);
    return rates;
  }

  std::vector<RelayLink> links;
  std::vector<Relays> relays;
  std::vector<std::vector<Use>> uses;
  RelayFill fill;
};

TEST(RelayFill, WhereEverybodySendsHalfIsForOthers) {
  Hosts hosts(6);
  for (std::uint32_t i = 0; i < 6; ++i) hosts.add(i, (i + 1) % 6);
  for (const double rate : hosts.solve()) EXPECT_NEAR(rate, 6, 1e-6);
  for (const double second : hosts.fill.second_hops()) EXPECT_NEAR(second, 6, 1e-6);
}

// Each of the six hosts relays a sixth, the sender itself too.
TEST(RelayFill, ASenderIsARelayLikeAnyOther) {
  Hosts hosts(6, 14);
  hosts.add(0, 1);
  EXPECT_NEAR(hosts.solve()[0], 12, 1e-6);
}

TEST(RelayFill, FirstHopsTakeWhatDirectTrafficLeaves) {
  Hosts hosts(6);
  for (std::uint32_t i = 0; i < 6; ++i) {
    hosts.add(i, (i + 1) % 6);
    hosts.set_direct(i, (i + 1) % 6, 4);
  }
  for (const double rate : hosts.solve()) EXPECT_NEAR(rate, 4, 1e-6);
}

TEST(RelayFill, AHostThatReceivesAllItCanAcceptsNothingForOthers) {
  Hosts hosts(4);
  hosts.add(0, 1);
  hosts.set_direct(2, 3, 12);
  EXPECT_NEAR(hosts.solve(1)[0], 3, 1e-6);  // 1 by each of the other three
  EXPECT_NEAR(hosts.fill.second_hops()[4 * 3], 0, 1e-9);
  EXPECT_NEAR(hosts.fill.second_hops()[4 * 2], 1, 1e-9) << "second hops push direct traffic aside";
}

TEST(RelayFill, WithoutARelayNothingIsRelayed) {
  Hosts hosts(2);
  hosts.add(0, 1);
  hosts.set_direct(1, 0, 12);
  hosts.set_direct(0, 1, 12);
  EXPECT_EQ(hosts.solve()[0], 0);
}

}  // namespace
}  // namespace overture::network::flow
