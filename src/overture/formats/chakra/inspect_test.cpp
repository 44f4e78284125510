#include "overture/formats/chakra/inspect.h"

#include <array>
#include <functional>

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/formats/chakra/writer.h"

namespace overture::chakra {
namespace {

Node node(NodeKind kind, std::uint64_t micros, std::uint64_t bytes = 0) {
  Node one{.duration_micros = micros, .comm_size = bytes, .tensor_size = bytes, .kind = kind};
  if (bytes > 0) {
    one.set(Has::comm_size);
    one.set(Has::tensor_size);
  }
  return one;
}

Node collective(Collective kind, std::uint64_t bytes, std::uint32_t group = 0) {
  Node one = node(NodeKind::collective, 3, bytes);
  one.comm_type = static_cast<std::uint8_t>(kind);
  one.set(Has::comm_type);
  one.group = group;
  return one;
}

TEST(ChakraInspect, AnEmptyTraceHasNothing) {
  const Inspection found = inspect(RankTrace{});
  EXPECT_EQ(found.nodes, 0u);
  EXPECT_EQ(found.critical_micros, 0u);
  EXPECT_TRUE(found.critical_path.empty());
  EXPECT_TRUE(found.missing.empty());
}

TEST(ChakraInspect, SumsAreByKindAndGroup) {
  RankTrace trace;
  const std::uint32_t group = group_place(trace, "2");
  add_node(trace, node(NodeKind::compute, 5, 100), "a", {});
  add_node(trace, node(NodeKind::compute, 7, 50), "b", {});
  add_node(trace, collective(Collective::all_reduce, 1000), "c", {});
  add_node(trace, collective(Collective::all_reduce, 500), "d", {});
  add_node(trace, collective(Collective::all_reduce, 20, group), "e", {});
  add_node(trace, node(NodeKind::send, 1, 9), "f", {});
  const Inspection found = inspect(trace);
  EXPECT_EQ(found.compute.count, 2u);
  EXPECT_EQ(found.compute.bytes, 150u);
  EXPECT_EQ(found.compute.micros, 12u);
  EXPECT_EQ(found.communication.at("all_reduce").bytes, 1500u);
  EXPECT_EQ(found.communication.at("all_reduce in group 2").count, 1u);
  EXPECT_EQ(found.communication.at("send").bytes, 9u);
  EXPECT_EQ(found.of_kind[static_cast<std::size_t>(NodeKind::collective)], 3u);
}

TEST(ChakraInspect, SaysWhatIsMissing) {
  RankTrace trace;
  add_node(trace, node(NodeKind::compute, 0), "untimed", {});
  add_node(trace, node(NodeKind::send, 0), "alone", {});
  add_node(trace, node(static_cast<NodeKind>(9), 0), "new", {});
  EXPECT_EQ(
      inspect(trace).missing,
      (std::vector<std::string>{"1 compute nodes have no duration, num_ops or tensor_size: they take 1 ns",
                                "1 compute nodes lack num_ops or tensor_size: no roofline can time them",
                                "1 communication nodes have no comm_size: they cannot be simulated",
                                "1 sends or receives name no peer: they cannot be simulated",
                                "1 nodes are of a kind newer than schema 0.0.4"}));
}

TEST(ChakraInspect, WhatHasAllItNeedsMissesNothing) {
  RankTrace trace;
  Node compute = node(NodeKind::compute, 5, 10);
  compute.set(Has::num_ops);
  add_node(trace, compute, "a", {});
  Node send = node(NodeKind::send, 1, 9);
  send.set(Has::destination);
  add_node(trace, send, "b", {});
  EXPECT_TRUE(inspect(trace).missing.empty());
}

// The longest path by trying all of them.
TEST(ChakraInspect, TheCriticalPathIsTheLongestOfAll) {
  RandomStream random = RandomStreams(4).make("paths");
  for (int round = 0; round < 100; ++round) {
    RankTrace trace;
    const auto nodes = 1 + random.below(12);
    for (std::uint32_t n = 0; n < nodes; ++n) {
      std::vector<std::uint32_t> parents;
      for (std::uint32_t p = 0; p < n; ++p)
        if (random.below(3) == 0) parents.push_back(p);
      add_node(trace, node(NodeKind::compute, random.below(20)), "n", parents);
    }
    const std::function<std::uint64_t(std::uint32_t)> longest = [&](std::uint32_t n) {
      std::uint64_t most = 0;
      for (const std::uint32_t parent : trace.parents_of(trace.nodes[n]))
        most = std::max(most, longest(parent));
      return most + trace.nodes[n].duration_micros;
    };
    std::uint64_t expected = 0;
    for (std::uint32_t n = 0; n < nodes; ++n) expected = std::max(expected, longest(n));
    const Inspection found = inspect(trace);
    EXPECT_EQ(found.critical_micros, expected);
    std::uint64_t along = 0;
    for (std::size_t i = 0; i < found.critical_path.size(); ++i) {
      along += trace.nodes[found.critical_path[i]].duration_micros;
      if (i == 0) continue;
      const auto parents = trace.parents_of(trace.nodes[found.critical_path[i]]);
      EXPECT_TRUE(std::ranges::find(parents, found.critical_path[i - 1]) != parents.end());
    }
    EXPECT_EQ(along, expected);
  }
}

TEST(ChakraNames, EveryKindHasOne) {
  for (int kind = 0; kind < kNodeKinds; ++kind)
    EXPECT_NE(name(static_cast<NodeKind>(kind)), "of a newer kind");
  EXPECT_EQ(name(static_cast<NodeKind>(kNodeKinds)), "of a newer kind");
  for (int kind = 0; kind < kCollectives; ++kind)
    EXPECT_NE(name(static_cast<Collective>(kind)), "unknown collective");
  EXPECT_EQ(name(static_cast<Collective>(kCollectives)), "unknown collective");
}

TEST(ChakraDependents, AreTheParentsSeenFromTheOtherSide) {
  RankTrace trace;
  const auto a = add_node(trace, node(NodeKind::compute, 1), "a", {});
  const auto b = add_node(trace, node(NodeKind::compute, 1), "b", std::array{a});
  const auto c = add_node(trace, node(NodeKind::compute, 1), "c", std::array{a, b});
  const Dependents all = dependents_of(trace);
  EXPECT_EQ(all.ready, std::vector{a});
  EXPECT_EQ(all.children[a], (std::vector{b, c}));
  EXPECT_EQ(all.missing, (std::vector<std::uint32_t>{0, 1, 2}));
}

}  // namespace
}  // namespace overture::chakra
