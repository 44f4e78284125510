#include "overture/system/fit.h"

#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/system/testing.h"

namespace overture::system {
namespace {

using enum AlgorithmKind;
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
  const Implementation implementation{{{halving_doubling}, {direct, 2}}};
  const SystemConfig fitted = fit(config_with(all_reduce, implementation), kAllReduce,
                                  logical_dimensions(kMachine), kMachine, "system.txt");
  EXPECT_EQ(fitted.implementation(all_reduce), implementation);
}

TEST(Fit, GivesBothHalvesOfABrokenDimensionItsAlgorithm) {
  SystemConfig config = config_with(all_reduce, {{{halving_doubling}, {ring}}});
  config.implementation(all_gather) = {.per_dimension = {{direct}}, .flat = true};
  const LogicalDimensions logical = logical_dimensions(kMachine, 4);
  const SystemConfig fitted = fit(config, kAllReduce, logical, kMachine, "system.txt");
  EXPECT_EQ(fitted.implementation(all_reduce).per_dimension,
            (std::vector<Algorithm>{{halving_doubling}, {halving_doubling}, {ring}}));
  EXPECT_EQ(fitted.implementation(all_gather), config.implementation(all_gather))
      << "a flat one has no halves";
}

TEST(Fit, TellsWhichDimensionNeedsAPowerOfTwo) {
  for (const auto& [algorithm, word] : {std::pair{halving_doubling, std::string("halving_doubling")},
                                        std::pair{double_binary_tree, std::string("double_binary_tree")}}) {
    const Implementation implementation{{{ring}, {algorithm}}};
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
  const Implementation flat{.per_dimension = {{halving_doubling}}, .flat = true};
  const std::string error = user_error([&] {
    fit(config_with(all_reduce, flat), kAllReduce, logical_dimensions(kMachine), kMachine, "system.txt");
  });
  EXPECT_NE(error.find("but the machine has 24"), std::string::npos) << error;
}

TEST(Fit, OnlyAnAllToAllThatIsUsedNeedsAnAlgorithmThatCanDoIt) {
  for (const AlgorithmKind algorithm : {halving_doubling, double_binary_tree}) {
    SystemConfig config = config_with(all_to_all, {{{algorithm}, {ring}}});
    config.implementation(all_reduce) = {{{ring}, {ring}}};
    config.tree_always_reduces = true;
    const std::vector<CollectiveKind> used{all_to_all};
    const std::string error =
        user_error([&] { fit(config, used, logical_dimensions(kMachine), kMachine, "system.txt"); });
    EXPECT_NE(error.find("on dimension 0 cannot do"), std::string::npos) << error;
    EXPECT_EQ(user_error([&] { fit(config, kAllReduce, logical_dimensions(kMachine), kMachine, ""); }), "");
  }
}

TEST(Fit, WhatIsNotUsedNeedNotFit) {
  SystemConfig config = config_with(all_reduce, {{{ring}, {ring}}});
  config.implementation(all_gather) = {{{ring}, {halving_doubling}}};
  EXPECT_EQ(user_error([&] { fit(config, kAllReduce, logical_dimensions(kMachine), kMachine, ""); }), "");
}

TEST(Fit, ADimensionOfOneRankTakesAnything) {
  const topology::Hierarchy machine({{DimensionKind::ring, 1}, {DimensionKind::switched, 3}});
  const SystemConfig config = config_with(all_reduce, {{{halving_doubling}, {ring}}});
  EXPECT_EQ(user_error([&] { fit(config, kAllReduce, logical_dimensions(machine), machine, ""); }), "");
}

}  // namespace
}  // namespace overture::system
