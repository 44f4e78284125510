// Tables of connections, against a std::map of the same pairs.
#include "overture/network/packet/connections.h"

#include <map>
#include <tuple>

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/network/packet/queue_pairs.h"

namespace overture::network::packet {
namespace {

Flow between(int from, int to) {
  Flow flow;
  flow.source = from;
  flow.destination = to;
  return flow;
}

TEST(Connections, FindEveryPairThatWasAddedAndNoOther) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    RandomStream random(seed, 0);
    const std::uint64_t hosts = 2 + random.below(60);
    std::vector<Flow> flows;
    Connections connections;
    std::map<std::pair<int, int>, std::uint32_t> model;
    for (int step = 0; step < 2000; ++step) {
      const int from = static_cast<int>(random.below(hosts));
      const int to = static_cast<int>(random.below(hosts));
      const auto known = model.find({from, to});
      ASSERT_EQ(connections.find(flows, from, to), known == model.end() ? kNone : known->second);
      if (known != model.end()) continue;
      flows.push_back(between(from, to));
      connections.add_last(flows);
      model[{from, to}] = static_cast<std::uint32_t>(flows.size() - 1);
    }
    for (const auto& [pair, flow] : model) EXPECT_EQ(connections.find(flows, pair.first, pair.second), flow);
  }
}

TEST(Connections, APairIsNotTheSamePairTheOtherWay) {
  std::vector<Flow> flows{between(3, 5)};
  Connections connections;
  connections.add_last(flows);
  EXPECT_EQ(connections.find(flows, 3, 5), 0U);
  EXPECT_EQ(connections.find(flows, 5, 3), kNone);
}

// Flows that are nobody's first (those of a pair's second connection) are in the list, but not in the table.
TEST(Connections, OnlyThePairsFirstFlowIsInTheTable) {
  std::vector<Flow> flows{between(0, 1)};
  Connections connections;
  connections.add_last(flows);
  flows.push_back(between(0, 1));
  flows.push_back(between(2, 1));
  connections.add_last(flows);
  EXPECT_EQ(connections.find(flows, 0, 1), 0U);
  EXPECT_EQ(connections.find(flows, 2, 1), 2U);
}

TEST(Connections, TheTableIsAtMostHalfFull) {
  std::vector<Flow> flows;
  Connections connections;
  EXPECT_EQ(connections.memory(), 64 * 4U);
  for (int to = 0; to < 32; ++to) {
    flows.push_back(between(0, to));
    connections.add_last(flows);
  }
  EXPECT_EQ(connections.memory(), 64 * 4U);
  flows.push_back(between(0, 32));
  connections.add_last(flows);
  EXPECT_EQ(connections.memory(), 128 * 4U);
}

RoceFlow between(int from, int to, std::uint8_t priority) {
  RoceFlow flow;
  flow.source = from;
  flow.destination = to;
  flow.priority = priority;
  return flow;
}

TEST(QueuePairs, AreKnownByBothEndsAndTheirPriority) {
  RandomStream random(7, 0);
  std::vector<RoceFlow> flows;
  QueuePairs pairs;
  std::map<std::tuple<int, int, int>, std::uint32_t> model;
  for (int step = 0; step < 3000; ++step) {
    const int from = static_cast<int>(random.below(20));
    const int to = static_cast<int>(random.below(20));
    const auto priority = static_cast<std::uint8_t>(random.below(8));
    const auto known = model.find({from, to, priority});
    ASSERT_EQ(pairs.find(flows, from, to, priority), known == model.end() ? kNone : known->second);
    if (known != model.end()) continue;
    flows.push_back(between(from, to, priority));
    pairs.add_last(flows);
    model[{from, to, priority}] = static_cast<std::uint32_t>(flows.size() - 1);
  }
  EXPECT_EQ(flows.size(), model.size());
}

TEST(QueuePairs, TheTableIsAtMostHalfFull) {
  std::vector<RoceFlow> flows;
  QueuePairs pairs;
  for (int to = 0; to < 1000; ++to) {
    flows.push_back(between(0, to, 1));
    pairs.add_last(flows);
    EXPECT_GE(pairs.memory() / sizeof(std::uint32_t), 2 * flows.size());
  }
}

}  // namespace
}  // namespace overture::network::packet
