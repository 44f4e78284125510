#include "overture/network/garnet/streams.h"

#include <gtest/gtest.h>

namespace overture::network::garnet {
namespace {

TEST(Streams, PacketsCountForTheOldestMessageOfTheirSenderAndTag) {
  Streams streams;
  int first_complete = 0;
  int second_complete = 0;
  const Streams::Key key{.from = 0, .to = 1, .vnet = 2, .tag = 3};
  streams.add(key, 2, [&first_complete] { ++first_complete; });
  const auto second = streams.add(key, 1, [&second_complete] { ++second_complete; });
  EXPECT_FALSE(streams.arrived(second)) << "it overtook the first message and counts for that";
  EXPECT_EQ(streams.under_way(), 2U);
}

TEST(Streams, OtherTagsAreOtherStreams) {
  Streams streams;
  int complete = 0;
  streams.add({.from = 0, .to = 1, .vnet = 0, .tag = 1}, 1, [] {});
  const auto other = streams.add({.from = 0, .to = 1, .vnet = 0, .tag = 2}, 1, [&complete] { ++complete; });
  Action delivered = streams.arrived(other);
  ASSERT_TRUE(delivered);
  delivered();
  EXPECT_EQ(complete, 1);
  EXPECT_EQ(streams.under_way(), 1U);
}

TEST(Streams, NumbersAreUsedAgainOnlyWhenNothingRefersToThem) {
  Streams streams;
  const Streams::Key key{.from = 0, .to = 1, .vnet = 0, .tag = 0};
  const auto first = streams.add(key, 1, [] {});
  const auto second = streams.add(key, 1, [] {});
  EXPECT_TRUE(streams.arrived(second)) << "completes the first";
  EXPECT_NE(streams.add({.from = 1, .to = 0, .vnet = 0, .tag = 0}, 1, [] {}), first)
      << "its own packet is still under way";
  EXPECT_TRUE(streams.arrived(first)) << "completes the second";
  EXPECT_EQ(streams.under_way(), 1U);
}

}  // namespace
}  // namespace overture::network::garnet
