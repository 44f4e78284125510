#include "overture/system/schedule.h"

#include <array>
#include <bit>
#include <deque>
#include <functional>
#include <set>

#include <gtest/gtest.h>

namespace overture::system {
namespace {

using enum CollectiveKind;

constexpr std::array kRankCounts{2, 3, 4, 5, 6, 7, 8, 9, 16, 32};

int wrapped(int coordinate, int ranks) { return (coordinate % ranks + ranks) % ranks; }
bool power_of_two(int n) { return (n & (n - 1)) == 0; }

std::int64_t bytes_sent(const Schedule& schedule) {
  std::int64_t sum = 0;
  for (std::int64_t k = 0; k < schedule.messages(); ++k) sum += schedule.size(k).count();
  return sum;
}

// Runs `body` with every number of ranks and every algorithm that can do `kind`, both ways round.
template <class Body>
void for_every_schedule(CollectiveKind kind, Body body) {
  for (const int ranks : kRankCounts) {
    for (const Algorithm& algorithm : {Algorithm{kRing}, Algorithm{kDirect}, Algorithm{kDirect, 2},
                                       Algorithm{kDirect, 1}, Algorithm{kHalvingDoubling}}) {
      if (algorithm.kind == kHalvingDoubling && (!power_of_two(ranks) || kind == all_to_all)) continue;
      for (const int direction : {1, -1}) {
        SCOPED_TRACE(testing::Message() << ranks << " ranks, algorithm " << name(algorithm.kind)
                                        << ", window " << algorithm.window << ", direction " << direction);
        body(Schedule(kind, algorithm, ranks, Bytes{320 * ranks}, direction), algorithm.kind, ranks,
             direction);
      }
    }
  }
}

// held[r][s][c]: how often the data of shard s that rank r holds contains rank c's contribution.
using Shards = std::vector<std::vector<int>>;
using Held = std::vector<Shards>;

// Everybody has its own contribution to every shard.
Held own_contributions(int ranks) {
  Held held(ranks, Shards(ranks, std::vector<int>(ranks)));
  for (int r = 0; r < ranks; ++r) {
    for (auto& shard : held[r]) shard[r] = 1;
  }
  return held;
}

// Everybody has one complete shard, number `first` more than its own, and nothing else.
Held complete_shards(int ranks, int first) {
  Held held(ranks, Shards(ranks, std::vector<int>(ranks)));
  for (int r = 0; r < ranks; ++r) held[r][wrapped(r + first, ranks)].assign(ranks, 1);
  return held;
}

// Which shards message `step` of a scattering or a gathering half carries from `rank` to `to`.
using Carried = std::function<std::vector<int>(int step, int rank, int to)>;

// Plays messages from `begin` to `end` in step. The receivers add what comes to what they have, or take it
// over.
void play(const Schedule& schedule, int ranks, int begin, int end, bool reduce, const Carried& carried,
          Held& held) {
  for (int k = begin; k < end; ++k) {
    Held next = held;
    for (int r = 0; r < ranks; ++r) {
      const Exchange exchange = schedule.exchange(k, r);
      const int to = wrapped(r + exchange.to, ranks);
      EXPECT_EQ(wrapped(to + schedule.exchange(k, to).from, ranks), r) << "the receiver listens to another";
      const std::vector<int> shards = carried(k - begin, r, to);
      for (const int s : shards) {
        for (int c = 0; c < ranks; ++c) next[to][s][c] = (reduce ? next[to][s][c] : 0) + held[r][s][c];
      }
    }
    held = next;
  }
}

// The shards that a rank gives away in a scattering step, and passes on in a gathering one, such that rank r
// is left with shard r + `shift`, and starts from it.
struct Halves {
  Carried scatter;
  Carried gather;
  int shift;
};

Halves halves_of(AlgorithmKind algorithm, int ranks, int direction) {
  if (algorithm == kRing) {
    return {
        .scatter = [=](int step, int r, int) { return std::vector{wrapped(r - direction * step, ranks)}; },
        .gather = [=](int step, int r,
                      int) { return std::vector{wrapped(r + direction - direction * step, ranks)}; },
        .shift = direction};
  }
  if (algorithm == kDirect) {
    return {.scatter = [](int, int, int to) { return std::vector{to}; },
            .gather = [](int, int r, int) { return std::vector{r}; },
            .shift = 0};
  }
  // Halving: what agrees with the partner in all bits met so far goes to it. Doubling: all that one has goes.
  const auto agreeing = [=](int r, int bits) {
    std::vector<int> shards;
    for (int s = 0; s < ranks; ++s) {
      if ((s & bits) == (r & bits)) shards.push_back(s);
    }
    return shards;
  };
  return {.scatter = [=](int step, int, int to) { return agreeing(to, (2 << step) - 1); },
          .gather = [=](int step, int r, int) { return agreeing(r, (ranks >> step) - 1); },
          .shift = 0};
}

int steps(AlgorithmKind algorithm, int ranks) {
  return algorithm == kHalvingDoubling ? std::countr_zero(static_cast<unsigned>(ranks)) : ranks - 1;
}

TEST(Schedule, AReduceScatterLeavesEachRankItsShardWithAllContributions) {
  for_every_schedule(
      reduce_scatter, [](const Schedule& schedule, AlgorithmKind algorithm, int ranks, int direction) {
        const Halves halves = halves_of(algorithm, ranks, direction);
        Held held = own_contributions(ranks);
        play(schedule, ranks, 0, steps(algorithm, ranks), true, halves.scatter, held);
        EXPECT_EQ(schedule.messages(), steps(algorithm, ranks));
        for (int r = 0; r < ranks; ++r) {
          EXPECT_EQ(held[r][wrapped(r + halves.shift, ranks)], std::vector<int>(ranks, 1)) << "rank " << r;
        }
        EXPECT_EQ(bytes_sent(schedule), 320 * (ranks - 1));
      });
}

TEST(Schedule, AnAllGatherGivesAllShardsToAll) {
  for_every_schedule(all_gather,
                     [](const Schedule& schedule, AlgorithmKind algorithm, int ranks, int direction) {
                       const Halves halves = halves_of(algorithm, ranks, direction);
                       Held held = complete_shards(ranks, halves.shift);
                       play(schedule, ranks, 0, steps(algorithm, ranks), false, halves.gather, held);
                       EXPECT_EQ(schedule.messages(), steps(algorithm, ranks));
                       EXPECT_EQ(held, Held(ranks, Shards(ranks, std::vector<int>(ranks, 1))));
                       EXPECT_EQ(bytes_sent(schedule), 320 * ranks * (ranks - 1));
                     });
}

TEST(Schedule, AnAllReduceLeavesEveryoneWithEveryContributionOnce) {
  for_every_schedule(all_reduce,
                     [](const Schedule& schedule, AlgorithmKind algorithm, int ranks, int direction) {
                       const Halves halves = halves_of(algorithm, ranks, direction);
                       const int half = steps(algorithm, ranks);
                       Held held = own_contributions(ranks);
                       play(schedule, ranks, 0, half, true, halves.scatter, held);
                       play(schedule, ranks, half, 2 * half, false, halves.gather, held);
                       EXPECT_EQ(schedule.messages(), 2 * half);
                       EXPECT_EQ(held, Held(ranks, Shards(ranks, std::vector<int>(ranks, 1))));
                       EXPECT_EQ(bytes_sent(schedule), 2 * 320 * (ranks - 1));
                     });
}

// A piece of an all-to-all: whose it is and for whom.
using Piece = std::pair<int, int>;

TEST(Schedule, AnAllToAllDeliversEveryPieceOnce) {
  for_every_schedule(all_to_all, [](const Schedule& schedule, AlgorithmKind algorithm, int ranks, int) {
    std::vector<std::deque<Piece>> waiting(ranks);
    std::vector<std::vector<int>> delivered(ranks, std::vector<int>(ranks));
    for (int r = 0; r < ranks; ++r) {
      // In the order in which the schedule meets their receivers: at once, or after so many hops.
      for (int distance = 1; distance < ranks; ++distance) {
        const int step = algorithm == kRing ? 0 : distance - 1;
        const int offset = schedule.exchange(step, r).to * (algorithm == kRing ? distance : 1);
        waiting[r].emplace_back(r, wrapped(r + offset, ranks));
      }
    }
    for (int k = 0; k < schedule.messages(); ++k) {
      std::vector<std::pair<int, Piece>> arrivals;
      for (int r = 0; r < ranks; ++r) {
        ASSERT_FALSE(waiting[r].empty()) << "message " << k << " of rank " << r << " carries nothing";
        arrivals.emplace_back(wrapped(r + schedule.exchange(k, r).to, ranks), waiting[r].front());
        waiting[r].pop_front();
      }
      for (const auto& [at, piece] : arrivals) {
        if (piece.second == at) {
          ++delivered[piece.first][at];
        } else {
          waiting[at].push_back(piece);
        }
      }
    }
    for (int r = 0; r < ranks; ++r) {
      EXPECT_TRUE(waiting[r].empty());
      for (int to = 0; to < ranks; ++to) EXPECT_EQ(delivered[r][to], r == to ? 0 : 1) << r << " to " << to;
    }
  });
}

TEST(Schedule, ARingAllToAllPassesPiecesOnAndADirectOneDoesNot) {
  const Bytes data{800};
  EXPECT_EQ(Schedule(all_to_all, {kRing}, 8, data, 1).messages(), 28);
  EXPECT_EQ(bytes_sent(Schedule(all_to_all, {kRing}, 8, data, 1)), 2800);
  EXPECT_EQ(Schedule(all_to_all, {kDirect}, 8, data, 1).messages(), 7);
  EXPECT_EQ(bytes_sent(Schedule(all_to_all, {kDirect}, 8, data, 1)), 700);
}

TEST(Schedule, HalvingDoublingHalvesThenDoubles) {
  const auto sizes = [](const Schedule& schedule) {
    std::vector<std::int64_t> result;
    for (std::int64_t k = 0; k < schedule.messages(); ++k) result.push_back(schedule.size(k).count());
    return result;
  };
  using Sizes = std::vector<std::int64_t>;
  EXPECT_EQ(sizes(Schedule(reduce_scatter, {kHalvingDoubling}, 8, Bytes{800}, 1)), (Sizes{400, 200, 100}));
  EXPECT_EQ(sizes(Schedule(all_gather, {kHalvingDoubling}, 8, Bytes{100}, 1)), (Sizes{100, 200, 400}));
  EXPECT_EQ(sizes(Schedule(all_reduce, {kHalvingDoubling}, 8, Bytes{800}, 1)),
            (Sizes{400, 200, 100, 100, 200, 400}));
  // The last piece, 25 bytes, is odd: the way out starts from twice 12.
  EXPECT_EQ(sizes(Schedule(all_reduce, {kHalvingDoubling}, 8, Bytes{200}, 1)),
            (Sizes{100, 50, 25, 24, 48, 96}));
}

TEST(Schedule, AWindowIsAtMostAllPeers) {
  EXPECT_EQ(Schedule(all_gather, {kDirect}, 5, Bytes{10}, 1).window(), 4);
  EXPECT_EQ(Schedule(all_gather, {kDirect, 3}, 5, Bytes{10}, 1).window(), 3);
  EXPECT_EQ(Schedule(all_gather, {kDirect, 9}, 5, Bytes{10}, 1).window(), 4);
  EXPECT_EQ(Schedule(all_gather, {kRing}, 5, Bytes{10}, 1).window(), 1);
}

TEST(Schedule, OnlyADirectAllReduceWaitsInTheMiddle) {
  EXPECT_EQ(Schedule(all_reduce, {kDirect, 2}, 5, Bytes{10}, 1).middle(), 4);
  EXPECT_EQ(Schedule(reduce_scatter, {kDirect, 2}, 5, Bytes{10}, 1).middle(), 0);
  EXPECT_EQ(Schedule(all_reduce, {kRing}, 5, Bytes{10}, 1).middle(), 0);
}

TEST(OutputSize, ScatteringDividesGatheringMultipliesAndTreesDoNeither) {
  EXPECT_EQ(output_size(reduce_scatter, kRing, 3, Bytes{100}), Bytes{33});
  EXPECT_EQ(output_size(all_gather, kRing, 3, Bytes{100}), Bytes{300});
  EXPECT_EQ(output_size(all_reduce, kRing, 3, Bytes{100}), Bytes{100});
  EXPECT_EQ(output_size(all_to_all, kRing, 3, Bytes{100}), Bytes{100});
  EXPECT_EQ(output_size(reduce_scatter, kDoubleBinaryTree, 4, Bytes{100}), Bytes{100});
  EXPECT_EQ(output_size(all_gather, kDoubleBinaryTree, 4, Bytes{100}), Bytes{100});
}

TEST(ReductionTime, IsThreeCutTimesHalfAMegabyteEachNanosecond) {
  EXPECT_EQ(reduction_time(Bytes{499'999}), Nanoseconds{0});
  EXPECT_EQ(reduction_time(Bytes{500'000}), Nanoseconds{3});
  EXPECT_EQ(reduction_time(Bytes{1'999'999}), Nanoseconds{9});
}

// A receiver waits for each message under a number of its own, and all of them come.
TEST(Schedule, NaiveDirectMeetsEveryPeerInOrderOfTheirRanks) {
  for (const int ranks : kRankCounts) {
    const Schedule schedule(all_reduce, {kNaiveDirect}, ranks, Bytes{320 * ranks}, 1);
    ASSERT_EQ(schedule.messages(), 2 * (ranks - 1));
    std::vector<std::set<std::int64_t>> waited(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
      int before = -1;
      for (std::int64_t k = 0; k < schedule.messages(); ++k) {
        const int to = rank + schedule.exchange(k, rank).to;
        EXPECT_NE(to, rank);
        EXPECT_TRUE(k % (ranks - 1) == 0 || to > before) << k;
        before = to;
        const std::int64_t number = schedule.number_at_receiver(k, rank);
        EXPECT_EQ(to + schedule.exchange(number, to).from, rank) << "the receiver listens to another";
        EXPECT_EQ(schedule.number_at_receiver(number, to), k);
        waited[static_cast<std::size_t>(to)].insert(number);
      }
    }
    for (const auto& numbers : waited) EXPECT_EQ(std::ssize(numbers), schedule.messages());
  }
}

}  // namespace
}  // namespace overture::system
