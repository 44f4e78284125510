#include "overture/system/rounds.h"

#include <algorithm>

#include "overture/base/check.h"
#include "overture/system/algorithms.h"

namespace overture::system {
namespace {

using network::Pattern;

std::int64_t share(Bytes size, int ranks, bool round_down) {
  return (size.count() + (round_down ? 0 : ranks - 1)) / ranks;
}

// FlexFlow's ring with its two tests for an early end: before the first round for short messages, and
// after it when the size over 2(n-1)/n is short.
Rounds one_ring(Bytes size, int ranks, const RoundRules& rules) {
  Rounds rounds{.count = 2 * (ranks - 1)};
  const Int128 threshold = Int128{rules.end_ring_early_below.count()} * ranks;
  std::int64_t bytes = size.count();
  if (bytes < threshold) {
    bytes = bytes * 2 * (ranks - 1) / ranks;
    rounds.count = 1;
  } else if (Int128{bytes} * ranks <= threshold * 2 * (ranks - 1)) {
    rounds.count = 1;
  }
  rounds.each = Bytes{share(Bytes{bytes}, ranks, rules.drop_remainder)};
  return rounds;
}

Rounds to_and_from_first(Bytes size, int, const RoundRules&) {
  return {.first = Pattern::to_first, .second = Pattern::from_first, .count = 2, .each = size};
}

Rounds all_pairs_twice(Bytes size, int ranks, const RoundRules& rules) {
  return {.first = Pattern::all_pairs,
          .second = Pattern::all_pairs,
          .count = 2,
          .each = Bytes{share(size, ranks, rules.drop_remainder)}};
}

}  // namespace

constinit const AlgorithmFacts kLockstepRing{
    .word = "lockstep_ring", .can_do = {CollectiveKind::all_reduce}, .rounds = one_ring};

constinit const AlgorithmFacts kParameterServer{
    .word = "parameter_server", .can_do = {CollectiveKind::all_reduce}, .rounds = to_and_from_first};

constinit const AlgorithmFacts kDistributedParameterServer{.word = "distributed_parameter_server",
                                                           .can_do = {CollectiveKind::all_reduce},
                                                           .rounds = all_pairs_twice};

Rounds make_rounds(AlgorithmKind algorithm, Bytes size, int ranks, const RoundRules& rules) {
  check(ranks >= 1, "a group has ranks");
  const auto play = algorithm->rounds;
  check(play != nullptr, "only some algorithms go in rounds");
  if (ranks < 2 || size <= Bytes{0}) return {};
  // Where nothing would be left of the size, FlexFlow sends a byte to each.
  if (size.count() / ranks == 0) size = Bytes{ranks};
  Rounds rounds = play(size, ranks, rules);
  rounds.each = std::max(rounds.each, rules.smallest_message);
  return rounds;
}

Bytes traffic(const Rounds& rounds, int ranks) {
  std::int64_t count = 0;
  for (int round = 0; round < rounds.count; ++round) {
    count += network::messages(rounds.pattern(round), static_cast<std::size_t>(ranks));
  }
  return rounds.each * count;
}

}  // namespace overture::system
