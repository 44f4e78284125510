// Which ranks are simulated. That it is enough, random runs show in workload/; here is where one rank must
// stay enough.
#include "overture/system/scope.h"

#include <gtest/gtest.h>

namespace overture::system {
namespace {

using enum CollectiveKind;
using topology::DimensionKind;

constexpr bool kAlone = false;   // messages do not share links
constexpr bool kSharing = true;  // they do

struct Job {
  std::vector<topology::Hierarchy::Dimension> dimensions;
  std::vector<Algorithm> algorithms;
  bool flat = false;
  CollectiveKind kind = all_reduce;
  int group = 0;  // model-parallel, where that matters
  SystemConfig config = {};
};

Scope scope(Job job, bool contention) {
  const topology::Hierarchy machine(job.dimensions);
  const LogicalDimensions logical =
      job.group > 0 ? logical_dimensions(machine, job.group) : logical_dimensions(machine);
  job.config.implementation(job.kind) = {.per_dimension = job.algorithms, .flat = job.flat};
  const std::vector<CollectiveKind> used{job.kind};
  return exact_scope(job.config, used, logical, machine, contention);
}

TEST(ExactScope, OneRankTellsAllWhereMessagesDoNotMeet) {
  for (const DimensionKind kind :
       {DimensionKind::ring, DimensionKind::fully_connected, DimensionKind::switched}) {
    for (const Algorithm& algorithm :
         {Algorithm{kRing}, Algorithm{kDirect}, Algorithm{kDirect, 2}, Algorithm{kHalvingDoubling}}) {
      EXPECT_EQ(scope({{{kind, 8}}, {algorithm}}, kAlone), Scope::rank_0);
    }
  }
}

TEST(ExactScope, ATreeNeedsItsGroup) {
  EXPECT_EQ(scope({{{DimensionKind::switched, 8}}, {{kDoubleBinaryTree}}}, kAlone), Scope::group);
  EXPECT_EQ(scope({{{DimensionKind::fully_connected, 8}}, {{kDoubleBinaryTree}}}, kSharing), Scope::group);
  EXPECT_EQ(scope({{{DimensionKind::ring, 1}}, {{kDoubleBinaryTree}}}, kAlone), Scope::rank_0);
}

TEST(ExactScope, OneChunkAtATimeNeedsOneRankUnlessMessagesCrossALinkOfOthers) {
  for (const Algorithm& algorithm :
       {Algorithm{kRing}, Algorithm{kDirect}, Algorithm{kDirect, 2}, Algorithm{kHalvingDoubling}}) {
    EXPECT_EQ(scope({{{DimensionKind::switched, 8}}, {algorithm}}, kSharing), Scope::rank_0);
    EXPECT_EQ(scope({{{DimensionKind::fully_connected, 8}}, {algorithm}}, kSharing), Scope::rank_0);
    const bool neighbours = algorithm.kind == kRing;
    EXPECT_EQ(scope({{{DimensionKind::ring, 8}}, {algorithm}}, kSharing),
              neighbours ? Scope::rank_0 : Scope::group);
    EXPECT_EQ(scope({{{DimensionKind::ring, 2}}, {algorithm}}, kSharing), Scope::rank_0);
  }
  EXPECT_EQ(scope({{{DimensionKind::ring, 3}}, {{kDirect}}}, kSharing), Scope::rank_0);
}

TEST(ExactScope, SeveralChunksOnASwitchNeedTheGroupUnlessAllComeFromOneNeighbour) {
  for (const SystemConfig& config :
       {SystemConfig{.active_chunks = 2}, SystemConfig{.queues_per_dimension = 2}}) {
    EXPECT_EQ(
        scope({.dimensions = {{DimensionKind::switched, 8}}, .algorithms = {{kDirect}}, .config = config},
              kSharing),
        Scope::group);
  }
  const SystemConfig many{.active_chunks = 4};
  EXPECT_EQ(scope({.dimensions = {{DimensionKind::switched, 8}}, .algorithms = {{kRing}}, .config = many},
                  kSharing),
            Scope::rank_0);
  EXPECT_EQ(
      scope({.dimensions = {{DimensionKind::fully_connected, 8}}, .algorithms = {{kDirect}}, .config = many},
            kSharing),
      Scope::rank_0);
}

TEST(ExactScope, ChunksOfDifferentSymmetryOnAMeshNeedTheGroup) {
  SystemConfig config{.active_chunks = 2};
  config.implementation(all_gather) = {{{kRing}}};
  config.implementation(all_reduce) = {{{kHalvingDoubling}}};
  const topology::Hierarchy machine({{DimensionKind::fully_connected, 8}});
  const LogicalDimensions logical = logical_dimensions(machine);
  EXPECT_EQ(exact_scope(config, std::vector{all_gather, all_reduce}, logical, machine, kSharing),
            Scope::group);
  EXPECT_EQ(exact_scope(config, std::vector{all_reduce}, logical, machine, kSharing), Scope::rank_0);
  EXPECT_EQ(exact_scope(config, std::vector{all_gather, all_reduce}, logical, machine, kAlone),
            Scope::rank_0);
}

TEST(ExactScope, APartOfARingIsNotSymmetric) {
  const Job part{.dimensions = {{DimensionKind::ring, 8}}, .algorithms = {{kRing}, {kRing}}, .group = 4};
  EXPECT_EQ(scope(part, kAlone), Scope::group);
  EXPECT_EQ(scope(part, kSharing), Scope::all);
  const Job halving{.dimensions = {{DimensionKind::ring, 8}},
                    .algorithms = {{kHalvingDoubling}, {kHalvingDoubling}},
                    .group = 4};
  EXPECT_EQ(scope(halving, kAlone), Scope::rank_0);
}

TEST(ExactScope, BothPartsOfASwitchUseItsPorts) {
  const Job part{.dimensions = {{DimensionKind::switched, 8}}, .algorithms = {{kRing}, {kRing}}, .group = 4};
  EXPECT_EQ(scope(part, kAlone), Scope::rank_0);
  EXPECT_EQ(scope(part, kSharing), Scope::all);
}

TEST(ExactScope, AFlatCollectiveNeedsAllRanksUnlessTheOrderOfPeersDoesNotMatter) {
  const std::vector<topology::Hierarchy::Dimension> torus{{DimensionKind::ring, 4}, {DimensionKind::ring, 2}};
  const auto flat = [&](CollectiveKind kind, Algorithm algorithm) {
    return Job{.dimensions = torus, .algorithms = {algorithm}, .flat = true, .kind = kind};
  };
  EXPECT_EQ(scope(flat(all_to_all, {kDirect}), kAlone), Scope::rank_0);
  EXPECT_EQ(scope(flat(all_to_all, {kDirect, 7}), kAlone), Scope::rank_0);
  EXPECT_EQ(scope(flat(all_to_all, {kDirect, 3}), kAlone), Scope::group);
  EXPECT_EQ(scope(flat(all_reduce, {kDirect}), kAlone), Scope::group) << "answers go out while others arrive";
  EXPECT_EQ(scope(flat(all_reduce, {kHalvingDoubling}), kAlone), Scope::rank_0);
  EXPECT_EQ(scope(flat(all_to_all, {kRing}), kAlone), Scope::group);
  EXPECT_EQ(scope(flat(all_to_all, {kDirect}), kSharing), Scope::all);
}

TEST(ExactScope, AFlatCollectiveOnOneRealDimensionIsAPhaseAlongIt) {
  const std::vector<topology::Hierarchy::Dimension> line{{DimensionKind::switched, 1},
                                                         {DimensionKind::ring, 5}};
  const Job job{.dimensions = line, .algorithms = {{kDirect}}, .flat = true, .kind = all_to_all};
  EXPECT_EQ(scope(job, kAlone), Scope::rank_0);
  EXPECT_EQ(scope(job, kSharing), Scope::group) << "it is a ring, though dimension 0 is a switch";
}

TEST(ExactScope, HandshakesMeetDataThatOnlyPeersSend) {
  const SystemConfig config{.rendezvous = true};
  const Job job{.dimensions = {{DimensionKind::switched, 8}}, .algorithms = {{kDirect}}, .config = config};
  EXPECT_EQ(scope(job, kAlone), Scope::rank_0);
  EXPECT_EQ(scope(job, kSharing), Scope::group);
}

TEST(ExactScope, ABusOfEveryRankIsAsBusyAsThatOfRank0) {
  const SystemConfig config{.shared_bus = SharedBus{}};
  EXPECT_EQ(scope({.dimensions = {{DimensionKind::switched, 8}}, .algorithms = {{kRing}}, .config = config},
                  kAlone),
            Scope::rank_0);
  EXPECT_EQ(scope({.dimensions = {{DimensionKind::switched, 8}},
                   .algorithms = {{kDoubleBinaryTree}},
                   .config = config},
                  kAlone),
            Scope::all);
}

}  // namespace
}  // namespace overture::system
