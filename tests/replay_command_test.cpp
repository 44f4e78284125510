// FlexFlow's task graphs as a user makes and replays them.
#include <fstream>

#include "program.h"
#include <gtest/gtest.h>

namespace overture::testing {
namespace {

namespace fs = std::filesystem;

// Empty where the build has no flatbuffers: then there is a clear message, which is checked here.
std::string make_graph(const TemporaryFolder& folder) {
  std::ofstream(folder.path() / "network.yaml") << "network: {topology: {fat_tree: {k: 4}}}\n";
  const Outcome outcome = run_overture({"generate", "tasks", "--model", "I", "--nodes", "16", "--tables",
                                        "16", "--batch", "4096", "-o", "step.tg"},
                                       {.folder = folder.path()});
  if (outcome.exit_code == 0) return "step.tg";
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("install libflatbuffers-dev"), std::string::npos) << outcome.err;
  return "";
}

TEST(Replay, LeavesAFolderWithAReportOnEveryBackend) {
  const TemporaryFolder folder;
  const std::string graph = make_graph(folder);
  if (graph.empty()) GTEST_SKIP() << "this build has no flatbuffers";
  for (const std::string backend : {"flow", "packet"}) {
    const Outcome outcome = run_overture(
        {"replay", graph, "network.yaml", "--backend", backend, "--all-reduce", "dps", "-o", backend},
        {.folder = folder.path()});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
    for (const std::string& line : lines_of(outcome.out)) EXPECT_LE(line.size(), 80u) << line;
    for (const char* file : {"summary.json", "setup.yaml", "ranks.csv", "tasks.csv", "traffic.csv",
                             "links.csv", "links_over_time.csv", "report.html"})
      EXPECT_TRUE(fs::exists(folder.path() / backend / file)) << file;
  }
}

TEST(Replay, RefusesWhatDoesNotFit) {
  const TemporaryFolder folder;
  const std::string graph = make_graph(folder);
  if (graph.empty()) GTEST_SKIP() << "this build has no flatbuffers";
  const auto error = [&](const Words& words) {
    const Outcome outcome = run_overture(words, {.folder = folder.path()});
    EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
    return outcome.err;
  };
  EXPECT_NE(error({"replay", graph, "network.yaml", "-s", "network.topology.fat_tree.k=2"})
                .find("step.tg has 16 nodes"),
            std::string::npos);
  EXPECT_NE(error({"generate", "tasks", "--tables", "0", "-o", "none.tg"}).find("--tables"),
            std::string::npos);
  EXPECT_NE(error({"replay", "network.yaml", "network.yaml"}).find("is not a task graph"), std::string::npos);
  EXPECT_NE(error({"replay", graph, "network.yaml", "--backend", "flows"}).find("did you mean \"flow\""),
            std::string::npos);
  EXPECT_NE(error({"replay", graph, "network.yaml", "--all-reduce", "tree"}).find("unknown all-reduce"),
            std::string::npos);
}

}  // namespace
}  // namespace overture::testing
