#include "overture/system/dimension_order.h"

#include <gtest/gtest.h>

#include "overture/base/random.h"

namespace overture::system {
namespace {

using namespace literals;
using enum CollectiveKind;
using Order = std::vector<int>;

const DimensionMask kAll{true, true, true};

TEST(DimensionOrder, IsAscendingAndForAnAllGatherDescending) {
  DimensionOrder order(InterOrder::ascending, {{2, 1}, {2, 1}, {2, 1}});
  EXPECT_EQ(order.next(all_reduce, 10_B, 4_B, kAll).dimensions, (Order{0, 1, 2}));
  EXPECT_EQ(order.next(reduce_scatter, 10_B, 4_B, kAll).dimensions, (Order{0, 1, 2}));
  EXPECT_EQ(order.next(all_to_all, 10_B, 4_B, kAll).dimensions, (Order{0, 1, 2}));
  EXPECT_EQ(order.next(all_gather, 10_B, 4_B, kAll).dimensions, (Order{2, 1, 0}));
}

TEST(DimensionOrder, TheLastChunkIsWhatIsLeft) {
  DimensionOrder order(InterOrder::ascending, {{2, 1}});
  EXPECT_EQ(order.next(all_reduce, 10_B, 4_B, {true}).size, 4_B);
  EXPECT_EQ(order.next(all_reduce, 2_B, 4_B, {true}).size, 2_B);
}

TEST(DimensionOrder, RoundRobinTurnsTheListByOneEveryChunk) {
  DimensionOrder order(InterOrder::round_robin, {{2, 1}, {2, 1}, {2, 1}});
  EXPECT_EQ(order.next(all_reduce, 10_B, 4_B, kAll).dimensions, (Order{0, 1, 2}));
  EXPECT_EQ(order.next(all_to_all, 10_B, 4_B, kAll).dimensions, (Order{1, 2, 0}));
  EXPECT_EQ(order.next(all_gather, 10_B, 4_B, kAll).dimensions, (Order{0, 2, 1}));
  EXPECT_EQ(order.next(all_reduce, 10_B, 4_B, kAll).dimensions, (Order{0, 1, 2}));
}

// Two dimensions of two ranks and the same speed. A chunk of 1 MiB loads the first it visits with 1/2 and the
// second with 1/4.
class Themis : public testing::Test {
 protected:
  static ChunkOrder next(DimensionOrder& order, Bytes left = 100_MiB) {
    return order.next(all_reduce, left, 1_MiB, {true, true});
  }
  DimensionOrder order_{InterOrder::themis, {{2, 1}, {2, 1}}};
};

TEST_F(Themis, GoesFirstWhereTheLoadIsLeast) {
  EXPECT_EQ(next(order_).dimensions, (Order{0, 1}));  // loads 0.5, 0.25
  EXPECT_EQ(next(order_).dimensions, (Order{1, 0}));  // loads 0.75, 0.75
  EXPECT_EQ(next(order_).dimensions, (Order{0, 1}));  // loads 1.25, 1
  EXPECT_EQ(next(order_).dimensions, (Order{1, 0}));
}

TEST_F(Themis, ForgetsTheLoadsOnlyWhenTimeHasPassed) {
  order_.collective_created(Time{1ns});
  EXPECT_EQ(next(order_).dimensions, (Order{0, 1}));
  order_.collective_created(Time{1ns});
  EXPECT_EQ(next(order_).dimensions, (Order{1, 0}));
  order_.collective_created(Time{1ns});
  EXPECT_EQ(next(order_).dimensions, (Order{0, 1}));
  order_.collective_created(Time{2ns});
  EXPECT_EQ(next(order_).dimensions, (Order{0, 1})) << "the loads are even again";
}

TEST_F(Themis, LeavesAllToAllsAlone) {
  next(order_);
  EXPECT_EQ(order_.next(all_to_all, 100_MiB, 1_MiB, {true, true}).dimensions, (Order{0, 1}));
}

TEST_F(Themis, CountsAFastDimensionAsLessLoaded) {
  // Dimension 1 is four times as fast: 0.25 / 4 for the chunk that visits it second.
  DimensionOrder order(InterOrder::themis, {{2, 1}, {2, 4}});
  EXPECT_EQ(next(order).dimensions, (Order{0, 1}));  // loads 0.5, 0.0625
  EXPECT_EQ(next(order).dimensions, (Order{1, 0}));  // loads 0.75, 0.1875
  EXPECT_EQ(next(order).dimensions, (Order{1, 0}));  // loads 1, 0.3125
}

TEST_F(Themis, KeepsThePlainOrderForGapsBelowASixteenthOfAChunk) {
  // Dimension 1 is half as fast: both loads are 0.5 after the first chunk.
  DimensionOrder order(InterOrder::themis, {{2, 2}, {2, 1}});
  EXPECT_EQ(next(order).dimensions, (Order{0, 1}));
  EXPECT_EQ(next(order).dimensions, (Order{0, 1}));
}

TEST_F(Themis, SkipsDimensionsThatTheCollectiveDoesNotSpan) {
  DimensionOrder order(InterOrder::themis, {{2, 1}, {2, 1}, {1, 1}});
  EXPECT_EQ(order.next(all_reduce, 100_MiB, 1_MiB, {false, true, true}).dimensions, (Order{0, 1, 2}));
  // Only dimension 1 has a load, of 0.5; it is the last of the order and the only one to go to.
  EXPECT_EQ(order.next(all_reduce, 100_MiB, 1_MiB, {false, true, true}).dimensions, (Order{0, 1, 2}));
  EXPECT_EQ(order.next(all_reduce, 100_MiB, 1_MiB, {true, true, true}).dimensions, (Order{0, 2, 1}));
}

TEST_F(Themis, FlexibleMakesTheChunkThatLevelsTheLoads) {
  DimensionOrder order(InterOrder::themis_flex, {{2, 1}, {2, 1}});
  const auto expect = [&](const Order& dimensions, Bytes size, Bytes left = 100_MiB) {
    const ChunkOrder chunk = next(order, left);
    EXPECT_EQ(chunk.dimensions, dimensions);
    EXPECT_EQ(chunk.size, size);
  };
  expect({0, 1}, 1_MiB);             // loads 0.5, 0.25: a gap of 0.25, or of 1/2 MiB
  expect({0, 1}, 1_MiB);             // loads 1, 0.5: a gap of 1 MiB
  expect({1, 0}, 1_MiB);             // loads 1.25, 1
  expect({0, 1}, 1_MiB);             // loads 1.75, 1.25: a gap of 1 MiB
  expect({1, 0}, 700_KiB, 700_KiB);  // no more than is left
}

TEST(DimensionOrder, ChunksAlwaysAddUpToTheCollective) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream random = RandomStreams(seed).make("dimension order");
    std::vector<DimensionOrder::Dimension> dimensions;
    DimensionMask mask;
    const auto count = 1 + random.below(4);
    for (std::uint64_t d = 0; d < count; ++d) {
      dimensions.push_back({1 + static_cast<int>(random.below(5)), static_cast<double>(1 + random.below(8))});
      mask.push_back(random.below(4) > 0);
    }
    DimensionOrder order(static_cast<InterOrder>(random.below(4)), dimensions);
    const auto kind = static_cast<CollectiveKind>(random.below(4));
    const Bytes size{static_cast<std::int64_t>(1 + random.below(std::uint64_t{1} << (1 + random.below(33))))};
    const Bytes nominal{
        std::max<std::int64_t>(1, size.count() / static_cast<std::int64_t>(1 + random.below(20)))};
    Bytes left = size;
    while (left > Bytes{}) {
      ChunkOrder chunk = order.next(kind, left, nominal, mask);
      ASSERT_GT(chunk.size, Bytes{});
      ASSERT_LE(chunk.size, left);
      left -= chunk.size;
      std::sort(chunk.dimensions.begin(), chunk.dimensions.end());
      for (std::size_t d = 0; d < dimensions.size(); ++d) ASSERT_EQ(chunk.dimensions[d], static_cast<int>(d));
    }
  }
}

}  // namespace
}  // namespace overture::system
