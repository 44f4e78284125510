// A collective told step by step: who sends which chunk to whom, and whether the receiver adds it to what it
// has or takes it over. What a user writes into a file to try an algorithm of their own; broadcast and
// barrier are made of it, too. No clock and no network: step_run.h plays it.
#pragma once

#include <vector>

#include "overture/base/result.h"
#include "overture/base/units.h"
#include "overture/system/collective.h"

namespace overture::system {

struct Transfer {
  int step = 0;
  int from = 0;
  int to = 0;
  int chunk = 0;
  bool reduce = false;  // add to what is there; else it is replaced
};

// The data is cut into `chunks` of equal size. Of a reduce-scatter or an all-gather, rank r owns the chunks
// from r * chunks / ranks on; of an all-to-all, the chunks are numbered by source, then by destination.
struct Steps {
  int ranks = 0;
  int chunks = 0;
  std::vector<Transfer> transfers;  // ascending by step
};

Steps binomial_broadcast(int ranks);
Steps dissemination_barrier(int ranks);
// One step in which everybody sends to everybody, nearest first.
Steps all_pairs(int ranks);

// The bytes of a chunk, if a rank holds `data` before.
Bytes chunk_size(CollectiveKind kind, const Steps& steps, Bytes data, int chunk);

// Plays the steps on symbols. Fails, naming the step and what is wrong there, if somebody sends what they do
// not have, a contribution is added twice or lost, or the end is not that of the collective.
Result<bool> verify(CollectiveKind kind, const Steps& steps);

}  // namespace overture::system
