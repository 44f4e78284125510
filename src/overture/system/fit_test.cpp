#include "overture/system/fit.h"

#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/system/testing.h"

namespace overture::system {
namespace {

using enum CollectiveKind;
using topology::DimensionKind;

const topology::Hierarchy kMachine({{DimensionKind::ring, 8}, {DimensionKind::switched, 3}});
const std::vector<CollectiveKind> kAllReduce{all_reduce};

SystemConfig config_with(CollectiveKind kind, const Implementation& implementation) {
  SystemConfig config;
  config.implementation(kind) = implementation;
  return config;
}

TEST(Fit, LeavesWhatFitsAlone) {
  const Implementation implementation{{{kHalvingDoubling}, {kDirect, 2}}};
  const SystemConfig fitted = fit(config_with(all_reduce, implementation), kAllReduce,
                                  logical_dimensions(kMachine), kMachine, "system.txt");
  EXPECT_EQ(fitted.implementation(all_reduce), implementation);
}

TEST(Fit, GivesBothHalvesOfABrokenDimensionItsAlgorithm) {
  SystemConfig config = config_with(all_reduce, {{{kHalvingDoubling}, {kRing}}});
  config.implementation(all_gather) = {.per_dimension = {{kDirect}}, .flat = true};
  const LogicalDimensions logical = logical_dimensions(kMachine, 4);
  const SystemConfig fitted = fit(config, kAllReduce, logical, kMachine, "system.txt");
  EXPECT_EQ(fitted.implementation(all_reduce).per_dimension,
            (std::vector<Algorithm>{{kHalvingDoubling}, {kHalvingDoubling}, {kRing}}));
  EXPECT_EQ(fitted.implementation(all_gather), config.implementation(all_gather))
      << "a flat one has no halves";
}

TEST(Fit, TellsWhichDimensionNeedsAPowerOfTwo) {
  for (const auto& [algorithm, word] :
       {std::pair{AlgorithmKind(kHalvingDoubling), std::string("halving_doubling")},
        std::pair{AlgorithmKind(kDoubleBinaryTree), std::string("double_binary_tree")}}) {
    const Implementation implementation{{{kRing}, {algorithm}}};
    const std::string error = user_error([&] {
      fit(config_with(all_reduce, implementation), kAllReduce, logical_dimensions(kMachine), kMachine,
          "system.txt");
    });
    EXPECT_EQ(error, "system.txt: " + word +
                         " needs a power of two of NPUs, but dimension 1 has 3\n"
                         "  use ring or direct there, or change the number of NPUs");
  }
}

TEST(Fit, AFlatAlgorithmNeedsAPowerOfTwoOfAllRanks) {
  const Implementation flat{.per_dimension = {{kHalvingDoubling}}, .flat = true};
  const std::string error = user_error([&] {
    fit(config_with(all_reduce, flat), kAllReduce, logical_dimensions(kMachine), kMachine, "system.txt");
  });
  EXPECT_NE(error.find("but the machine has 24"), std::string::npos) << error;
}

TEST(Fit, OnlyAnAllToAllThatIsUsedNeedsAnAlgorithmThatCanDoIt) {
  for (const AlgorithmKind algorithm :
       std::initializer_list<AlgorithmKind>{kHalvingDoubling, kDoubleBinaryTree}) {
    SystemConfig config = config_with(all_to_all, {{{algorithm}, {kRing}}});
    config.implementation(all_reduce) = {{{kRing}, {kRing}}};
    config.tree_always_reduces = true;
    const std::vector<CollectiveKind> used{all_to_all};
    const std::string error =
        user_error([&] { fit(config, used, logical_dimensions(kMachine), kMachine, "system.txt"); });
    EXPECT_NE(error.find("on dimension 0 cannot do"), std::string::npos) << error;
    EXPECT_EQ(user_error([&] { fit(config, kAllReduce, logical_dimensions(kMachine), kMachine, ""); }), "");
  }
}

TEST(Fit, WhatIsNotUsedNeedNotFit) {
  SystemConfig config = config_with(all_reduce, {{{kRing}, {kRing}}});
  config.implementation(all_gather) = {{{kRing}, {kHalvingDoubling}}};
  EXPECT_EQ(user_error([&] { fit(config, kAllReduce, logical_dimensions(kMachine), kMachine, ""); }), "");
}

TEST(Fit, ADimensionOfOneRankTakesAnything) {
  const topology::Hierarchy machine({{DimensionKind::ring, 1}, {DimensionKind::switched, 3}});
  const SystemConfig config = config_with(all_reduce, {{{kHalvingDoubling}, {kRing}}});
  EXPECT_EQ(user_error([&] { fit(config, kAllReduce, logical_dimensions(machine), machine, ""); }), "");
}

}  // namespace
}  // namespace overture::system
