#include "overture/lookahead/row_index.h"

#include <gtest/gtest.h>

#include "overture/base/random.h"

namespace overture::lookahead {
namespace {

constexpr auto kAny = [](std::uint32_t) { return true; };

TEST(RowIndex, FindsWhatWasInsertedAndNothingElse) {
  RowIndex index;
  index.insert(77, 5);

  EXPECT_EQ(index.find(77, kAny), 5);
  EXPECT_EQ(index.find(78, kAny), RowIndex::kAbsent);
  EXPECT_EQ(index.find(0, kAny), RowIndex::kAbsent);
}

TEST(RowIndex, TellsRowsOfTheSameHashApart) {
  RowIndex index;
  index.insert(77, 5);
  index.insert(77, 6);

  EXPECT_EQ(index.find(77, [](std::uint32_t n) { return n == 6; }), 6);
}

// Half of the hashes are near the end, so that clusters run over it.
TEST(RowIndex, ASweepLosesOnlyWhatIsStale) {
  RandomStream random = RandomStreams(1).make("hashes");
  RowIndex index;
  std::vector<std::uint32_t> halves;
  std::vector<bool> stale;
  for (std::uint32_t number = 0; number < 20'000; ++number) {
    const std::uint64_t bits = random();
    halves.push_back(static_cast<std::uint32_t>((bits & 1) != 0 ? bits >> 32 : ~(bits >> 45)));
    stale.push_back(false);
    if (index.full()) {
      for (std::size_t n = 0; n < number; ++n) stale[n] = stale[n] || random.below(3) == 0;
      index.sweep([&](std::uint32_t n) { return stale[n]; }, [](std::uint32_t) {});
    }
    index.insert(halves.back(), number);
  }
  for (std::uint32_t number = 0; number < halves.size(); ++number) {
    if (stale[number]) continue;
    ASSERT_EQ(index.find(halves[number], [&](std::uint32_t n) { return n == number; }), number);
  }
}

}  // namespace
}  // namespace overture::lookahead
