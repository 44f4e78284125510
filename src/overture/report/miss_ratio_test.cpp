#include "overture/report/miss_ratio.h"

#include <cmath>
#include <list>
#include <map>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

namespace overture::report {
namespace {

std::map<std::int64_t, double> points(const MissRatioCurve& curve) {
  std::istringstream text(curve.csv());
  std::string line;
  std::getline(text, line);
  EXPECT_EQ(line, "cache_rows,miss_ratio");
  std::map<std::int64_t, double> found;
  while (std::getline(text, line)) found[std::stoll(line)] = std::stod(line.substr(line.find(',') + 1));
  return found;
}

TEST(MissRatio, NothingWasUsed) { EXPECT_TRUE(points(MissRatioCurve()).empty()); }

TEST(MissRatio, TwoRowsInTurnNeedRoomForTwo) {
  MissRatioCurve curve;
  for (int i = 0; i < 100; ++i) {
    curve.next_batch();
    curve.add(0, i % 2);
  }
  const auto found = points(curve);
  EXPECT_DOUBLE_EQ(found.at(1), 1.0);
  EXPECT_DOUBLE_EQ(found.at(2), 0.02) << "the first use of each";
}

TEST(MissRatio, ABatchUsesARowOnce) {
  MissRatioCurve curve;
  curve.next_batch();
  for (int i = 0; i < 5; ++i) curve.add(3, 7);
  curve.next_batch();
  curve.add(3, 7);
  EXPECT_DOUBLE_EQ(points(curve).at(1), 0.5);
}

// Row r is asked for as often as 1/r, as in click logs.
std::vector<std::int64_t> skewed(int count, int rows) {
  std::mt19937_64 random(7);
  std::vector<std::int64_t> drawn;
  for (int i = 0; i < count; ++i) {
    const double u = static_cast<double>(random() >> 11U) * 0x1p-53;
    drawn.push_back(static_cast<std::int64_t>(std::exp(u * std::log(rows))));
  }
  return drawn;
}

double lru_misses(const std::vector<std::int64_t>& uses, std::size_t room) {
  std::list<std::int64_t> order;
  std::map<std::int64_t, std::list<std::int64_t>::iterator> cached;
  double missed = 0;
  for (const std::int64_t row : uses) {
    if (const auto hit = cached.find(row); hit != cached.end()) {
      order.erase(hit->second);
    } else {
      ++missed;
      if (cached.size() == room) {
        cached.erase(order.back());
        order.pop_back();
      }
    }
    order.push_front(row);
    cached[row] = order.begin();
  }
  return missed / static_cast<double>(uses.size());
}

MissRatioCurve curve_of(const std::vector<std::int64_t>& uses, std::size_t most_rows) {
  MissRatioCurve curve(most_rows);
  for (const std::int64_t row : uses) {
    curve.next_batch();
    curve.add(0, row);
  }
  return curve;
}

TEST(MissRatio, IsThatOfARealCacheOfEachSize) {
  const auto uses = skewed(20'000, 3000);
  const auto found = points(curve_of(uses, 16'384));
  for (const std::size_t room : {1U, 8U, 64U, 256U, 1024U, 2048U})
    EXPECT_NEAR(found.at(static_cast<std::int64_t>(room)), lru_misses(uses, room), 1e-6) << room;
}

TEST(MissRatio, ASampleIsClose) {
  const auto uses = skewed(200'000, 100'000);
  const auto found = points(curve_of(uses, 4096));
  for (const std::size_t room : {1024U, 4096U, 16'384U, 32'768U}) {
    const auto at = found.lower_bound(static_cast<std::int64_t>(room));
    ASSERT_NE(at, found.end());
    EXPECT_NEAR(at->second, lru_misses(uses, static_cast<std::size_t>(at->first)), 0.05) << room;
  }
}

}  // namespace
}  // namespace overture::report
