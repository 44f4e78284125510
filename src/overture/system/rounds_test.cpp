#include "overture/system/rounds.h"

#include <gtest/gtest.h>

namespace overture::system {
namespace {

using namespace literals;

TEST(Rounds, EveryAlgorithmSendsTwiceTheDataForAllButOneRank) {
  for (const int ranks : {2, 3, 16, 100}) {
    const Bytes size{ranks * 1000};
    const Bytes expected = size * (2 * (ranks - 1));
    EXPECT_EQ(traffic(make_rounds(kLockstepRing, size, ranks, {}), ranks), expected);
    EXPECT_EQ(traffic(make_rounds(kParameterServer, size, ranks, {}), ranks), expected);
    EXPECT_EQ(traffic(make_rounds(kDistributedParameterServer, size, ranks, {}), ranks), expected);
  }
}

TEST(Rounds, WithoutTheRemainderLessIsSent) {
  EXPECT_EQ(make_rounds(kLockstepRing, 1003_B, 4, {}).each, 251_B);
  EXPECT_EQ(make_rounds(kLockstepRing, 1003_B, 4, {.drop_remainder = true}).each, 250_B);
}

// 16 ranks, packets of 9,000 bytes: below 144,000 one round of S * 2 * 15/16 / 16; up to 270,000 the first
// round of thirty is the last.
TEST(Rounds, AShortRingEndsEarly) {
  const RoundRules rules{.drop_remainder = true, .end_ring_early_below = 9000_B};
  const auto ring = [&](std::int64_t size) { return make_rounds(kLockstepRing, Bytes{size}, 16, rules); };
  EXPECT_EQ(ring(143'999).count, 1);
  EXPECT_EQ(ring(143'999).each, Bytes{143'999 * 30 / 16 / 16});
  EXPECT_EQ(ring(144'000).count, 1);
  EXPECT_EQ(ring(144'000).each, 9000_B);
  EXPECT_EQ(ring(270'000).count, 1);
  EXPECT_EQ(ring(270'001).count, 30);
}

TEST(Rounds, NoMessageIsShorterThanTheSmallest) {
  EXPECT_EQ(make_rounds(kDistributedParameterServer, 4_B, 16, {.smallest_message = 8936_B}).each, 8936_B);
  EXPECT_EQ(make_rounds(kDistributedParameterServer, 4_B, 16, {.drop_remainder = true}).each, 1_B);
}

}  // namespace
}  // namespace overture::system
