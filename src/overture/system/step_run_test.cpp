// When a rank sends what, in a collective that is told step by step. A message of m bytes takes 10 + m ns.
#include <gtest/gtest.h>

#include "overture/system/steps.h"
#include "overture/system/testing.h"

namespace overture::system {
namespace {

using namespace literals;
using enum CollectiveKind;

PhaseOutcome play_steps(CollectiveKind kind, Steps steps, Bytes data) {
  const int ranks = steps.ranks;
  const Phase phase{.kind = kind,
                    .algorithm = {.kind = kFromFile, .steps = std::make_shared<Steps>(std::move(steps))},
                    .dimension = {.size = ranks, .stride = 1},
                    .input = data,
                    .output = data};
  return play(meshes({ranks}), {.endpoint_delay = Duration{}, .reduction = Duration{}}, phase, Scope::all);
}

Steps chain_of(int ranks) {
  Steps steps{.ranks = ranks, .chunks = 1, .transfers = {}};
  for (int rank = 1; rank < ranks; ++rank)
    steps.transfers.push_back({.step = rank - 1, .from = rank - 1, .to = rank});
  return steps;
}

// The root tells everybody itself: in one step, or in as many as there are others.
Steps star_of(int ranks, bool at_once) {
  Steps steps{.ranks = ranks, .chunks = 1, .transfers = {}};
  for (int rank = 1; rank < ranks; ++rank)
    steps.transfers.push_back({.step = at_once ? 0 : rank - 1, .from = 0, .to = rank});
  return steps;
}

TEST(StepRun, AChainPassesOnWhatHasArrived) {
  EXPECT_EQ(play_steps(broadcast, chain_of(5), 90_B).duration, 400ns);
}

TEST(StepRun, SendsOfOneStepGoAtOnce) {
  EXPECT_EQ(play_steps(broadcast, star_of(5, true), 90_B).duration, 100ns);
}

// Else a root would give every child a share of its link, and all of them would have it late.
TEST(StepRun, ARankSendsAChunkInItsNextStepWhenThatOfTheStepBeforeHasArrived) {
  EXPECT_EQ(play_steps(broadcast, star_of(5, false), 90_B).duration, 400ns);
  Steps two_and_two = star_of(5, true);
  two_and_two.transfers[2].step = two_and_two.transfers[3].step = 7;
  EXPECT_EQ(play_steps(broadcast, two_and_two, 90_B).duration, 200ns);
}

// 1 hears in step 0 and tells 3 in step 1 while 0 tells 2: a tree takes as many messages as it has levels.
TEST(StepRun, ABroadcastTakesOneMessageALevel) {
  for (const auto& [ranks, levels] : {std::pair{2, 1}, {3, 2}, {4, 2}, {5, 3}, {8, 3}, {24, 5}})
    EXPECT_EQ(play_steps(broadcast, binomial_broadcast(ranks), 90_B).duration, levels * 100ns) << ranks;
}

TEST(StepRun, DifferentChunksDoNotWaitForEachOther) {
  Steps steps{.ranks = 3, .chunks = 3, .transfers = {}};
  for (int chunk = 0; chunk < 3; ++chunk) {
    steps.transfers.push_back({.step = chunk, .from = 0, .to = 1, .chunk = chunk});
  }
  for (int chunk = 0; chunk < 3; ++chunk)
    steps.transfers.push_back({.step = 3 + chunk, .from = 1, .to = 2, .chunk = chunk});
  EXPECT_EQ(play_steps(broadcast, steps, 270_B).duration, 200ns);
}

// Its byte takes no link: a rank goes on when it has heard, not when it has been heard.
TEST(StepRun, ABarrierGoesOnWhenItsMessageCameIn) {
  Steps steps{.ranks = 2, .chunks = 1, .transfers = {}};
  steps.transfers = {{.step = 0, .from = 0, .to = 1, .reduce = true},
                     {.step = 1, .from = 0, .to = 1, .reduce = true},
                     {.step = 1, .from = 1, .to = 0, .reduce = true}};
  EXPECT_EQ(play_steps(barrier, steps, Bytes{}).duration, 22ns) << "1 waits for 0; 0 sends both at once";
}

}  // namespace
}  // namespace overture::system
