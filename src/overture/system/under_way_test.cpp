#include "overture/system/under_way.h"

#include <gtest/gtest.h>

namespace overture::system {
namespace {

using enum CollectiveKind;
using topology::DimensionKind;

UnderWay of(const std::vector<int>& sizes, std::vector<Algorithm> algorithms, Scope scope,
            CollectiveKind kind = all_reduce, bool whole_exchanges = false) {
  std::vector<topology::Hierarchy::Dimension> dimensions;
  for (const int size : sizes) dimensions.push_back({DimensionKind::switched, size});
  const topology::Hierarchy machine(dimensions);
  SystemConfig config;
  config.implementation(kind) = {.per_dimension = std::move(algorithms)};
  const std::vector<CollectiveKind> used{kind};
  return most_under_way(config, used, logical_dimensions(machine), machine, scope, whole_exchanges);
}

TEST(UnderWay, ARingHasOneMessagePerRank) {
  EXPECT_EQ(of({8}, {{kRing}}, Scope::rank_0).messages, 1);
  EXPECT_EQ(of({8}, {{kRing}}, Scope::group).messages, 8);
  EXPECT_EQ(of({8}, {{kRing, 3}}, Scope::group).messages, 24);  // in three pieces
}

TEST(UnderWay, DirectHasOnePerPairOrItsWindow) {
  EXPECT_EQ(of({8}, {{kDirect}}, Scope::rank_0).messages, 7);
  EXPECT_EQ(of({8}, {{kDirect}}, Scope::all).messages, 56);
  EXPECT_EQ(of({8}, {{kDirect, 2}}, Scope::all).messages, 16);
}

TEST(UnderWay, ParameterServersHaveARound) {
  EXPECT_EQ(of({8}, {{kDistributedParameterServer}}, Scope::group).messages, 56);
  EXPECT_EQ(of({8}, {{kParameterServer}}, Scope::group).messages, 7);
  EXPECT_EQ(of({8}, {{kDistributedParameterServer}}, Scope::all, all_reduce, true).messages, 1);
}

TEST(UnderWay, TheFullestDimensionCountsWithAllItsGroups) {
  const UnderWay most = of({4, 8}, {{kDirect}, {kDirect}}, Scope::all, all_to_all);
  EXPECT_EQ(most.messages, 32 * 7);
  EXPECT_EQ(most.ranks, 8);
  EXPECT_EQ(most.kind, all_to_all);
  EXPECT_EQ(most.algorithm, kDirect);
}

TEST(UnderWay, AMillionRanksCanBeCounted) {
  EXPECT_EQ(of({1 << 20}, {{kDirect}}, Scope::all, all_to_all).messages,
            (std::int64_t{1} << 40) - (std::int64_t{1} << 20));
  EXPECT_EQ(of({1}, {{kDirect}}, Scope::all).messages, 0);
}

}  // namespace
}  // namespace overture::system
