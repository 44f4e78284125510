#include "overture/network/packet/turns.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace overture::network::packet {
namespace {

std::vector<std::uint32_t> taken(Turns& turns, int count) {
  std::vector<std::uint32_t> flows;
  for (int i = 0; i < count; ++i) flows.push_back(turns.take());
  return flows;
}

TEST(Turns, GoRoundInTheOrderOfPlaces) {
  Turns turns;
  for (const std::uint32_t flow : {70U, 71U, 72U}) turns.enter(turns.join(flow));
  EXPECT_EQ(taken(turns, 7), (std::vector<std::uint32_t>{70, 71, 72, 70, 71, 72, 70}));
}

TEST(Turns, AFlowThatComesBackKeepsItsPlace) {
  Turns turns;
  for (const std::uint32_t flow : {70U, 71U, 72U}) turns.enter(turns.join(flow));
  turns.pass(1);
  EXPECT_EQ(taken(turns, 3), (std::vector<std::uint32_t>{70, 72, 70}));
  turns.enter(1);
  EXPECT_EQ(taken(turns, 3), (std::vector<std::uint32_t>{71, 72, 70}));
}

TEST(Turns, NobodyIsLeftOutHoweverManyThereAre) {
  Turns turns;
  for (std::uint32_t flow = 0; flow < 300; ++flow) turns.join(flow);
  EXPECT_TRUE(turns.empty());
  for (const std::uint32_t place : {0U, 63U, 64U, 299U}) turns.enter(place);
  EXPECT_EQ(taken(turns, 6), (std::vector<std::uint32_t>{0, 63, 64, 299, 0, 63}));
  for (const std::uint32_t place : {0U, 63U, 64U, 299U}) turns.pass(place);
  EXPECT_TRUE(turns.empty());
}

TEST(Turns, APlaceIsUsedAgain) {
  Turns turns;
  turns.enter(turns.join(70));
  const std::uint32_t place = turns.join(71);
  turns.enter(place);
  turns.leave(place);
  EXPECT_EQ(taken(turns, 2), (std::vector<std::uint32_t>{70, 70}));
  EXPECT_EQ(turns.join(72), place);
  turns.enter(place);
  EXPECT_EQ(taken(turns, 2), (std::vector<std::uint32_t>{72, 70}));
}

}  // namespace
}  // namespace overture::network::packet
