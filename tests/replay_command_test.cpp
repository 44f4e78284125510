// FlexFlow's task graphs as a user makes and plays them.
#include <fstream>

#include "program.h"
#include <gtest/gtest.h>

namespace overture::testing {
namespace {

namespace fs = std::filesystem;

const fs::path kExamples = fs::path(OVERTURE_SOURCE_FOLDER) / "examples";

constexpr const char* kSystem =
    "system: {all_reduce: flat_distributed_parameter_server, active_chunks: 2147483647, endpoint_delay: 0 "
    "ns, "
    "chunks: 1}\n";

void make_graph(const TemporaryFolder& folder) {
  std::ofstream(folder.path() / "network.yaml") << "network: {topology: {fat_tree: {k: 4}}}\n";
  std::ofstream(folder.path() / "tasks.yaml") << "network: {topology: {fat_tree: {k: 4}}}\n"
                                              << kSystem << "workload: {tasks: step.tg}\n";
  const Outcome outcome =
      run_overture({"generate", "tasks", (kExamples / "model-i.yaml").string(), "-s",
                    "workload.dlrm.tables.count=16", "-s", "workload.dlrm.batch=4096", "-o", "step.tg"},
                   {.folder = folder.path()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
}

std::string value_of(const std::string& json, const std::string& key) {
  const auto at = json.find("\"" + key + "\"");
  return at == std::string::npos ? "" : json.substr(at, json.find('\n', at) - at);
}

TEST(Replay, LeavesAFolderWithAReportOnEveryBackend) {
  const TemporaryFolder folder;
  make_graph(folder);
  for (const std::string backend : {"flow", "packet"}) {
    const Outcome outcome = run_overture(
        {"replay", "step.tg", "network.yaml", "--backend", backend, "--all-reduce", "dps", "-o", backend},
        {.folder = folder.path()});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
    for (const std::string& line : lines_of(outcome.out)) EXPECT_LE(line.size(), 80u) << line;
    for (const char* file :
         {"summary.json", "setup.yaml", "ranks.csv", "layers.csv", "tasks.csv", "traffic.csv", "flows.csv",
          "links.csv", "links_over_time.csv", "trace.json.gz", "report.html"})
      EXPECT_TRUE(fs::exists(folder.path() / backend / file)) << file;
  }
}

TEST(Replay, IsSimulateWithWorkloadTasks) {
  const TemporaryFolder folder;
  make_graph(folder);
  const Outcome replayed = run_overture({"replay", "step.tg", "network.yaml", "--backend", "flow",
                                         "--all-reduce", "dps", "--json", "--no-report"},
                                        {.folder = folder.path()});
  const Outcome simulated =
      run_overture({"simulate", "tasks.yaml", "-s", "network.backend=flow", "--json", "--no-report"},
                   {.folder = folder.path()});
  ASSERT_EQ(simulated.exit_code, 0) << simulated.text();
  for (const char* key : {"finished_us", "compute_us", "tasks", "digest"}) {
    EXPECT_FALSE(value_of(replayed.out, key).empty()) << key << replayed.out;
    EXPECT_EQ(value_of(replayed.out, key), value_of(simulated.out, key));
  }
}

TEST(Replay, RefusesWhatDoesNotFit) {
  const TemporaryFolder folder;
  make_graph(folder);
  const auto error = [&](const Words& words) {
    const Outcome outcome = run_overture(words, {.folder = folder.path()});
    EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
    return outcome.err;
  };
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(error({"replay", "step.tg", "network.yaml", "-s", "network.topology.fat_tree.k=2"}),
      "has 16 ranks, but the network has 2 hosts");
  has(error({"simulate", "tasks.yaml", "-s", "network.topology.fat_tree.k=2"}),
      "has 16 ranks, but the network has 2 hosts");
  has(error({"simulate", "tasks.yaml", "-s", "workload.tasks=none.tg"}), "none.tg");
  has(error({"simulate", "tasks.yaml", "-s", "system.all_reduce=halving_doublin"}), "did you mean");
  has(error({"generate", "tasks", "network.yaml", "-o", "none.tg"}), "workload.dlrm: is missing");
  has(error({"generate", "tasks", (kExamples / "rm1.yaml").string(), "-o", "none.tg"}),
      "sharding: table_wise");
  has(error({"replay", "network.yaml", "network.yaml"}), "is not a task graph");
  has(error({"replay", "step.tg", "network.yaml", "--backend", "flows"}), "did you mean \"flow\"");
  has(error({"replay", "step.tg", "network.yaml", "--all-reduce", "tree"}), "unknown all-reduce");
}

TEST(Simulate, PointsAtFlowsWhereThereIsOnlyTraffic) {
  const Outcome outcome = run_overture({"simulate", (kExamples / "fat-tree.yaml").string()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("run overture flows"), std::string::npos) << outcome.err;
}

TEST(GenerateWorkload, WritesTheAstraSimFileOfADlrm) {
  const Outcome outcome =
      run_overture({"generate", "workload", "--dlrm", (kExamples / "hoti20-dlrm.yaml").string()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_EQ(outcome.out.rfind("HYBRID_DLRM", 0), 0U) << outcome.out;
  EXPECT_NE(outcome.out.find("ALLTOALL\t4194304"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace overture::testing
