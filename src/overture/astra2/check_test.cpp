// What can be said of a trace before time zero, node by node; and the trace as an NPU follows it.
#include "overture/astra2/check.h"

#include <algorithm>
#include <deque>
#include <map>

#include <gtest/gtest.h>

#include "overture/astra2/custom.h"
#include "overture/astra2/postbox.h"
#include "overture/astra2/remote_memory.h"
#include "overture/astra2/wires.h"
#include "overture/base/random.h"
#include "overture/base/testing.h"

namespace overture::astra2 {
namespace {

using chakra::Has;
using chakra::Node;
using chakra::NodeKind;

Node node_of(NodeKind kind, std::initializer_list<Has> has) {
  Node node{.id = 1, .comm_size = 64, .tensor_size = 8, .num_ops = 2, .destination = 1, .kind = kind};
  for (const Has what : has) node.set(what);
  return node;
}

Node send_to_1() { return node_of(NodeKind::send, {Has::comm_size, Has::tag, Has::destination}); }
Node all_reduce() {
  Node node = node_of(NodeKind::collective, {Has::comm_type, Has::comm_size});
  node.comm_type = static_cast<std::uint8_t>(chakra::Collective::all_reduce);
  return node;
}

Program program_of(std::vector<Node> nodes, std::vector<std::uint32_t> parents = {}) {
  chakra::RankTrace trace;
  trace.file = "et.0.et";
  trace.nodes = std::move(nodes);
  trace.parents = std::move(parents);
  return Program(std::move(trace));
}

// Four NPUs on a ring, with everything that a collective needs.
Config four_npus() {
  Config config;
  config.network.dimensions.push_back({.npus = 4});
  config.system.file = "system.json";
  config.system.splits = 4;
  config.system.memory_bytes_per_s = 1e9;
  for (auto& implementations : config.system.implementations) implementations.resize(1);
  return config;
}

std::string error_of(const Node& node, const Config& config = four_npus(), int npu = 0) {
  return user_error([&] { require_runnable(config, program_of({node}), npu); });
}

template <class Change>
Node with(Node node, Change change) {
  change(node);
  return node;
}

TEST(Check, WhatCanRunPasses) {
  for (const Node& node :
       {send_to_1(), all_reduce(), node_of(NodeKind::compute, {}), node_of(NodeKind::metadata, {})})
    EXPECT_EQ(error_of(node), "");
}

TEST(Check, ErrorsNameTheFileTheNodeAndTheField) {
  Node node = send_to_1();
  node.id = 42;
  node.destination = 9;
  EXPECT_EQ(error_of(node), "et.0.et: node 42: comm_dst: rank 9 does not exist; the network has 4 NPUs");
}

TEST(Check, AMessageNeedsItsEndsItsTagAndAByte) {
  const auto error = [](auto change) { return error_of(with(send_to_1(), change)); };
  const auto without = [](Has what) {
    return [what](Node& n) { n.has = static_cast<std::uint16_t>(n.has & ~static_cast<unsigned>(what)); };
  };
  EXPECT_NE(error(without(Has::comm_size)).find("comm_size: is missing"), std::string::npos);
  EXPECT_NE(error(without(Has::tag)).find("comm_tag: is missing"), std::string::npos);
  EXPECT_NE(error(without(Has::destination)).find("comm_dst: is missing"), std::string::npos);
  EXPECT_NE(error([](Node& n) { n.destination = 0; }).find("a rank cannot send to itself"),
            std::string::npos);
  EXPECT_NE(error([](Node& n) { n.comm_size = 0; }).find("at least 1 byte"), std::string::npos);
  EXPECT_NE(error([](Node& n) {
              n.set(Has::source), n.source = 3;
            }).find("comm_src: is 3, but this is the trace of rank 0"),
            std::string::npos);
  EXPECT_NE(error([](Node& n) { n.set(Has::cpu); }).find("a communication cannot run on the CPU"),
            std::string::npos);
}

TEST(Check, AReceiverNeedsASource) {
  Node node = node_of(NodeKind::receive, {Has::comm_size, Has::tag, Has::source});
  node.source = 3;
  EXPECT_EQ(error_of(node), "");
  node.source = 4;
  EXPECT_NE(error_of(node).find("comm_src: rank 4 does not exist"), std::string::npos);
  node = node_of(NodeKind::receive, {Has::comm_size, Has::tag});
  EXPECT_NE(error_of(node).find("comm_src: is missing"), std::string::npos);
}

TEST(Check, ACollectiveNeedsAnAlgorithmChunksAndMemory) {
  const auto error = [](auto change) {
    Config config = four_npus();
    change(config.system);
    return error_of(all_reduce(), config);
  };
  EXPECT_NE(error([](SystemFile& s) {
              s.implementations[0].clear();
            }).find("system.json: all-reduce-implementation: is missing"),
            std::string::npos);
  EXPECT_NE(error([](SystemFile& s) { s.splits = 0; }).find("preferred-dataset-splits: is missing"),
            std::string::npos);
  EXPECT_NE(error([](SystemFile& s) { s.memory_bytes_per_s = 0; }).find("local-mem-bw: is missing or 0"),
            std::string::npos);
  EXPECT_EQ(error([](SystemFile& s) { s.implementations[0].clear(), s.custom[0] = "algorithm"; }), "")
      << "a trace of its own is an algorithm";
}

TEST(Check, OnlyReductionsNeedTheMemorysBandwidth) {
  Config config = four_npus();
  config.system.memory_bytes_per_s = 0;
  Node node = all_reduce();
  for (const auto kind :
       {chakra::Collective::all_gather, chakra::Collective::all_to_all, chakra::Collective::broadcast}) {
    node.comm_type = static_cast<std::uint8_t>(kind);
    EXPECT_EQ(error_of(node, config), "");
  }
  node.comm_type = static_cast<std::uint8_t>(chakra::Collective::reduce_scatter);
  EXPECT_NE(error_of(node, config), "");
}

TEST(Check, AnAllGatherHasAByteForEveryChunk) {
  Node node = all_reduce();
  node.comm_type = static_cast<std::uint8_t>(chakra::Collective::all_gather);
  node.comm_size = 4;
  EXPECT_EQ(error_of(node), "");
  node.comm_size = 3;
  EXPECT_NE(error_of(node).find("has empty chunks"), std::string::npos);
}

TEST(Check, CollectivesThatTheOriginalDoesNotPlayAreRefused) {
  Node node = all_reduce();
  for (const auto kind : {chakra::Collective::reduce, chakra::Collective::gather, chakra::Collective::scatter,
                          chakra::Collective::barrier}) {
    node.comm_type = static_cast<std::uint8_t>(kind);
    EXPECT_NE(error_of(node).find("ASTRA-sim does not simulate"), std::string::npos) << name(kind);
  }
}

TEST(Check, AGroupExistsAndTheRankIsInIt) {
  const auto error = [](std::string group) {
    Config config = four_npus();
    config.groups[7] = {0, 2};
    config.groups[8] = {1, 2};
    chakra::RankTrace trace;
    trace.file = "et.0.et";
    trace.group_names = {"", std::move(group)};
    trace.nodes = {with(all_reduce(), [](Node& n) { n.group = 1; })};
    return user_error([&] { require_runnable(config, Program(std::move(trace)), 0); });
  };
  EXPECT_EQ(error("7"), "");
  EXPECT_EQ(error("0"), "") << "everybody";
  EXPECT_NE(error("8").find("rank 0 is not in group 8"), std::string::npos);
  EXPECT_NE(error("9").find("there is no group 9"), std::string::npos);
  EXPECT_NE(error("7x").find("\"7x\" is not a number"), std::string::npos);
}

TEST(Check, MemoryBeyondTheNpuMustBeThere) {
  Config config = four_npus();
  const Node load = node_of(NodeKind::memory_load, {Has::tensor_size});
  EXPECT_NE(error_of(load, config).find("NO_MEMORY_EXPANSION"), std::string::npos);
  config.memory.kind = MemoryFile::Kind::pool;
  EXPECT_EQ(error_of(load, config), "");
  EXPECT_NE(error_of(node_of(NodeKind::memory_store, {}), config).find("tensor_size: is missing"),
            std::string::npos);
}

TEST(Check, ARooflineNeedsOperationsAndBytes) {
  Config config = four_npus();
  config.system.roofline = true;
  EXPECT_NE(error_of(node_of(NodeKind::compute, {Has::tensor_size}), config).find("num_ops: is missing"),
            std::string::npos);
  EXPECT_NE(error_of(node_of(NodeKind::compute, {Has::num_ops}), config).find("tensor_size: is missing"),
            std::string::npos);
  EXPECT_EQ(error_of(node_of(NodeKind::compute, {Has::cpu}), config), "") << "the CPU's has its own time";
}

TEST(Check, AReplayAsksForNothing) {
  Config config = four_npus();
  config.system.replay_only = true;
  EXPECT_EQ(error_of(node_of(NodeKind::send, {}), config), "");
}

// ---- programs

TEST(Program, NodesStandInAscendingIdAndKnowTheirChildren) {
  // As in the file: 5 waits for 2, 2 for nobody, 9 for 5 and 2. Parents are places in the file.
  Node five{.id = 5, .first_parent = 0, .parents = 1};
  Node two{.id = 2};
  Node nine{.id = 9, .first_parent = 1, .parents = 2};
  const Program program = program_of({five, two, nine}, {1, 0, 1});
  ASSERT_EQ(program.size(), 3U);
  EXPECT_EQ(program.node(0).id, 2U);
  EXPECT_EQ(program.node(1).id, 5U);
  const auto of_two = program.children_of(0);
  EXPECT_EQ(std::vector<std::uint32_t>(of_two.begin(), of_two.end()), (std::vector<std::uint32_t>{1, 2}));
  const auto of_five = program.children_of(1);
  EXPECT_EQ(std::vector<std::uint32_t>(of_five.begin(), of_five.end()), std::vector<std::uint32_t>{2});
  EXPECT_TRUE(program.children_of(2).empty());
}

TEST(Program, EveryNodeHasItsLane) {
  EXPECT_EQ(lane_of(node_of(NodeKind::compute, {})), Lane::compute);
  EXPECT_EQ(lane_of(node_of(NodeKind::compute, {Has::cpu})), Lane::cpu);
  EXPECT_EQ(lane_of(send_to_1()), Lane::communication);
  EXPECT_EQ(lane_of(all_reduce()), Lane::communication);
  EXPECT_EQ(lane_of(node_of(NodeKind::receive, {})), Lane::none) << "receives wait beside all";
}

// ---- what is matched and shared

TEST(Postbox, DoesWhatAQueuePerLetterDoes) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    RandomStream random(seed, 0);
    sim::EventQueue events;
    Postbox box(events);
    std::vector<int> received;
    std::vector<int> expected;
    std::map<std::int32_t, std::deque<int>> waiting;  // by tag
    std::map<std::int32_t, int> arrived;
    for (int step = 0; step < 500; ++step) {
      const Letter letter{.size = 10, .tag = static_cast<std::int32_t>(random.below(5)), .from = 0, .to = 1};
      if (random.below(2) == 0) {
        box.expect(letter, [&received, step] { received.push_back(step); });
        if (arrived[letter.tag] > 0) {
          --arrived[letter.tag];
          expected.push_back(step);
        } else {
          waiting[letter.tag].push_back(step);
        }
      } else {
        box.arrive(letter);
        if (waiting[letter.tag].empty()) {
          ++arrived[letter.tag];
        } else {
          expected.push_back(waiting[letter.tag].front());
          waiting[letter.tag].pop_front();
        }
      }
      events.run();
      ASSERT_EQ(received, expected) << "seed " << seed;
      const auto some = [](const auto& by_tag, auto is) { return std::ranges::count_if(by_tag, is); };
      ASSERT_EQ(static_cast<std::ptrdiff_t>(box.expected().size()),
                some(waiting, [](const auto& w) { return !w.second.empty(); }));
      ASSERT_EQ(static_cast<std::ptrdiff_t>(box.unclaimed().size()),
                some(arrived, [](const auto& a) { return a.second > 0; }));
    }
  }
}

// Accesses of 100 bytes at a byte a nanosecond, 10 ns of latency: when each of them is done.
std::vector<std::int64_t> done_at(const MemoryFile& memory, const std::vector<int>& npus) {
  sim::EventQueue events;
  system::CycleClock clock(events, Nanoseconds{1});
  std::vector<std::int64_t> done(npus.size());
  RemoteMemory remote(
      memory, 4, [&](int) -> system::CycleClock& { return clock; },
      [&](int npu, std::uint32_t node) {
        EXPECT_EQ(npu, npus[node]);
        done[node] = events.now().time_since_epoch() / Nanoseconds{1};
      });
  for (std::uint32_t i = 0; i < npus.size(); ++i) remote.access(npus[i], i, 100);
  events.run();
  return done;
}

TEST(RemoteMemory, OfAnNpuNobodyElseWaitsFor) {
  const MemoryFile memory{.kind = MemoryFile::Kind::per_npu, .latency_ns = 10, .bytes_per_ns = 1};
  EXPECT_EQ(done_at(memory, {0, 1, 0}), (std::vector<std::int64_t>{110, 110, 110}))
      << "its own are not queued either";
}

TEST(RemoteMemory, APoolServesOneAfterTheOther) {
  const MemoryFile memory{.kind = MemoryFile::Kind::pool, .latency_ns = 10, .bytes_per_ns = 1};
  EXPECT_EQ(done_at(memory, {3, 0, 1}), (std::vector<std::int64_t>{110, 220, 330}));
}

TEST(RemoteMemory, OfANodeIsSharedByItsNpus) {
  const MemoryFile memory{.kind = MemoryFile::Kind::per_node,
                          .nodes = 2,
                          .npus_per_node = 2,
                          .latency_ns = 10,
                          .bytes_per_ns = 1};
  EXPECT_EQ(done_at(memory, {0, 1, 2, 3, 0}), (std::vector<std::int64_t>{110, 220, 110, 220, 330}));
}

// ---- algorithms that are traces

// Rank 0 sends to rank 1, which computes for 2 us when it has received and sends back.
struct PingPong : testing::Test {
  sim::EventQueue events;
  system::CycleClock clock{events, Nanoseconds{1}};
  std::unique_ptr<network::Network> wires =
      make_wires({.dimensions = {{.npus = 4, .gib_per_s = 50, .latency_ns = 500}}}, events);
  Transport transport{*wires, events, false};

  static std::shared_ptr<const Program> program(bool begins) {
    Node send = node_of(NodeKind::send, {Has::comm_size, Has::tag, Has::destination});
    Node receive = node_of(NodeKind::receive, {Has::comm_size, Has::tag, Has::source});
    send.destination = receive.source = begins ? 1 : 0;
    send.tag = begins ? 1 : 2;
    receive.tag = begins ? 2 : 1;
    if (begins) {
      send.id = 1;
      receive.id = 2;
      return std::make_shared<const Program>(program_of({send, receive}));
    }
    receive.id = 1;
    Node compute{.id = 2, .duration_micros = 2, .first_parent = 0, .parents = 1, .kind = NodeKind::compute};
    send.id = 3;
    send.first_parent = 1;
    send.parents = 1;
    return std::make_shared<const Program>(program_of({receive, compute, send}, {0, 1}));
  }
};

TEST_F(PingPong, EndsWhenBothHaveDoneTheirPart) {
  const std::vector<int> ranks{2, 3};  // members 0 and 1
  std::vector<int> finished;
  CustomRun one(program(true), 2, &ranks, transport, clock, [&] { finished.push_back(2); });
  CustomRun other(program(false), 3, &ranks, transport, clock, [&] { finished.push_back(3); });
  EXPECT_EQ(other.left(), 3U);
  one.start();
  other.start();
  events.run();
  std::ranges::sort(finished);
  EXPECT_EQ(finished, (std::vector{2, 3})) << "each once";
  EXPECT_EQ(one.left() + other.left(), 0U);
  // There 500 ns and a byte or so, 2 us of computing, and back.
  const std::int64_t ns = events.now().time_since_epoch() / Nanoseconds{1};
  EXPECT_GE(ns, 2 * 501 + 2'000);
  EXPECT_LE(ns, 2 * 501 + 2'010);
}

TEST_F(PingPong, AMemberThatTheGroupDoesNotHaveIsNamed) {
  const std::vector<int> alone{2};
  CustomRun run(program(true), 2, &alone, transport, clock, [] {});
  EXPECT_NE(user_error([&] { run.start(); }).find("names rank 1, but the group has 1 ranks"),
            std::string::npos);
}

TEST(Transport, MirroredMessagesComeBackAsThoseOfAPeer) {
  sim::EventQueue events;
  const auto wires = make_wires({.dimensions = {{.npus = 4, .gib_per_s = 50, .latency_ns = 500}}}, events);
  Transport transport(*wires, events, false);
  bool received = false;
  transport.receive({.size = 100, .tag = 7, .from = 3, .to = 0}, [&] { received = true; });
  transport.send_mirrored({.size = 100, .tag = 7, .from = 0, .to = 1}, 3, 1);
  events.run();
  EXPECT_TRUE(received) << "what NPU 0 sends to 1 is what 3 sends to 0";
  EXPECT_TRUE(transport.postbox().unclaimed().empty());
}

}  // namespace
}  // namespace overture::astra2
