// What holds for random chunks, groups and steps, each against the same thing done plainly.
#include <algorithm>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/base/testing.h"
#include "overture/system/chunk_queue.h"
#include "overture/system/dimension_order.h"
#include "overture/system/logical_dimensions.h"
#include "overture/system/steps.h"

namespace overture::system {
namespace {

using enum CollectiveKind;
using topology::DimensionKind;

// ---- steps

// held[rank][chunk][from]: how often rank `from`'s share is in what `rank` has of a chunk.
using Held = std::vector<std::vector<std::vector<int>>>;

// Plays steps with whole numbers: what is reduced is added up, all else replaced. Nothing is checked.
Held play(const Steps& steps, Held held) {
  for (std::size_t i = 0; i < steps.transfers.size();) {
    const Held before = held;
    for (const int step = steps.transfers[i].step;
         i < steps.transfers.size() && steps.transfers[i].step == step; ++i) {
      const Transfer& t = steps.transfers[i];
      const auto& sent = before[static_cast<std::size_t>(t.from)][static_cast<std::size_t>(t.chunk)];
      auto& mine = held[static_cast<std::size_t>(t.to)][static_cast<std::size_t>(t.chunk)];
      for (std::size_t from = 0; from < mine.size(); ++from)
        mine[from] = (t.reduce ? mine[from] : 0) + sent[from];
    }
  }
  return held;
}

Held own_shares(const Steps& steps, CollectiveKind kind) {
  Held held(static_cast<std::size_t>(steps.ranks),
            std::vector(static_cast<std::size_t>(steps.chunks),
                        std::vector<int>(static_cast<std::size_t>(steps.ranks))));
  for (std::size_t rank = 0; rank < held.size(); ++rank) {
    if (kind == broadcast && rank > 0) break;
    for (auto& chunk : held[rank]) chunk[rank] = 1;
  }
  return held;
}

Steps ring_all_reduce(int ranks) {
  Steps steps{.ranks = ranks, .chunks = ranks, .transfers = {}};
  for (int step = 0; step < 2 * (ranks - 1); ++step) {
    for (int rank = 0; rank < ranks; ++rank)
      steps.transfers.push_back(
          {step, rank, (rank + 1) % ranks, (rank - step + 2 * ranks) % ranks, step < ranks - 1});
  }
  return steps;
}

// Whatever is changed in a right list of steps: what passes leaves everybody with every share once.
TEST(StepsProperties, WhatIsVerifiedIsRight) {
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    RandomStream random(seed, 0);
    const int ranks = 2 + static_cast<int>(random.below(5));
    const bool reduces = random.below(2) == 0;
    const CollectiveKind kind = reduces ? all_reduce : broadcast;
    Steps steps = reduces ? ring_all_reduce(ranks) : binomial_broadcast(ranks);
    for (std::uint64_t changes = random.below(3); changes > 0 && !steps.transfers.empty(); --changes) {
      const std::size_t at = random.below(steps.transfers.size());
      Transfer& t = steps.transfers[at];
      switch (random.below(4)) {
        case 0: steps.transfers.erase(steps.transfers.begin() + static_cast<std::ptrdiff_t>(at)); break;
        case 1: t.reduce = !t.reduce; break;
        case 2: t.to = (t.to + 1) % ranks; break;
        default:
          steps.transfers.insert(steps.transfers.begin() + static_cast<std::ptrdiff_t>(at), Transfer(t));
          break;
      }
    }
    if (!verify(kind, steps)) {
      ++refused;
      continue;
    }
    const Held held = play(steps, own_shares(steps, kind));
    for (const auto& rank : held) {
      for (const auto& chunk : rank) {
        for (std::size_t from = 0; from < chunk.size(); ++from)
          ASSERT_EQ(chunk[from], kind == broadcast && from > 0 ? 0 : 1) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_LT(refused, 300);
}

TEST(StepsProperties, NoTransferCanBeLeftOut) {
  for (int ranks = 2; ranks <= 8; ++ranks) {
    for (const auto& [kind, whole] :
         {std::pair{all_reduce, ring_all_reduce(ranks)}, std::pair{broadcast, binomial_broadcast(ranks)},
          std::pair{all_to_all, all_pairs(ranks)}}) {
      for (std::size_t i = 0; i < whole.transfers.size(); ++i) {
        Steps less = whole;
        less.transfers.erase(less.transfers.begin() + static_cast<std::ptrdiff_t>(i));
        EXPECT_FALSE(verify(kind, less)) << ranks << " ranks, without transfer " << i;
      }
    }
  }
}

TEST(StepsProperties, ABroadcastTakesAsManyStepsAsRanksCanDouble) {
  for (int ranks = 2; ranks <= 40; ++ranks) {
    const Steps steps = binomial_broadcast(ranks);
    EXPECT_EQ(static_cast<int>(steps.transfers.size()), ranks - 1) << "everybody hears once";
    int doubled = 1;
    int rounds = 0;
    for (; doubled < ranks; doubled *= 2) ++rounds;
    EXPECT_EQ(steps.transfers.back().step - steps.transfers.front().step + 1, rounds);
  }
}

// ---- queues

// Waiting chunks in a list that is sorted anew whenever one comes.
TEST(ChunkQueueProperties, FifoIsByPriorityThenAsTheyCame) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    RandomStream random(seed, 0);
    const int limit = 1 + static_cast<int>(random.below(4));
    ChunkQueue queue(IntraOrder::fifo, limit);
    std::vector<QueuedChunk> waiting;
    std::vector<std::int32_t> running;
    for (std::int32_t step = 0; step < 300; ++step) {
      if (random.below(2) == 0) {
        const QueuedChunk chunk{.id = step, .priority = static_cast<std::int64_t>(random.below(4))};
        queue.insert(chunk);
        waiting.push_back(chunk);
        std::ranges::stable_sort(waiting, std::greater{}, &QueuedChunk::priority);
      } else if (!running.empty() && random.below(2) == 0) {
        const std::size_t which = random.below(running.size());
        queue.remove(running[which]);
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(which));
      } else {
        const bool may = !waiting.empty() && static_cast<int>(running.size()) < limit;
        const std::int32_t started = queue.start_next();
        ASSERT_EQ(started, may ? waiting.front().id : -1) << "seed " << seed << " step " << step;
        if (!may) continue;
        running.push_back(started);
        waiting.erase(waiting.begin());
      }
      ASSERT_EQ(queue.size(), waiting.size() + running.size());
    }
  }
}

// Whatever the order: nobody is lost, nobody starts twice, and never more than the limit run.
TEST(ChunkQueueProperties, EveryChunkStartsOnceInAnyOrder) {
  for (const IntraOrder order : {IntraOrder::fifo, IntraOrder::rg, IntraOrder::smallest_first,
                                 IntraOrder::less_remaining_phase_first}) {
    RandomStream random(7, static_cast<std::uint64_t>(order));
    ChunkQueue queue(order, 3);
    std::set<std::int32_t> started;
    std::vector<std::int32_t> running;
    std::int32_t inserted = 0;
    const auto start = [&] {
      for (std::int32_t id = queue.start_next(); id >= 0; id = queue.start_next()) {
        EXPECT_TRUE(started.insert(id).second);
        running.push_back(id);
        EXPECT_LE(running.size(), 3U);
      }
    };
    while (inserted < 400 || !running.empty()) {
      if (inserted < 400 && random.below(3) > 0) {
        queue.insert({.id = inserted++,
                      .priority = static_cast<std::int64_t>(random.below(3)),
                      .kind = random.below(2) == 0 ? reduce_scatter : all_gather,
                      .largest = Bytes{static_cast<std::int64_t>(random.below(100))},
                      .phases_left = static_cast<int>(random.below(4))});
      } else if (!running.empty()) {
        queue.remove(running.front());
        running.erase(running.begin());
      }
      start();
    }
    EXPECT_EQ(started.size(), 400U) << static_cast<int>(order);
    EXPECT_EQ(queue.size(), 0U);
  }
}

// ---- dimensions

topology::Hierarchy draw_machine(RandomStream& random) {
  std::vector<topology::Hierarchy::Dimension> dimensions;
  for (std::uint64_t d = 1 + random.below(4); d > 0; --d)
    dimensions.push_back({DimensionKind::ring, 1 + static_cast<int>(random.below(6))});
  return topology::Hierarchy(std::move(dimensions));
}

TEST(LogicalDimensionsProperties, AGroupIsTheFirstDimensionsAndAllTogetherAreTheMachine) {
  int broken = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    RandomStream random(seed, 0);
    const topology::Hierarchy machine = draw_machine(random);
    for (int group = 1; group <= machine.ranks(); ++group) {
      LogicalDimensions logical;
      if (!user_error([&] { logical = logical_dimensions(machine, group, "file"); }).empty()) continue;
      int product = 1;
      for (int d = 0; d < logical.count(); ++d) {
        const LogicalDimension& of = logical.dimensions[static_cast<std::size_t>(d)];
        EXPECT_EQ(of.stride, product);
        if (d == logical.model_dimensions) {
          EXPECT_EQ(product, group) << "seed " << seed;
        }
        product *= of.size;
      }
      EXPECT_EQ(product, machine.ranks());
      broken += logical.broken >= 0 ? 1 : 0;
    }
  }
  EXPECT_GT(broken, 50);
}

TEST(LogicalDimensionsProperties, ANeighbourDiffersInItsCoordinateOnly) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    RandomStream random(seed, 1);
    const topology::Hierarchy machine = draw_machine(random);
    const LogicalDimensions logical = logical_dimensions(machine);
    for (int trial = 0; trial < 50; ++trial) {
      const Rank rank{static_cast<int>(random.below(static_cast<std::uint64_t>(machine.ranks())))};
      const int d = static_cast<int>(random.below(static_cast<std::uint64_t>(logical.count())));
      const int offset = static_cast<int>(random.below(21)) - 10;
      const LogicalDimension& along = logical.dimensions[static_cast<std::size_t>(d)];
      const Rank other = along.neighbour(rank, offset);
      for (int e = 0; e < logical.count(); ++e) {
        const int size = machine.dimension(e).size;
        const int expected = ((machine.coordinate(rank, e) + (e == d ? offset : 0)) % size + size) % size;
        EXPECT_EQ(machine.coordinate(other, e), expected);
      }
      EXPECT_EQ(along.neighbour(other, -offset), rank);
    }
  }
}

TEST(LogicalDimensionsProperties, AllRanksInOneFollowEachOther) {
  const topology::Hierarchy machine({{DimensionKind::ring, 3}, {DimensionKind::switched, 4}});
  const LogicalDimension flat = flat_dimension(machine);
  EXPECT_EQ(flat.size, 12);
  EXPECT_EQ(flat.neighbour(Rank{11}, 1), Rank{0});
  EXPECT_EQ(flat.neighbour(Rank{2}, 5), Rank{7});
}

// ---- the order of dimensions

TEST(DimensionOrderProperties, EveryChunkVisitsEveryDimensionOnceAndChunksAddUp) {
  for (const InterOrder policy :
       {InterOrder::ascending, InterOrder::round_robin, InterOrder::themis, InterOrder::themis_flex}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      RandomStream random(seed, 2);
      std::vector<DimensionOrder::Dimension> dimensions;
      for (std::uint64_t d = 1 + random.below(4); d > 0; --d)
        dimensions.push_back(
            {2 + static_cast<int>(random.below(6)), static_cast<double>(1 + random.below(9))});
      DimensionOrder order(policy, dimensions);
      order.collective_created(Time{});
      const DimensionMask mask(dimensions.size(), true);
      const Bytes all{static_cast<std::int64_t>(1'000'000 + random.below(50'000'000))};
      const Bytes nominal = all / static_cast<std::int64_t>(1 + random.below(16));
      Bytes left = all;
      int chunks = 0;
      for (; left > Bytes{} && chunks < 10'000; ++chunks) {
        const ChunkOrder next = order.next(all_reduce, left, nominal, mask);
        ASSERT_GT(next.size, Bytes{});
        ASSERT_LE(next.size, left);
        left -= next.size;
        std::vector<int> visited = next.dimensions;
        std::ranges::sort(visited);
        std::vector<int> each(dimensions.size());
        std::iota(each.begin(), each.end(), 0);
        ASSERT_EQ(visited, each) << "policy " << static_cast<int>(policy) << " seed " << seed;
      }
      EXPECT_EQ(left, Bytes{});
    }
  }
}

}  // namespace
}  // namespace overture::system
