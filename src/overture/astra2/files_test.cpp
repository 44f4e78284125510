#include "overture/astra2/files.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "overture/base/testing.h"

namespace overture::astra2 {
namespace {

using topology::DimensionKind;

class Astra2Files : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("astra2_files_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  // What is said of a text, without the name of its file.
  std::string network_error(const std::string& text, bool aware = false) const {
    const std::string file = write("network.yml", text);
    return without(file, user_error([&] { read_network(file, aware); }));
  }
  std::string system_error(const std::string& text) const {
    const std::string file = write("system.json", text);
    return without(file, user_error([&] { read_system(file, 1); }));
  }
  std::string memory_error(const std::string& text) const {
    const std::string file = write("memory.json", text);
    return without(file, user_error([&] { read_memory(file); }));
  }

 private:
  static std::string without(const std::string& file, const std::string& error) {
    return error.starts_with(file) ? error.substr(file.size()) : error;
  }
  std::filesystem::path folder_;
};

TEST_F(Astra2Files, ANetworkHasAnEntryPerDimension) {
  const NetworkFile network = read_network(write("network.yml",
                                                 "topology: [ Ring, FullyConnected, Switch ]\n"
                                                 "npus_count: [ 2, 4, 8 ]\n"
                                                 "bandwidth: [ 50.0, 25, 12.5 ]\n"
                                                 "latency: [ 500, 17.7, 0 ]\n"),
                                           false);
  ASSERT_EQ(network.dimensions.size(), 3U);
  EXPECT_EQ(network.npus(), 64);
  EXPECT_EQ(network.dimensions[1].kind, DimensionKind::fully_connected);
  EXPECT_EQ(network.dimensions[1].latency_ns, 17.7);
  EXPECT_EQ(network.dimensions[2].gib_per_s, 12.5);
}

TEST_F(Astra2Files, ANetworkThatCannotBeIsRefusedWithItsKey) {
  const std::string rest = "bandwidth: [ 50 ]\nlatency: [ 500 ]\n";
  EXPECT_TRUE(network_error("topology: [ Ring ]\nnpus_count: [ 1 ]\n" + rest).starts_with(": npus_count:"));
  EXPECT_TRUE(network_error("topology: [ Rng ]\nnpus_count: [ 4 ]\n" + rest)
                  .starts_with(": topology: unknown topology \"Rng\""));
  EXPECT_TRUE(network_error("topology: [ Ring ]\nnpus_count: [ four ]\n" + rest)
                  .starts_with(":2: npus_count: \"four\" does not fit"));
  EXPECT_TRUE(
      network_error("topology: Ring\nnpus_count: [ 4 ]\n" + rest).starts_with(":1: topology: is not"));
  EXPECT_TRUE(network_error("topology: [ Ring ]\n" + rest).starts_with(": npus_count: is missing"));
  EXPECT_TRUE(network_error("topology: [ Ring ]\nnpus_count: [ 4, 2 ]\n" + rest)
                  .starts_with(": topology has 1 entries, npus_count 2"));
  EXPECT_TRUE(network_error("topology: [ Ring ]\nnpus_count: [ 9999999 ]\n" + rest)
                  .starts_with(": npus_count: more than a million"));
  EXPECT_TRUE(network_error("- a list\n").starts_with(": is not a network of ASTRA-sim 2"));
  EXPECT_NE(network_error("topology: [ Ring\n"), "");
}

TEST_F(Astra2Files, TheAwareNetworkHasOneDimension) {
  EXPECT_TRUE(network_error("topology: [ Ring, Ring ]\nnpus_count: [ 4, 4 ]\nbandwidth: [ 1, 1 ]\n"
                            "latency: [ 1, 1 ]\n",
                            true)
                  .starts_with(": topology: the congestion-aware backend has one dimension only"));
}

TEST_F(Astra2Files, AlgorithmsAreReadByTheirWords) {
  const SystemFile system = read_system(
      write("system.json",
            R"({"all-reduce-implementation": ["ring", "direct4", "halvingDoubling", "doubleBinaryTree"],
                "all-to-all-implementation": ["oneDirect"],
                "scheduling-policy": "FIFO", "endpoint-delay": 10, "active-chunks-per-dimension": 3,
                "preferred-dataset-splits": 8, "collective-optimization": "localBWAware"})"),
      2.5);
  const auto& all_reduce = system.of(Played::all_reduce);
  ASSERT_EQ(all_reduce.size(), 4U);
  EXPECT_EQ(all_reduce[1].algorithm.kind, system::kDirect);
  EXPECT_EQ(all_reduce[1].algorithm.window, 4);
  EXPECT_EQ(all_reduce[3].algorithm.kind, system::kDoubleBinaryTree);
  EXPECT_FALSE(all_reduce[1].everybody);
  EXPECT_TRUE(system.of(Played::all_to_all).front().everybody);
  EXPECT_EQ(system.policy, system::SchedulingPolicy::fifo);
  EXPECT_EQ(system.endpoint_delay_ns, 25);
  EXPECT_EQ(system.active_chunks, 3);
  EXPECT_EQ(system.splits, 8);
  EXPECT_EQ(system.optimization, system::Optimization::local_bandwidth_aware);
}

TEST_F(Astra2Files, ASystemThatCannotBeIsRefusedWithItsKey) {
  EXPECT_TRUE(
      system_error(R"({"schedulng-policy": "LIFO"})").starts_with(": schedulng-policy: is not a key"));
  EXPECT_NE(system_error(R"({"schedulng-policy": "LIFO"})").find("scheduling-policy"), std::string::npos);
  EXPECT_TRUE(system_error(R"({"scheduling-policy": "RANDOM"})").starts_with(": scheduling-policy: unknown"));
  EXPECT_TRUE(system_error(R"({"all-reduce-implementation": ["rong"]})")
                  .starts_with(": all-reduce-implementation: unknown algorithm \"rong\""));
  EXPECT_TRUE(system_error(R"({"all-reduce-implementation": ["direct0"]})")
                  .starts_with(": all-reduce-implementation: \"0\" is not a window"));
  EXPECT_TRUE(system_error(R"({"all-reduce-implementation": ["oneDoubleBinaryTree"]})")
                  .starts_with(": all-reduce-implementation: unknown algorithm"));
  EXPECT_TRUE(system_error(R"({"all-reduce-implementation": "ring"})")
                  .starts_with(": all-reduce-implementation: is not a list"));
  EXPECT_TRUE(system_error(R"({"preferred-dataset-splits": 0})").starts_with(": preferred-dataset-splits:"));
  EXPECT_TRUE(system_error(R"({"roofline-enabled": 1})").starts_with(": roofline-enabled: needs peak-perf"));
  EXPECT_NE(system_error("{"), "");
}

TEST_F(Astra2Files, AMemoryThatCannotBeIsRefusedWithItsKey) {
  EXPECT_EQ(memory_error(R"({"memory-type": "NO_MEMORY_EXPANSION"})"), "");
  EXPECT_TRUE(memory_error(R"({"memory-type": "MEMORY_POL"})").starts_with(": memory-type: unknown type"));
  EXPECT_TRUE(memory_error(R"({"memory-type": "MEMORY_POOL"})").starts_with(": remote-mem-bw:"));
  EXPECT_TRUE(memory_error(R"({"memory-type": "PER_NODE_MEMORY_EXPANSION", "remote-mem-bw": 10})")
                  .starts_with(": num-npus-per-node:"));
}

TEST_F(Astra2Files, GroupsHoldRanksThatExist) {
  const std::string good = write("groups.json", R"({"1": [0, 1], "2": [3, 2]})");
  const auto groups = read_groups(good, 4);
  EXPECT_EQ(groups.at(2), (std::vector{3, 2}));
  EXPECT_NE(user_error([&] { read_groups(write("far.json", R"({"1": [0, 4]})"), 4); }), "");
  EXPECT_NE(user_error([&] { read_groups(write("twice.json", R"({"1": [0, 0]})"), 4); }), "");
  EXPECT_NE(user_error([&] { read_groups(write("text.json", R"({"1": "all"})"), 4); }), "");
}

}  // namespace
}  // namespace overture::astra2
