#include <filesystem>
#include <fstream>
#include <random>

#include <gtest/gtest.h>

#include "overture/astra2/files.h"
#include "overture/astra2/machine.h"
#include "overture/base/testing.h"
#include "overture/formats/chakra/writer.h"

namespace overture::astra2 {
namespace {

using chakra::Has;
using chakra::NodeKind;
using topology::DimensionKind;
using Programs = std::vector<std::shared_ptr<const Program>>;

chakra::Node collective(chakra::Collective kind, std::uint64_t size) {
  chakra::Node node{
      .comm_size = size, .kind = NodeKind::collective, .comm_type = static_cast<std::uint8_t>(kind)};
  node.set(Has::comm_type);
  node.set(Has::comm_size);
  return node;
}

// Nodes one after the other.
std::shared_ptr<const Program> chain(std::vector<chakra::Node> nodes) {
  chakra::RankTrace trace;
  trace.file = "chain";
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    nodes[n].id = n + 1;
    if (n == 0) {
      add_node(trace, nodes[n], "first", {});
    } else {
      add_node(trace, nodes[n], "next", std::array{n - 1});
    }
  }
  return std::make_shared<const Program>(std::move(trace));
}

Config config_of(std::vector<Dimension> dimensions, std::vector<system::Algorithm> algorithms, bool aware) {
  Config config{.network = {std::move(dimensions), aware}};
  config.system.splits = 4;
  config.system.memory_bytes_per_s = 1600e9;
  config.system.optimization = system::Optimization::local_bandwidth_aware;
  for (std::size_t k = 0; k < kPlayed; ++k) {
    for (system::Algorithm algorithm : algorithms) {
      if (k == static_cast<std::size_t>(Played::all_to_all) && algorithm.kind == system::kHalvingDoubling)
        algorithm.kind = system::kDirect;
      config.system.implementations[k].push_back({algorithm});
    }
  }
  return config;
}

std::vector<std::int64_t> cycles(const MachineResult& result) {
  std::vector<std::int64_t> all;
  for (const NpuResult& npu : result.npus) all.push_back(npu.cycles);
  return all;
}

class GoldenAstra2 : public testing::TestWithParam<std::string> {};

// Finish and exposed cycles of every NPU, as the original counted them.
TEST_P(GoldenAstra2, EveryNpuFinishesInTheSameCycle) {
  const std::filesystem::path folder = std::filesystem::path(OVERTURE_GOLDEN) / "astra-sim-2" / GetParam();
  const std::filesystem::path groups = folder / "comm_groups.json";
  const Config config = read_config({.workload = folder / "workload",
                                     .groups = std::filesystem::exists(groups) ? groups.string() : "empty",
                                     .system = folder / "system.json",
                                     .network = folder / "network.yml",
                                     .memory = folder / "remote_memory.json"},
                                    GetParam().ends_with("-aware"));
  const Programs programs = read_programs(folder / "workload", config.network.npus());
  const MachineResult result = run(config, programs);
  std::ifstream expected(folder / "expected.txt");
  std::string line;
  std::size_t compared = 0;
  while (std::getline(expected, line)) {
    if (line.empty() || line.front() == '#') continue;
    std::size_t npu = 0;
    std::int64_t finish = 0;
    std::uint64_t exposed = 0;
    std::istringstream(line) >> npu >> finish >> exposed;
    EXPECT_EQ(result.npus.at(npu).cycles, finish) << "NPU " << npu;
    EXPECT_EQ(result.npus.at(npu).exposed(), exposed) << "NPU " << npu;
    ++compared;
  }
  EXPECT_EQ(compared, result.npus.size());
  if (all_alike(config, programs)) {
    const MachineResult mirrored = run(config, programs, {.mirror = true});
    EXPECT_TRUE(mirrored.mirrored);
    EXPECT_EQ(cycles(mirrored), cycles(result));
  }
}

std::vector<std::string> golden_cases() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(OVERTURE_GOLDEN) / "astra-sim-2"))
    if (entry.is_directory()) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenAstra2, testing::ValuesIn(golden_cases()), [](const auto& one) {
  std::string name = one.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// One NPU stands for all only where that changes no cycle.
TEST(Astra2, OneNpuTellsWhatAllWould) {
  std::mt19937 random(1);
  const auto pick = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  int mirrored = 0;
  for (int round = 0; round < 300; ++round) {
    const bool aware = pick(2) == 0;
    std::vector<Dimension> dimensions;
    std::vector<system::Algorithm> algorithms;
    for (int d = aware ? 1 : 1 + pick(3); d > 0; --d) {
      const int npus = std::array{4, 8, 3, 5, 16}[static_cast<std::size_t>(pick(dimensions.empty() ? 5 : 2))];
      dimensions.push_back({static_cast<DimensionKind>(pick(3)), npus,
                            std::array{50.0, 12.5, 400.0}[static_cast<std::size_t>(pick(3))],
                            std::array{500.0, 17.7, 0.0}[static_cast<std::size_t>(pick(3))]});
      const bool power = (npus & (npus - 1)) == 0;
      const system::AlgorithmKind some[] = {system::kRing, system::kDirect, system::kHalvingDoubling};
      algorithms.push_back({some[pick(power ? 3 : 2)], 0});
      if (algorithms.back().kind == system::kDirect) algorithms.back().window = pick(4);
    }
    Config config = config_of(dimensions, algorithms, aware);
    config.system.active_chunks = 1 + pick(4);
    config.queues = 1 + pick(4);
    std::vector<chakra::Node> nodes;
    for (int n = 1 + pick(3); n > 0; --n) {
      const chakra::Collective kinds[] = {chakra::Collective::all_reduce, chakra::Collective::all_gather,
                                          chakra::Collective::all_to_all, chakra::Collective::reduce_scatter};
      nodes.push_back(collective(kinds[pick(4)], 1000 + static_cast<std::uint64_t>(pick(1 << 20))));
      nodes.push_back({.duration_micros = static_cast<std::uint64_t>(pick(30)), .kind = NodeKind::compute});
    }
    const Programs programs(static_cast<std::size_t>(config.network.npus()), chain(nodes));
    if (!all_alike(config, programs)) continue;
    ++mirrored;
    EXPECT_EQ(cycles(run(config, programs, {.mirror = true})),
              cycles(run(config, programs, {.simulate_all = true})))
        << "round " << round << (aware ? " aware" : " unaware") << " active " << config.system.active_chunks
        << " queues " << config.queues << " kind " << static_cast<int>(dimensions[0].kind) << " npus "
        << dimensions[0].npus << " latency " << dimensions[0].latency_ns << " algorithm "
        << name(algorithms[0].kind) << " window " << algorithms[0].window << " dims " << dimensions.size();
  }
  EXPECT_GT(mirrored, 100);
}

// The original needs 13 to 28 CPU seconds and 365 MB for the first, more than 94 s and 5.6 GB for the second.
TEST(Astra2, LargeRingsGiveTheOriginalsCycles) {
  const auto ring = [](int npus) {
    const Config config = config_of({{DimensionKind::ring, npus, 50, 500}}, {{system::kRing}}, false);
    const Programs programs(static_cast<std::size_t>(npus),
                            chain({collective(chakra::Collective::all_reduce, 64 << 20)}));
    const MachineResult result = run(config, programs);
    EXPECT_TRUE(result.mirrored);
    return result.cycles();
  };
  EXPECT_EQ(ring(1024), 6'792'760);
  EXPECT_EQ(ring(2048), 10'963'772);
}

TEST(Astra2, ALargeAllToAllOnASwitchGivesTheOriginalsCycles) {
  const Config config = config_of({{DimensionKind::switched, 1024, 50, 500}}, {{system::kDirect}}, true);
  const Programs programs(1024, chain({collective(chakra::Collective::all_to_all, 64 << 20)}));
  EXPECT_EQ(run(config, programs).cycles(), 1'253'360);
}

// What the original counted, for 64 MiB in 4 chunks of which one is under way: single runs of a sweep over
// sizes, beside the cases in tests/golden.
struct Measured {
  DimensionKind kind;               // of every dimension
  system::AlgorithmKind algorithm;  // likewise
  bool aware;
  chakra::Collective collective;
  std::vector<int> sizes;
  std::int64_t cycles;
};

// Links get slower outwards.
std::vector<Dimension> sweep_dimensions(const Measured& of) {
  struct Link {
    double gib_per_s;
    double latency_ns;
  };
  const std::vector<Link> links[] = {
      {{50, 500}}, {{200, 50}, {50, 500}}, {{200, 50}, {100, 500}, {50, 2000}}};
  std::vector<Dimension> dimensions;
  for (std::size_t d = 0; d < of.sizes.size(); ++d) {
    const Link& link = links[of.sizes.size() - 1][d];
    dimensions.push_back({of.kind, of.sizes[d], link.gib_per_s, link.latency_ns});
  }
  return dimensions;
}

TEST(Astra2, ASweepOverSizesGivesTheOriginalsCycles) {
  constexpr auto kRing = DimensionKind::ring;
  constexpr auto kSwitch = DimensionKind::switched;
  constexpr auto kFull = DimensionKind::fully_connected;
  const system::AlgorithmKind kRound = system::kRing;
  const system::AlgorithmKind kHalving = system::kHalvingDoubling;
  const system::AlgorithmKind kDirect = system::kDirect;
  constexpr auto kReduce = chakra::Collective::all_reduce;
  constexpr auto kExchange = chakra::Collective::all_to_all;
  const std::vector<Measured> sweep{
      {kRing, kRound, false, kReduce, {8}, 2'326'112},
      {kRing, kRound, false, kReduce, {64}, 2'840'836},
      {kRing, kRound, true, kReduce, {64}, 2'840'836},
      {kRing, kRound, false, kReduce, {256}, 3'651'640},
      {kSwitch, kHalving, false, kReduce, {64}, 2'570'352},
      {kSwitch, kHalving, false, kReduce, {256}, 2'617'252},
      {kSwitch, kHalving, false, kReduce, {1024}, 2'641'092},
      {kSwitch, kHalving, false, kReduce, {4096}, 2'659'160},
      {kSwitch, kHalving, true, kReduce, {64}, 5'031'272},
      {kSwitch, kHalving, true, kReduce, {256}, 5'107'460},
      {kSwitch, kDirect, true, kExchange, {8}, 1'254'064},
      {kSwitch, kDirect, true, kExchange, {64}, 1'253'872},
      {kSwitch, kDirect, true, kExchange, {256}, 1'253'360},
      {kSwitch, kDirect, false, kExchange, {8}, 160'328},
      {kSwitch, kDirect, false, kExchange, {64}, 23'608},
      {kSwitch, kDirect, false, kExchange, {256}, 8'960},
      {kFull, kDirect, false, kExchange, {64}, 21'608},
      {kFull, kDirect, false, kExchange, {256}, 6'960},
      {kFull, kDirect, false, kExchange, {1024}, 3'300},
      {kRing, kRound, false, kReduce, {8, 8}, 660'320},
      {kRing, kRound, false, kReduce, {16, 16}, 711'020},
      {kRing, kRound, false, kReduce, {32, 32}, 741'972},
      {kRing, kRound, false, kReduce, {64, 64}, 768'428},
      {kRing, kRound, false, kReduce, {4, 4, 4}, 564'620},
      {kRing, kRound, false, kReduce, {8, 8, 4}, 660'320},
      {kRing, kRound, false, kReduce, {16, 8, 8}, 711'020},
      {kRing, kRound, false, kReduce, {32, 32, 16}, 741'972},
  };
  for (const Measured& one : sweep) {
    const Config config = config_of(
        sweep_dimensions(one), std::vector<system::Algorithm>(one.sizes.size(), {one.algorithm}), one.aware);
    const Programs programs(static_cast<std::size_t>(config.network.npus()),
                            chain({collective(one.collective, 64 << 20)}));
    EXPECT_EQ(run(config, programs).cycles(), one.cycles) << "case " << &one - sweep.data();
  }
}

chakra::Node peer(NodeKind kind, std::uint32_t other, std::uint32_t tag) {
  chakra::Node node{.comm_size = 100, .source = other, .destination = other, .tag = tag, .kind = kind};
  node.set(Has::comm_size);
  node.set(Has::tag);
  node.set(kind == NodeKind::send ? Has::destination : Has::source);
  return node;
}

TEST(Astra2, ADeadlockNamesBothRanks) {
  const Config config = config_of({{DimensionKind::ring, 2, 50, 500}}, {{system::kRing}}, false);
  const Programs programs{chain({peer(NodeKind::receive, 1, 7)}), chain({peer(NodeKind::send, 0, 8)})};
  const std::string text = user_error([&] { run(config, programs); });
  EXPECT_NE(text.find("rank 0: node 1"), std::string::npos) << text;
  EXPECT_NE(text.find("from rank 1 (tag 7)"), std::string::npos) << text;
}

TEST(Astra2, ARankThatDoesNotExistIsNamed) {
  const Config config = config_of({{DimensionKind::ring, 2, 50, 500}}, {{system::kRing}}, false);
  const Programs programs{chain({peer(NodeKind::send, 5, 7)}), chain({peer(NodeKind::receive, 0, 7)})};
  const std::string text = user_error([&] { run(config, programs); });
  EXPECT_NE(text.find("node 1: comm_dst: rank 5 does not exist"), std::string::npos) << text;
}

// The original stops at an assertion.
TEST(Astra2, AnAwareRingOfTwoWorks) {
  const Config config = config_of({{DimensionKind::ring, 2, 50, 500}}, {{system::kRing}}, true);
  const Programs programs(2, chain({collective(chakra::Collective::all_reduce, 1 << 20)}));
  const Config unaware = config_of({{DimensionKind::ring, 2, 50, 500}}, {{system::kRing}}, false);
  EXPECT_EQ(run(config, programs).cycles(), run(unaware, programs).cycles());
}

TEST(Astra2, HalvingDoublingOfSixIsRefused) {
  const Config config = config_of({{DimensionKind::ring, 6, 50, 500}}, {{system::kHalvingDoubling}}, false);
  const Programs programs(6, chain({collective(chakra::Collective::all_reduce, 1 << 20)}));
  EXPECT_NE(user_error([&] { run(config, programs); }).find("power of two"), std::string::npos);
}

}  // namespace
}  // namespace overture::astra2
