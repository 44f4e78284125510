#include "overture/formats/htsim_log.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "overture/base/error.h"

namespace overture::formats {
namespace {

namespace fs = std::filesystem;

fs::path log_file(const std::string& name, const std::string& text) {
  const fs::path file = fs::path(::testing::TempDir()) / name;
  std::ofstream(file) << text;
  return file;
}

std::string error_of(const fs::path& file, const HtsimReading& reading = {}) {
  try {
    read_htsim_log(file, reading);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

const std::string kTask = "0x7ffd548b4670 finished one task, nfin ";

TEST(HtsimLog, TheScriptsEstimateCountsSizesThatOnlyGoToTheNextNode) {
  // Ring: 100 bytes round four nodes. Others: 50 bytes, once to the next node and once not.
  const HtsimLog log = read_htsim_log(log_file("ring.log",
                                               "preamble\nFCT 0 1 100 0.5 0.1\nFCT 1 2 100 0.5 0.1\n"
                                               "FCT 2 3 100 0.5 0.1\nFCT 3 0 100 0.5 0.1\n"
                                               "FCT 0 1 50 0.5 0.100000\nFCT 0 2 50 0.5 0.1\n"));
  EXPECT_EQ(log.nodes, 4);
  EXPECT_EQ(log.flow_lines, 6U);
  const HtsimTraffic traffic = traffic_of(log);
  EXPECT_DOUBLE_EQ(traffic.bytes, 500);
  EXPECT_DOUBLE_EQ(traffic.script_share, 0.8);
  EXPECT_DOUBLE_EQ(traffic.ring_share, 0.8);
  EXPECT_DOUBLE_EQ(traffic.next_node_share, 0.9);
  EXPECT_FALSE(traffic.exact_share);
}

TEST(HtsimLog, ARingThatLeavesNodesOutIsStillARing) {
  // Nodes 0, 2 and 5 of six: the script sees no flow to the next node, and finds nothing.
  const HtsimLog log =
      read_htsim_log(log_file("sparse.log",
                              "FCT 0 2 100 1 0\nFCT 2 5 100 1 0\nFCT 5 0 100 1 0\nFCT 0 2 100 1 0\n"
                              "FCT 1 4 100000 1 0\nFCT 4 3 7 1 0\n"),
                     {.nodes = 6});
  const HtsimTraffic traffic = traffic_of(log);
  EXPECT_NEAR(traffic.ring_share, 400.0 / 100407, 1e-12);
  EXPECT_NEAR(traffic.script_share, 0.0 / 100407, 1e-12);
}

TEST(HtsimLog, TwoRingsOfOneSizeAreNoRing) {
  const HtsimLog log = read_htsim_log(
      log_file("two.log", "FCT 0 1 100 1 0\nFCT 1 0 100 1 0\nFCT 2 3 100 1 0\nFCT 3 2 100 1 0\n"));
  EXPECT_DOUBLE_EQ(traffic_of(log).ring_share, 0);
}

TEST(HtsimLog, WhereTasksFollowFlowsTheShareIsExact) {
  // 200 bytes are a communication task; 100 belong to an all-reduce, whose last flow its task follows.
  const HtsimLog log = read_htsim_log(
      log_file("both.log", kTask + "1 ntot 3 type 0 now 1000000000\n" + "FCT 0 1 200 1 0\n" + kTask +
                               "2 ntot 3 type 2 now 2000000000000\ngot application callback\n" +
                               "FCT 0 1 50 1 0\ngot application callback\nFCT 1 0 50 1 0\n" + kTask +
                               "3 ntot 3 type 6 now 3000000000000\nFinalFinish 3000000000000\n"));
  const HtsimTraffic traffic = traffic_of(log);
  ASSERT_TRUE(traffic.exact_share);
  EXPECT_DOUBLE_EQ(*traffic.exact_share, 1.0 / 3);
  EXPECT_EQ(log.task_ends_s[0], std::vector<double>{0.001});
  EXPECT_EQ(log.task_ends_s[2], std::vector<double>{2});
  EXPECT_EQ(log.task_ends_s[6], std::vector<double>{3});
  EXPECT_DOUBLE_EQ(log.final_finish_s.value(), 3);
}

TEST(HtsimLog, ALogThatIsCutNamesItsLine) {
  const fs::path cut = log_file("cut.log", "FCT 0 1 100 0.5 0.1\nFCT 1 0 10");
  EXPECT_NE(error_of(cut).find("cut.log:2: the last line is cut"), std::string::npos) << error_of(cut);
  EXPECT_EQ(read_htsim_log(cut, {.partial = true}).flow_lines, 1U);
  const fs::path flow = log_file("flow.log", "FCT 0 1 100 0.5 0.1\n0x7ffd548b4670 finished one t");
  EXPECT_NE(error_of(flow).find("flow.log:2: the last line is cut"), std::string::npos) << error_of(flow);
  const fs::path within = log_file("within.log", "FCT 0 1 100 0.5 0.1\nFCT 1 0 10\nFCT 1 0 100 0.5 0.1\n");
  EXPECT_NE(error_of(within).find("within.log:2: is not a whole line of a flow"), std::string::npos);
  const fs::path early = log_file("early.log", kTask + "1 ntot 5 type 0 now 10\n");
  EXPECT_NE(error_of(early).find("early.log:1: ends after task 1 of 5"), std::string::npos)
      << error_of(early);
  EXPECT_EQ(read_htsim_log(early, {.partial = true}).task_lines, 1U);
  const fs::path task = log_file("task.log", kTask + "1 ntot 5 type 9 now 10\n");
  EXPECT_NE(error_of(task).find("task.log:1: is not a whole line of a task"), std::string::npos);
}

TEST(HtsimLog, OtherFilesAreRefused) {
  EXPECT_NE(error_of(log_file("empty.log", "")).find("neither flows nor tasks"), std::string::npos);
  EXPECT_NE(error_of(log_file("other.log", "hello\nworld\n")).find("neither flows nor tasks"),
            std::string::npos);
  EXPECT_NE(error_of("/no/such/file").find("cannot be opened"), std::string::npos);
  EXPECT_NE(error_of(log_file("nodes.log", "FCT 0 7 100 0.5 0.1\n"), {.nodes = 4}).find("names node 7"),
            std::string::npos);
}

}  // namespace
}  // namespace overture::formats
