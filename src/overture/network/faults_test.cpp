#include "overture/network/faults.h"

#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/topology/fat_tree.h"
#include "overture/topology/star.h"

namespace overture::network {
namespace {

using namespace std::chrono_literals;

LinkFault down(const std::string& between, Duration from, std::optional<Duration> until = {}) {
  LinkFault fault;
  fault.between = between;
  fault.from = from;
  fault.until = until;
  return fault;
}

std::string error_of(const Faults& faults, const topology::Graph& graph) {
  try {
    require_sound(faults);
    LinkFaults(faults, graph);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

// Links of a star of 3: h0-s0 is 0, h1-s0 is 1, h2-s0 is 2, and back 3, 4, 5.
struct StarFaults : testing::Test {
  topology::Topology star = topology::star({.hosts = 3});
};

TEST_F(StarFaults, ACableIsDownBothWaysFromUntil) {
  const LinkFaults faults({.links = {down("h1-s0", 2us, 5us)}}, star.graph);
  for (const int link : {1, 4}) {
    EXPECT_FALSE(faults.is_down(link, Time{1us}));
    EXPECT_TRUE(faults.is_down(link, Time{2us}));
    EXPECT_FALSE(faults.is_down(link, Time{5us}));
    EXPECT_TRUE(faults.was_down(link, Time{1us}, Time{9us}));
    EXPECT_FALSE(faults.was_down(link, Time{5us}, Time{9us}));
  }
  EXPECT_FALSE(faults.is_faulty(0));
  EXPECT_EQ(faults.parts(), 1);
}

TEST_F(StarFaults, RoutesFollowADetectionTimeLater) {
  const LinkFaults faults({.detection = 3us, .links = {down("h1-s0", 2us, 7us)}}, star.graph);
  EXPECT_EQ(faults.changes(), (std::vector{Time{2us}, Time{7us}}));
  EXPECT_EQ(faults.route_changes(), (std::vector{Time{5us}, Time{10us}}));
  EXPECT_FALSE(faults.known_down_at(Time{4us})[1]);
  EXPECT_TRUE(faults.known_down_at(Time{5us})[1]);
  EXPECT_TRUE(faults.known_down_at(Time{9us})[1]);
  EXPECT_FALSE(faults.known_down_at(Time{10us})[1]);
  EXPECT_EQ(faults.next_change(Time{2us}), Time{7us});
  EXPECT_EQ(faults.next_change(Time{7us}), Time::max());
}

TEST_F(StarFaults, ASwitchTakesItsCablesWithItAndADeadNodeItsOwn) {
  SwitchFault whole;
  whole.name = "s0";
  const LinkFaults all({.switches = {whole}}, star.graph);
  for (int link = 0; link < 6; ++link) EXPECT_TRUE(all.is_down(link, Time{}));
  NodeFault dead;
  dead.node = 2;
  dead.dies = true;
  const LinkFaults one({.nodes = {dead}}, star.graph);
  EXPECT_EQ(one.down_at(Time{}), (std::vector{false, false, true, false, false, true}));
}

TEST_F(StarFaults, LossesAddUpAndBitErrorsHitLongPackets) {
  LinkFault losing = down("h0-s0", 1us);
  losing.loss = 0.5;
  LinkFault noisy = down("h0-s0", 1us);
  noisy.bit_errors = 1e-6;
  const LinkFaults faults({.links = {losing, losing, noisy}}, star.graph);
  EXPECT_EQ(faults.loss(0, Time{}), 0);
  EXPECT_DOUBLE_EQ(faults.loss(0, Time{1us}), 0.75);
  EXPECT_FALSE(faults.is_down(0, Time{1us}));
  EXPECT_NEAR(faults.corruption(0, Time{1us}, Bytes{1250}), 0.01, 1e-4);  // 10,000 bits
}

TEST(Faults, DrawnCablesFollowTheSeedAndTheTier) {
  const topology::Topology tree = topology::fat_tree({.k = 4});
  LinkFault some;
  some.share = 0.25;
  some.tier = "core";
  const auto drawn = [&](std::uint64_t seed) {
    const LinkFaults faults({.seed = seed, .links = {some}}, tree.graph);
    EXPECT_EQ(faults.parts(), 4);  // of 16 cables
    const std::vector<bool> down = faults.down_at(Time{});
    for (std::size_t id = 0; id < down.size(); ++id) {
      EXPECT_TRUE(!down[id] || tree.graph.links()[id].wire.tier == 2);
    }
    return down;
  };
  EXPECT_EQ(drawn(1), drawn(1));
  EXPECT_NE(drawn(1), drawn(2));
}

TEST_F(StarFaults, WhatMakesNoSenseIsToldWithItsKey) {
  EXPECT_NE(error_of({.links = {down("h1-s9", 0us)}}, star.graph)
                .find("faults.links.0.between: there is no \"s9\""),
            std::string::npos);
  EXPECT_NE(error_of({.links = {down("h0-h1", 0us)}}, star.graph).find("h0 has links to s0"),
            std::string::npos);
  EXPECT_NE(error_of({.links = {down("h0-s0", 2us, 1us)}}, star.graph).find("faults.links.0.until"),
            std::string::npos);
  EXPECT_NE(error_of({.links = {LinkFault{}}}, star.graph).find("needs either"), std::string::npos);
  NodeFault nothing;
  nothing.node = 0;
  EXPECT_NE(error_of({.nodes = {nothing}}, star.graph).find("changes nothing"), std::string::npos);
  nothing.node = 7;
  nothing.slowdown = 2;
  EXPECT_NE(error_of({.nodes = {nothing}}, star.graph).find("nodes are 0 to 2"), std::string::npos);
}

}  // namespace
}  // namespace overture::network
