#include "overture/system/logical_dimensions.h"

#include <gtest/gtest.h>

#include "overture/base/error.h"

namespace overture::system {
namespace {

using topology::DimensionKind;
const topology::Hierarchy kMachine({{DimensionKind::ring, 8}, {DimensionKind::ring, 4}});

TEST(LogicalDimensions, NeighboursWrapRound) {
  const auto dims = logical_dimensions(kMachine);
  EXPECT_EQ(dims.dimensions[0].neighbour(Rank{7}, 1), Rank{0});
  EXPECT_EQ(dims.dimensions[1].neighbour(Rank{3}, -1), Rank{27});
}

TEST(LogicalDimensions, AGroupThatFillsDimensionsBreaksNothing) {
  const auto dims = logical_dimensions(kMachine, 8);
  EXPECT_EQ(dims.count(), 2);
  EXPECT_EQ(dims.model_dimensions, 1);
  EXPECT_EQ(logical_dimensions(kMachine, 32).model_dimensions, 2);
  EXPECT_EQ(logical_dimensions(kMachine, 1).model_dimensions, 0);
}

TEST(LogicalDimensions, AGroupThatEndsInsideADimensionBreaksIt) {
  const auto dims = logical_dimensions(kMachine, 4);
  ASSERT_EQ(dims.count(), 3);
  EXPECT_EQ(dims.dimensions[0].size, 4);
  EXPECT_EQ(dims.dimensions[1].size, 2);
  EXPECT_EQ(dims.dimensions[1].stride, 4);
  EXPECT_EQ(dims.dimensions[1].physical, 0);
  EXPECT_EQ(dims.model_dimensions, 1);
  EXPECT_EQ(dims.broken, 0);
}

TEST(LogicalDimensions, AGroupThatDoesNotDivideIsTheUsersToMend) {
  EXPECT_THROW(logical_dimensions(kMachine, 3), UserError);
  EXPECT_THROW(logical_dimensions(kMachine, 64), UserError);
  EXPECT_THROW(logical_dimensions(kMachine, 0), UserError);
  EXPECT_THROW(logical_dimensions(kMachine, 12), UserError);
}

}  // namespace
}  // namespace overture::system
