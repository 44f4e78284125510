#include "overture/topology/hierarchy.h"

#include <gtest/gtest.h>

namespace overture::topology {
namespace {

const Hierarchy kMachine({{DimensionKind::ring, 2},
                          {DimensionKind::fully_connected, 8},
                          {DimensionKind::switched, 4}});

TEST(Hierarchy, RankIdsAreMixedRadixWithTheFirstDimensionFastest) {
  EXPECT_EQ(kMachine.ranks(), 64);
  EXPECT_EQ(kMachine.coordinate(Rank{47}, 0), 1);
  EXPECT_EQ(kMachine.coordinate(Rank{47}, 1), 7);
  EXPECT_EQ(kMachine.coordinate(Rank{47}, 2), 2);
}

TEST(Hierarchy, TheHighestDifferingDimensionDecides) {
  EXPECT_EQ(kMachine.dimension_between(Rank{0}, Rank{0}), -1);
  EXPECT_EQ(kMachine.dimension_between(Rank{0}, Rank{1}), 0);
  EXPECT_EQ(kMachine.dimension_between(Rank{1}, Rank{14}), 1);
  EXPECT_EQ(kMachine.dimension_between(Rank{15}, Rank{16}), 2);
}

TEST(Hierarchy, RingsTakeTheShorterWay) {
  const Hierarchy ring({{DimensionKind::ring, 8}});
  EXPECT_EQ(ring.hops(Rank{0}, Rank{3}, 0), 3);
  EXPECT_EQ(ring.hops(Rank{0}, Rank{7}, 0), 1);
  EXPECT_EQ(ring.hops(Rank{0}, Rank{4}, 0), 4);
  EXPECT_EQ(kMachine.hops(Rank{0}, Rank{4}, 1), 1);
  EXPECT_EQ(kMachine.hops(Rank{0}, Rank{16}, 2), 2);
}

}  // namespace
}  // namespace overture::topology
