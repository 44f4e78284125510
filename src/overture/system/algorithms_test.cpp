#include "overture/system/algorithms.h"

#include <algorithm>
#include <bit>
#include <set>

#include <gtest/gtest.h>

#include "overture/system/schedule.h"

namespace overture::system {
namespace {

using enum CollectiveKind;

constexpr CollectiveKind kKinds[] = {all_reduce, all_to_all, all_gather, reduce_scatter, broadcast, barrier};
constexpr int kRankCounts[] = {2, 3, 4, 5, 7, 8, 12, 16, 31, 64};

int around(int coordinate, int ranks) { return (coordinate % ranks + ranks) % ranks; }

// Runs `body` with every schedule of every algorithm in the table, whatever was added to it.
template <class Body>
void for_every_window(Body body) {
  for (const AlgorithmFacts* facts : kAlgorithms) {
    if (facts->window == nullptr) continue;
    for (const CollectiveKind kind : kKinds) {
      for (const int ranks : kRankCounts) {
        if (!facts->can_do.has(kind)) continue;
        if (facts->power_of_two && !std::has_single_bit(static_cast<unsigned>(ranks))) continue;
        for (const int window : {0, 1, 3}) {
          if (window > 0 && facts->parameter.empty()) continue;
          SCOPED_TRACE(testing::Message()
                       << facts->word << ":" << window << ", " << name(kind) << " of " << ranks);
          // Divisible by every number of ranks, and by the pieces of a ring.
          body(Schedule(kind, {.kind = *facts, .window = window}, ranks, Bytes{960 * ranks}, 1), kind, ranks);
        }
      }
    }
  }
}

TEST(Algorithms, EveryOneHasItsOwnWordAndOnePlayer) {
  std::set<std::string_view> words;
  for (const AlgorithmFacts* facts : kAlgorithms) {
    EXPECT_TRUE(words.insert(facts->word).second) << facts->word << " twice";
    const int players = (facts->window != nullptr) + (facts->rounds != nullptr) + (facts->steps != nullptr) +
                        facts->tree + facts->from_file;
    EXPECT_EQ(players, 1) << facts->word;
    EXPECT_TRUE(std::ranges::any_of(kKinds, [&](CollectiveKind kind) { return facts->can_do.has(kind); }));
  }
}

TEST(Algorithms, EveryCollectiveHasOne) {
  for (const CollectiveKind kind : kKinds) {
    EXPECT_TRUE(std::ranges::any_of(kAlgorithms, [&](const AlgorithmFacts* facts) {
      return !facts->from_file && facts->can_do.has(kind);
    })) << name(kind);
  }
}

TEST(Algorithms, WordsSayWhatANumberBehindThemMeans) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(words_of(kRing), (Words{"ring", "ring:<pieces>"}));
  EXPECT_EQ(words_of(kBruck), Words{"bruck"});
  EXPECT_EQ(words_of(kFromFile), Words{"file:<name>"});
}

// Whoever sends is waited for by the one it sends to, under the number that the receiver uses, with the same
// size; and every number of every receiver is used once.
TEST(Algorithms, SendersAndReceiversAgree) {
  for_every_window([](const Schedule& schedule, CollectiveKind, int ranks) {
    std::set<std::pair<int, std::int64_t>> waited_for;
    for (int rank = 0; rank < ranks; ++rank) {
      for (std::int64_t k = 0; k < schedule.messages(); ++k) {
        const int to = around(rank + schedule.exchange(k, rank).to, ranks);
        ASSERT_NE(to, rank);
        const std::int64_t theirs = schedule.number_at_receiver(k, rank);
        ASSERT_EQ(around(to + schedule.exchange(theirs, to).from, ranks), rank);
        ASSERT_EQ(schedule.size(theirs), schedule.size(k));
        ASSERT_TRUE(waited_for.emplace(to, theirs).second) << "rank " << to << ", message " << theirs;
      }
    }
    EXPECT_EQ(waited_for.size(), static_cast<std::size_t>(schedule.messages() * ranks));
  });
}

// Nobody can do with less: what a rank does not have must come in.
TEST(Algorithms, NobodyReceivesLessThanItLacks) {
  for_every_window([](const Schedule& schedule, CollectiveKind kind, int ranks) {
    std::int64_t received = 0;
    for (std::int64_t k = 0; k < schedule.messages(); ++k) received += schedule.size(k).count();
    const std::int64_t others = 960 * std::int64_t{ranks - 1};  // shares of a rank's data
    const std::int64_t least = kind == all_reduce ? 2 * others : kind == all_gather ? others * ranks : others;
    EXPECT_GE(received, least);
  });
}

TEST(Algorithms, AWindowIsNeverWiderThanThePhase) {
  for_every_window([](const Schedule& schedule, CollectiveKind, int) {
    EXPECT_GE(schedule.window(), 1);
    EXPECT_LE(schedule.window(), schedule.messages());
    EXPECT_LT(schedule.middle(), schedule.messages());
  });
}

TEST(Algorithms, BruckSendsFewMessagesAndMoreBytes) {
  const Schedule few(all_to_all, {kBruck}, 64, Bytes{6400}, 1);
  const Schedule direct(all_to_all, {kDirect}, 64, Bytes{6400}, 1);
  EXPECT_EQ(few.messages(), 6);
  EXPECT_EQ(direct.messages(), 63);
  EXPECT_EQ(few.size(0) * 6, Bytes{19'200});  // half of all blocks each time
  EXPECT_EQ(direct.size(0) * 63, Bytes{6300});
}

}  // namespace
}  // namespace overture::system
