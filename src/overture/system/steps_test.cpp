#include "overture/system/steps.h"

#include <gtest/gtest.h>

namespace overture::system {
namespace {

using namespace literals;
using enum CollectiveKind;

// Reduce-scatter round the ring, then all-gather.
Steps ring_all_reduce(int ranks) {
  Steps steps{.ranks = ranks, .chunks = ranks, .transfers = {}};
  for (int step = 0; step < 2 * (ranks - 1); ++step) {
    for (int rank = 0; rank < ranks; ++rank) {
      steps.transfers.push_back({.step = step,
                                 .from = rank,
                                 .to = (rank + 1) % ranks,
                                 .chunk = (rank - step + 2 * ranks) % ranks,
                                 .reduce = step < ranks - 1});
    }
  }
  return steps;
}

std::string problem(CollectiveKind kind, const Steps& steps) {
  const Result<bool> result = verify(kind, steps);
  return result ? "" : result.error();
}

TEST(Steps, WhatIsBuiltInIsRightForAnyNumberOfRanks) {
  for (int ranks = 2; ranks <= 33; ++ranks) {
    EXPECT_EQ(problem(broadcast, binomial_broadcast(ranks)), "") << ranks;
    EXPECT_EQ(problem(barrier, dissemination_barrier(ranks)), "") << ranks;
    EXPECT_EQ(problem(all_to_all, all_pairs(ranks)), "") << ranks;
    EXPECT_EQ(problem(all_reduce, ring_all_reduce(ranks)), "") << ranks;
  }
}

TEST(Steps, AMissingTransferIsFoundAtTheStepThatNeedsIt) {
  Steps steps = ring_all_reduce(4);
  steps.transfers.erase(steps.transfers.begin());  // 0 to 1 in step 0
  EXPECT_EQ(problem(all_reduce, steps), "step 3: rank 0 overwrites chunk 0 and loses rank 0's share of it");
  Steps gather{.ranks = 2, .chunks = 2, .transfers = {{.step = 3, .from = 0, .to = 1, .chunk = 1}}};
  EXPECT_EQ(problem(all_gather, gather), "step 3: rank 0 sends chunk 1, which it does not have");
}

TEST(Steps, WhatIsAddedTwiceOrOverwrittenIsRefused) {
  const Steps twice{.ranks = 2,
                    .chunks = 1,
                    .transfers = {{.step = 0, .from = 0, .to = 1, .reduce = true},
                                  {.step = 1, .from = 0, .to = 1, .reduce = true}}};
  EXPECT_EQ(problem(all_reduce, twice), "step 1: rank 1 adds rank 0's share of chunk 0 twice");
  const Steps lost{.ranks = 2, .chunks = 1, .transfers = {{.step = 0, .from = 0, .to = 1}}};
  EXPECT_EQ(problem(all_reduce, lost), "step 0: rank 1 overwrites chunk 0 and loses rank 1's share of it");
  const Steps itself{.ranks = 2, .chunks = 1, .transfers = {{.step = 0, .from = 1, .to = 1}}};
  EXPECT_EQ(problem(all_reduce, itself), "step 0: rank 1 sends to itself");
}

// 65,536 squared is 0 in 32 bits.
TEST(Steps, PairsOfManyRanksAreCounted) {
  const Steps steps{.ranks = 65'536, .chunks = 1, .transfers = {{.step = 0, .from = 0, .to = 65'535}}};
  EXPECT_EQ(problem(all_to_all, steps),
            "an all_to_all of 65536 ranks has a multiple of 4294967296 chunks, not 1");
}

TEST(Steps, ChunksAddUpToTheData) {
  const Steps ring = ring_all_reduce(3);
  Bytes sum;
  for (int chunk = 0; chunk < 3; ++chunk) sum += chunk_size(all_reduce, ring, 1000_B, chunk);
  EXPECT_EQ(sum, 1000_B);
  const Steps pairs = all_pairs(4);
  Bytes sent;  // by rank 1, its own share among it
  for (int to = 0; to < 4; ++to) sent += chunk_size(all_to_all, pairs, 1001_B, 4 + to);
  EXPECT_EQ(sent, 1001_B);
}

}  // namespace
}  // namespace overture::system
