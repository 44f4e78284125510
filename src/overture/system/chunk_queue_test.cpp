#include "overture/system/chunk_queue.h"

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

namespace overture::system {
namespace {

using enum CollectiveKind;

// Starts everything in the queue, one after the other, and says in which order.
std::vector<int> served(ChunkQueue queue) {
  std::vector<int> order;
  while (true) {
    const int id = queue.start_next();
    if (id < 0) return order;
    order.push_back(id);
    queue.remove(id);
  }
}

TEST(ChunkQueue, ServesHigherPrioritiesFirstAndTiesInTheOrderTheyCame) {
  ChunkQueue queue(IntraOrder::fifo, 1);
  queue.insert({.id = 1, .priority = 5});
  queue.insert({.id = 2, .priority = 5});
  queue.insert({.id = 3, .priority = 7});
  queue.insert({.id = 4, .priority = 6});
  queue.insert({.id = 5, .priority = 5});
  EXPECT_EQ(served(queue), (std::vector{3, 4, 1, 2, 5}));
}

// Ten thousand chunks of collectives that come one after the other, as LIFO and FIFO number them.
TEST(ChunkQueue, ServesManyAsASortByPriorityWould) {
  for (const int direction : {1, -1}) {
    ChunkQueue queue(IntraOrder::fifo, 1);
    std::vector<std::pair<std::int64_t, int>> expected;
    for (int id = 0; id < 10'000; ++id) {
      const std::int64_t priority = direction * (id / 1'000);
      queue.insert({.id = id, .priority = priority});
      expected.emplace_back(-priority, id);
    }
    std::ranges::sort(expected);
    std::vector<int> order;
    for (const auto& [priority, id] : expected) order.push_back(id);
    EXPECT_EQ(served(std::move(queue)), order);
  }
}

TEST(ChunkQueue, NeverPreemptsWhatRuns) {
  ChunkQueue queue(IntraOrder::fifo, 2);
  queue.insert({.id = 1, .priority = 1});
  EXPECT_EQ(queue.start_next(), 1);
  queue.insert({.id = 2, .priority = 9});
  queue.insert({.id = 3, .priority = 9});
  EXPECT_EQ(queue.start_next(), 2);
  EXPECT_EQ(queue.start_next(), -1) << "two run already";
  queue.remove(1);
  EXPECT_EQ(queue.start_next(), 3);
  EXPECT_EQ(queue.size(), 2U);
}

TEST(ChunkQueue, StartsNothingWhenNothingWaits) {
  ChunkQueue queue(IntraOrder::fifo, 3);
  EXPECT_EQ(queue.start_next(), -1);
  queue.insert({.id = 1});
  EXPECT_EQ(queue.start_next(), 1);
  EXPECT_EQ(queue.start_next(), -1);
}

QueuedChunk scatter(int id, std::int64_t size, int phases_left) {
  return {.id = id, .kind = reduce_scatter, .largest = Bytes{size}, .phases_left = phases_left};
}

TEST(ChunkQueue, SmallestFirstPutsAChunkBeforeTheFirstThatIsNotSmaller) {
  ChunkQueue queue(IntraOrder::smallest_first, 1);
  queue.insert(scatter(1, 30, 2));
  queue.insert(scatter(2, 10, 2));
  queue.insert(scatter(3, 20, 2));
  queue.insert(scatter(4, 20, 2));  // the newer of two equals goes first
  EXPECT_EQ(served(queue), (std::vector{2, 4, 3, 1}));
}

TEST(ChunkQueue, SmallestFirstSendsChunksWithOnePhaseLeftToTheEnd) {
  ChunkQueue queue(IntraOrder::smallest_first, 1);
  queue.insert(scatter(1, 30, 2));
  queue.insert(scatter(2, 10, 1));
  queue.insert(scatter(3, 20, 2));
  queue.insert(scatter(4, 5, 0));
  EXPECT_EQ(served(queue), (std::vector{4, 3, 1, 2}));
}

TEST(ChunkQueue, SmallestFirstAsksNoPriorityOfScattersButOnlyThatOfReduces) {
  ChunkQueue queue(IntraOrder::smallest_first, 1);
  QueuedChunk urgent = scatter(1, 30, 2);
  urgent.priority = 9;
  queue.insert(urgent);
  queue.insert(scatter(2, 10, 2));
  queue.insert({.id = 3, .priority = 1, .kind = all_reduce, .largest = Bytes{1}});
  queue.insert({.id = 4, .priority = 2, .kind = all_to_all, .largest = Bytes{50}});
  // 2 has priority 0, so the all-reduce and the all-to-all both stop before it.
  EXPECT_EQ(served(queue), (std::vector{4, 3, 2, 1}));
}

TEST(ChunkQueue, LessRemainingPhaseFirstPutsAChunkBeforeTheFirstWithAtLeastAsMany) {
  ChunkQueue queue(IntraOrder::less_remaining_phase_first, 1);
  queue.insert(scatter(1, 10, 3));
  queue.insert(scatter(2, 10, 1));
  queue.insert(scatter(3, 10, 2));
  queue.insert(scatter(4, 10, 2));
  queue.insert(scatter(5, 10, 0));
  EXPECT_EQ(served(queue), (std::vector{5, 2, 4, 3, 1}));
}

TEST(ChunkQueue, OtherOrdersThanFifoStillStandBehindWhatRuns) {
  for (const IntraOrder order :
       {IntraOrder::smallest_first, IntraOrder::less_remaining_phase_first, IntraOrder::rg}) {
    ChunkQueue queue(order, 1);
    queue.insert(scatter(1, 30, 5));
    EXPECT_EQ(queue.start_next(), 1);
    queue.insert(scatter(2, 10, 2));
    EXPECT_EQ(queue.start_next(), -1);
    queue.remove(1);
    EXPECT_EQ(queue.start_next(), 2);
  }
}

QueuedChunk gather(int id, std::int64_t priority = 0) {
  return {.id = id, .priority = priority, .kind = all_gather};
}

TEST(ChunkQueue, RgWalksOnWhileScattersAndGathersTakeTurns) {
  ChunkQueue queue(IntraOrder::rg, 1);
  queue.insert(scatter(1, 10, 2));
  EXPECT_EQ(queue.start_next(), 1);
  queue.insert(gather(2));
  queue.insert(scatter(3, 10, 2));
  queue.insert(gather(4));          // 1, 2 and 3 take turns: to the end
  queue.insert(gather(5));          // and so does 4
  queue.insert(scatter(6, 10, 2));  // 5 comes out of turn: before it
  queue.remove(1);
  EXPECT_EQ(served(queue), (std::vector{2, 3, 4, 6, 5}));
}

TEST(ChunkQueue, RgPassesTheFirstThatWaitsWhateverItIs) {
  ChunkQueue queue(IntraOrder::rg, 1);
  queue.insert(gather(1));
  EXPECT_EQ(queue.start_next(), 1);
  queue.insert(gather(2));
  queue.insert(gather(3));
  queue.insert(gather(4));  // 3 comes out of turn: before it, but behind 2
  queue.remove(1);
  EXPECT_EQ(served(queue), (std::vector{2, 4, 3}));
}

TEST(ChunkQueue, RgGoesPastHigherPriorities) {
  ChunkQueue queue(IntraOrder::rg, 1);
  queue.insert(gather(1, 3));
  queue.insert(gather(2, 5));
  queue.insert(gather(3, 4));
  queue.insert(gather(4, 1));
  EXPECT_EQ(served(queue), (std::vector{2, 3, 1, 4}));
}

}  // namespace
}  // namespace overture::system
