#include "overture/base/hash.h"

#include <bit>
#include <set>

#include <gtest/gtest.h>

namespace overture {
namespace {

// The first numbers of SplitMix64 from seed 1234567, as its authors' program gives them.
TEST(SplitMix, GivesTheOriginalsNumbers) {
  std::uint64_t state = 1234567;
  EXPECT_EQ(split_mix(state += kGoldenStep), 6457827717110365317U);
  EXPECT_EQ(split_mix(state += kGoldenStep), 3203168211198807973U);
  EXPECT_EQ(split_mix(state += kGoldenStep), 9817491932198370423U);
}

TEST(SplitMix, EveryBitOfTheInputChangesAboutHalfOfTheOutput) {
  for (int bit = 0; bit < 64; ++bit) {
    int changed = 0;
    for (std::uint64_t x = 1; x <= 100; ++x)
      changed += std::popcount(split_mix(x) ^ split_mix(x ^ (std::uint64_t{1} << bit)));
    EXPECT_NEAR(changed, 3200, 320) << bit;
  }
}

TEST(DigestStep, TellsOrderAndValueApart) {
  const auto of = [](std::uint64_t a, std::uint64_t b) { return digest_step(digest_step(a) ^ b); };
  std::set<std::uint64_t> seen;
  for (std::uint64_t a = 0; a < 50; ++a) {
    for (std::uint64_t b = 0; b < 50; ++b) seen.insert(of(a, b));
  }
  EXPECT_EQ(seen.size(), 2500);
}

// http://www.isthe.com/chongo/tech/comp/fnv: the published values.
TEST(Fnv, GivesThePublishedNumbers) {
  EXPECT_EQ(fnv1a(""), 0xcbf29ce484222325U);
  EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171f73967e8U);
}

TEST(Digest, IsOfNumbersInTheirOrder) {
  const auto of = [](std::initializer_list<std::int64_t> values) {
    Digest digest;
    for (const std::int64_t value : values) digest.add(value);
    return digest.text();
  };
  EXPECT_EQ(of({1, 2}), of({1, 2}));
  EXPECT_NE(of({1, 2}), of({2, 1}));
  EXPECT_NE(of({0}), of({0, 0}));
  EXPECT_EQ(of({}), "cbf29ce484222325");
}

TEST(Digest, SeesTheSignOfZeroInBits) {
  Digest plus;
  plus.add_bits(0.0);
  Digest minus;
  minus.add_bits(-0.0);
  EXPECT_NE(plus.value(), minus.value());
}

}  // namespace
}  // namespace overture
