#include "overture/lookahead/row_index.h"

#include <vector>

#include <gtest/gtest.h>

#include "overture/base/random.h"

namespace overture::lookahead {
namespace {

template <class Key>
void insert(RowIndex<Key>& index, Key key, std::uint32_t number) {
  EXPECT_EQ(index.find_or_insert(key, [&] { return number; }), number);
}

TEST(RowIndex, FindsWhatWasInsertedAndNothingElse) {
  RowIndex<std::uint32_t> index;
  insert<std::uint32_t>(index, 77, 5);
  insert<std::uint32_t>(index, 0, 6);

  EXPECT_EQ(index.find(77), 5);
  EXPECT_EQ(index.find(0), 6);
  EXPECT_EQ(index.find(78), RowIndex<std::uint32_t>::kAbsent);
}

TEST(RowIndex, AKeyKeepsItsNumber) {
  RowIndex<std::uint64_t> index;
  insert<std::uint64_t>(index, 1ull << 40, 5);

  EXPECT_EQ(index.find_or_insert(1ull << 40, [] { return 6u; }), 5);
  EXPECT_EQ(index.find(1ull << 41), RowIndex<std::uint64_t>::kAbsent);
}

// Drawn from few keys, so that many come back after they were swept out.
template <class Key>
void sweep_and_compare(Key stride) {
  RandomStream random = RandomStreams(1).make("keys");
  RowIndex<Key> index;
  std::vector<Key> keys;
  std::vector<bool> stale;
  for (int i = 0; i < 40'000; ++i) {
    if (!index.has_room(1)) {
      for (std::size_t n = 0; n < stale.size(); ++n) stale[n] = stale[n] || random.below(3) == 0;
      index.sweep([&](std::uint32_t n) { return stale[n]; }, [](std::uint32_t) {});
      ASSERT_TRUE(index.has_room(1));
    }
    const Key key = static_cast<Key>(random.below(30'000)) * stride;
    const std::uint32_t number = index.find_or_insert(key, [&] {
      keys.push_back(key);
      stale.push_back(false);
      return static_cast<std::uint32_t>(keys.size() - 1);
    });
    ASSERT_EQ(keys[number], key);
  }
  for (std::uint32_t number = 0; number < keys.size(); ++number) {
    if (stale[number]) continue;
    ASSERT_EQ(index.find(keys[number]), number);
  }
}

TEST(RowIndex, ASweepLosesOnlyWhatIsStale) {
  sweep_and_compare<std::uint32_t>(1);
  sweep_and_compare<std::uint64_t>((1ull << 33) + 1);
}

}  // namespace
}  // namespace overture::lookahead
