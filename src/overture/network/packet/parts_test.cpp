// The small parts of the packet engine, each against a plain model of itself: the far queue,
// reassembly, and the contract of transports.
#include <map>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/base/testing.h"
#include "overture/network/packet/engine.h"
#include "overture/network/packet/far_queue.h"
#include "overture/network/packet/htsim_dctcp.h"
#include "overture/network/packet/ndp.h"
#include "overture/network/packet/patterns.h"
#include "overture/network/packet/reassembly.h"
#include "overture/network/packet/roce.h"
#include "overture/network/packet/tcp.h"
#include "overture/topology/star.h"

namespace overture::network::packet {
namespace {

// ---- the contract

static_assert(FabricTransport<Tcp> && PartedTransport<Tcp> && !Tcp::kTrims);
static_assert(FabricTransport<Ndp> && Ndp::kTrims && !PartedTransport<Ndp>);
static_assert(FabricTransport<HtsimDctcp>);
static_assert(LosslessTransport<Roce>);
static_assert(!LosslessTransport<Tcp>, "TCP leaves its packets to the links of hosts");
static_assert(!TransportContract<int>);

// All of the contract, so that what leaves out one thing can be seen to be refused.
struct Complete {
  static constexpr bool kTrims = false;
  std::uint32_t post(int, int, std::int64_t, std::int64_t) { return 0; }
  void reserve(std::size_t) {}
  std::uint64_t outstanding() const { return 0; }
  std::vector<Completion>& completions() { return done; }
  const TransportCounts& counts() const { return counted; }
  std::size_t flows() const { return 0; }
  std::size_t memory() const { return 0; }
  void receive(const Packet&) {}
  void timer(std::uint32_t) {}
  int destination(const Packet&) const { return 0; }
  void prefetch(const Packet&) const {}
  bool pause() const { return false; }
  void resume() {}

  std::vector<Completion> done;
  TransportCounts counted;
};
struct WithoutTimer : Complete {
  void timer(std::uint32_t) = delete;
};
struct TrimsWithoutQueues : Complete {
  static constexpr bool kTrims = true;
};
struct CountsMessagesInText : Complete {
  std::string outstanding() const { return "none"; }
};
static_assert(FabricTransport<Complete>);
static_assert(!TransportContract<WithoutTimer>);
static_assert(TransportContract<TrimsWithoutQueues> && !FabricTransport<TrimsWithoutQueues>);
static_assert(!TransportContract<CountsMessagesInText>);

// ---- far queue

TEST(FarQueue, GivesBackInTheOrderOfTimeAndTiesAsTheyCame) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream random = RandomStreams(seed).make("far queue");
    FarQueue queue;
    std::set<std::tuple<std::int64_t, std::uint64_t, std::uint32_t>> model;  // when, push, what
    std::uint64_t pushes = 0;
    std::int64_t now = 0;
    for (int step = 0; step < 3000; ++step) {
      if (model.empty() || random.below(3) != 0) {
        const std::int64_t when = now + static_cast<std::int64_t>(random.below(50));
        const auto what = static_cast<std::uint32_t>(random.below(1000));
        queue.push(when, what, 0);
        model.insert({when, pushes++, what});
      } else {
        const auto [when, push, what] = *model.begin();
        model.erase(model.begin());
        ASSERT_EQ(queue.next_time(), when);
        const FarQueue::Entry entry = queue.pop();
        ASSERT_EQ(entry.when, when);
        ASSERT_EQ(entry.what, what) << "seed " << seed;
        now = when;
      }
      if (model.empty()) {
        ASSERT_EQ(queue.next_time(), std::numeric_limits<std::int64_t>::max());
      }
    }
  }
}

// ---- reassembly

// Pieces of a stream in any order, some twice: every byte comes out once and in order.
TEST(Reassembly, PutsAnyOrderOfPiecesTogether) {
  constexpr std::uint64_t kPiece = 10;
  constexpr std::uint64_t kPieces = 40;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    RandomStream random = RandomStreams(seed).make("pieces");
    std::vector<std::uint64_t> order;
    for (std::uint64_t piece = 0; piece < kPieces; ++piece) {
      order.push_back(piece);
      if (random.below(4) == 0) order.push_back(piece);
    }
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    Reassembly held;
    std::set<std::uint64_t> arrived;
    std::uint64_t expected = 0;
    for (const std::uint64_t piece : order) {
      const bool fresh = arrived.insert(piece).second;
      const Interval interval{piece * kPiece, (piece + 1) * kPiece};
      if (interval.begin == expected) {
        expected = held.release(interval.end);
      } else if (interval.begin > expected) {
        EXPECT_EQ(held.add(interval, expected), fresh) << "seed " << seed;
      }
      std::uint64_t in_order = 0;
      while (arrived.contains(in_order)) ++in_order;
      ASSERT_EQ(expected, in_order * kPiece) << "seed " << seed;
    }
    EXPECT_EQ(expected, kPieces * kPiece);
    EXPECT_TRUE(held.empty());
  }
}

TEST(Reassembly, TellsTheNewestBlockFirstAndAtMostFour) {
  Reassembly held;
  for (std::uint64_t begin : {20, 40, 60, 80, 100}) held.add({begin, begin + 10}, 0);
  const SackBlocks& blocks = held.blocks();
  ASSERT_EQ(blocks.count, 4);
  EXPECT_EQ(blocks.blocks[0].begin, 100);
  EXPECT_EQ(blocks.blocks[3].begin, 40);
  EXPECT_EQ(blocks.bytes(), 36);
}

TEST(Reassembly, NeighboursBecomeOneBlock) {
  Reassembly held;
  held.add({20, 30}, 0);
  held.add({40, 50}, 0);
  held.add({30, 40}, 0);
  EXPECT_EQ(held.blocks().blocks[0].begin, 20);
  EXPECT_EQ(held.blocks().blocks[0].end, 50);
  EXPECT_EQ(held.release(20), 50);
  EXPECT_TRUE(held.empty());
}

// ---- edges

TEST(Edges, MessagesThatATransportCannotNumberAreRefusedWithTheLargestThatWouldDo) {
  for (const PacketConfig& config : {htsim_ndp(), roce(), dlrm_study_dctcp()}) {
    const std::string said = user_error([&] {
      run_flows(topology::star({.hosts = 2}), config,
                {{.from = Rank{0}, .to = Rank{1}, .size = Bytes{std::int64_t{1} << 50}}});
    });
    EXPECT_NE(said.find("at most"), std::string::npos) << said;
  }
}

TEST(Edges, TheLastMomentIsNeverSampled) {
  LinkHistory history({.interval = std::chrono::seconds(4'000'000), .samples = 2}, 1);
  EXPECT_EQ(history.next(), Time{std::chrono::seconds(4'000'000)});
  history.add({LinkState{}});
  EXPECT_EQ(history.next(), Time{std::chrono::seconds(8'000'000)});
  history.add({LinkState{}});  // every second one goes, and the interval doubles
  EXPECT_EQ(history.next(), Time::max());
}

TEST(Edges, AWatchedRunEndsHoweverLongItsWires) {
  const topology::Wire wire{.rate = Bandwidth::bits_per_second(100'000'000'000),
                            .delay = topology::kMostDelay};
  const PacketRun run =
      run_flows(topology::star({.hosts = 2, .wire = wire}), {},
                {{.from = Rank{0}, .to = Rank{1}, .size = Bytes{1000}}}, {}, MonitorConfig{});
  EXPECT_GE(run.makespan, 2 * topology::kMostDelay);
  const topology::Wire longer{.rate = wire.rate, .delay = topology::kMostDelay + Duration{1}};
  EXPECT_NE(user_error([&] { topology::star({.hosts = 2, .wire = longer}); }).find("use at most 1000 s"),
            std::string::npos);
}

// ---- patterns

std::map<int, int> count_by(const std::vector<FlowSpec>& flows, Rank FlowSpec::*end) {
  std::map<int, int> counts;
  for (const FlowSpec& flow : flows) ++counts[index(flow.*end)];
  return counts;
}

TEST(Patterns, AnAllToAllHasEveryPairOnce) {
  for (const AllToAllOrder order : {AllToAllOrder::rotated, AllToAllOrder::naive}) {
    std::set<std::pair<int, int>> pairs;
    for (const FlowSpec& flow : all_to_all(9, Bytes{5}, order)) {
      EXPECT_NE(flow.from, flow.to);
      EXPECT_TRUE(pairs.insert({index(flow.from), index(flow.to)}).second);
    }
    EXPECT_EQ(pairs.size(), 72);
  }
}

TEST(Patterns, GroupsKeepToThemselves) {
  const std::vector<FlowSpec> flows = all_to_all(12, Bytes{5}, AllToAllOrder::rotated, 4);
  EXPECT_EQ(flows.size(), 12 * 3);
  for (const FlowSpec& flow : flows) EXPECT_EQ(index(flow.from) / 4, index(flow.to) / 4);
}

TEST(Patterns, APermutationIsOneCycleThroughAllHosts) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    std::map<int, int> next;
    for (const FlowSpec& flow : permutation(17, Bytes{5}, seed)) next[index(flow.from)] = index(flow.to);
    std::set<int> seen;
    for (int at = 0; seen.insert(at).second; at = next.at(at)) {
    }
    EXPECT_EQ(seen.size(), 17);
  }
}

TEST(Patterns, AnIncastMeetsAtHost0AndARingGoesRound) {
  EXPECT_EQ(count_by(incast(6, Bytes{5}), &FlowSpec::to), (std::map<int, int>{{0, 6}}));
  EXPECT_EQ(count_by(incast(6, Bytes{5}), &FlowSpec::from).size(), 6);
  const std::vector<FlowSpec> round = ring(5, Bytes{5});
  ASSERT_EQ(round.size(), 5);
  for (const FlowSpec& flow : round) EXPECT_EQ(index(flow.to), (index(flow.from) + 1) % 5);
}

}  // namespace
}  // namespace overture::network::packet
