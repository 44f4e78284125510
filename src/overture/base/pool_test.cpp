#include "overture/base/pool.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "overture/base/random.h"

namespace overture {
namespace {

TEST(Pool, NeverHandsOutWhatIsInUse) {
  RandomStream random = RandomStreams(3).make("pool");
  Pool<int> pool;
  std::set<std::uint32_t> used;
  for (int step = 0; step < 5000; ++step) {
    if (used.empty() || random.below(2) == 0) {
      const std::uint32_t taken = pool.take();
      ASSERT_TRUE(used.insert(taken).second);
    } else {
      const auto victim = std::next(used.begin(), static_cast<std::ptrdiff_t>(random.below(used.size())));
      pool.give_back(*victim);
      used.erase(victim);
    }
    ASSERT_EQ(pool.in_use(), used.size());
  }
}

TEST(Pool, GrowsOnlyToTheMostThatWereInUseAtOnce) {
  Pool<int> pool;
  for (int round = 0; round < 100; ++round) {
    std::vector<std::uint32_t> taken;
    for (int i = 0; i < 10; ++i) taken.push_back(pool.take());
    for (const std::uint32_t number : taken) pool.give_back(number);
  }
  EXPECT_EQ(pool.size(), 10);
}

TEST(Pool, AThingKeepsItsMemoryForTheNextUser) {
  Pool<std::vector<int>> pool;
  const std::uint32_t first = pool.take();
  pool[first].reserve(1000);
  pool.give_back(first);
  const std::uint32_t second = pool.take();
  EXPECT_EQ(second, first);
  EXPECT_GE(pool[second].capacity(), 1000);
}

TEST(Pool, WhatIsKeptIsReleasedAsItWas) {
  Pool<std::string> pool;
  const std::uint32_t first = pool.keep("first");
  const std::uint32_t second = pool.keep("second");
  EXPECT_EQ(pool.release(first), "first");
  EXPECT_EQ(pool.keep("third"), first) << "the place that was given back last";
  EXPECT_EQ(pool[second], "second");
  EXPECT_EQ(pool.release(first), "third");
  EXPECT_EQ(pool.in_use(), 1U);
}

}  // namespace
}  // namespace overture
