// ASTRA-sim 2's files from the command line: its own names and flags, the same traces on other networks,
// traces out and in again, and what is refused.
#include "program.h"
#include <gtest/gtest.h>

namespace overture::testing {
namespace {

namespace fs = std::filesystem;

const fs::path kGolden = fs::path(OVERTURE_TESTS_FOLDER) / "golden/astra-sim-2";
const fs::path kTraces = fs::path(OVERTURE_SOURCE_FOLDER) / "examples/astra2";

Words flags_of(const fs::path& folder) {
  return {"--workload-configuration=" + (folder / "workload").string(),
          "--system-configuration=" + (folder / "system.json").string(),
          "--network-configuration=" + (folder / "network.yml").string(),
          "--remote-memory-configuration=" + (folder / "remote_memory.json").string()};
}

Words words(Words first, const Words& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

TEST(Astra2Command, RunsUnderTheNamesOfTheOriginal) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_overture({"install-astra", "bin"}, {.folder = folder.path()}).exit_code, 0);
  const fs::path golden = kGolden / "ring8-allreduce-aware";
  const Outcome outcome =
      run(words({(folder.path() / "bin/AstraSim_Analytical_Congestion_Aware").string()}, flags_of(golden)),
          {.folder = folder.path()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_NE(outcome.out.find(
                "[workload] [info] sys[0] finished, 117780 cycles, exposed communication 117780 cycles."),
            std::string::npos)
      << outcome.text();
  EXPECT_NE(outcome.out.find("[statistics] [info] sys[7], Comm time: 117780"), std::string::npos);
}

TEST(Astra2Command, LeavesTablesATraceAndAReport) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_overture(words({"astra2", "--backend=congestion_aware", "--results=out"}, flags_of(kTraces)),
                   {.folder = folder.path()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
  for (const char* name : {"summary.json", "ranks.csv", "layers.csv", "operations.csv", "links.csv",
                           "trace.json.gz", "report.html"})
    EXPECT_TRUE(fs::exists(folder.path() / "out" / name)) << name;
  EXPECT_NE(read_text(folder.path() / "out/ranks.csv").find("\n0,455.000,879.492,1334.492,879.492,"),
            std::string::npos);
}

TEST(Astra2Command, TheSummaryIsJsonAndAnotherRunsFolderIsNotOverwritten) {
  const TemporaryFolder folder;
  const Outcome json = run_overture(words({"astra2", "--json"}, flags_of(kGolden / "pipeline4-ring-unaware")),
                                    {.folder = folder.path()});
  EXPECT_EQ(json.exit_code, 0) << json.text();
  EXPECT_EQ(json.out.front(), '{') << json.text();
  EXPECT_NE(json.out.find("\"finished_us\""), std::string::npos) << json.text();
  const Words aware = words({"astra2", "--congestion-aware", "--no-report", "-o", "out"}, flags_of(kTraces));
  ASSERT_EQ(run_overture(aware, {.folder = folder.path()}).exit_code, 0);
  EXPECT_FALSE(fs::exists(folder.path() / "out/report.html"));
  const Words unaware = words({"astra2", "--no-report", "-o", "out"}, flags_of(kTraces));
  const Outcome refused = run_overture(unaware, {.folder = folder.path()});
  EXPECT_EQ(refused.exit_code, 2) << refused.text();
  EXPECT_EQ(run_overture(words(unaware, {"--overwrite"}), {.folder = folder.path()}).exit_code, 0);
}

// As the original: on the console nothing more, in the log file every node of every NPU.
TEST(Astra2Command, TraceEnabledLogsEveryNode) {
  const TemporaryFolder folder;
  std::string system = read_text(kTraces / "system.json");
  system.insert(system.find('{') + 1, "\"trace-enabled\": 1,");
  folder.write("system.json", system);
  Words flags = flags_of(kTraces);
  flags[1] = "--system-configuration=system.json";
  const Outcome outcome =
      run_overture(words({"astra2", "--congestion-aware"}, flags), {.folder = folder.path()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_EQ(outcome.out.find("issue,"), std::string::npos);
  const std::string log = read_text(folder.path() / "log/log.log");
  EXPECT_NE(log.find("[workload] [debug] issue,sys->id=7, tick=0, node->id="), std::string::npos);
  EXPECT_NE(log.find("[workload] [debug] callback,sys->id=7, tick="), std::string::npos);
  EXPECT_NE(log.find("sys[0] finished"), std::string::npos);
}

// Formula, flows, packets and rotors play the same traces.
TEST(Astra2Command, TracesRunOnEveryNetwork) {
  const std::string workload = "workload: {chakra: " + (kTraces / "workload").string() +
                               "}\nsystem: {all_reduce: [ring], all_to_all: [direct]}\n";
  for (const std::string network :
       {"network:\n  dimensions: [{kind: switch, size: 8, bandwidth: 25 GB/s, latency: 1 us}]\n",
        "network:\n  backend: flow\n  topology: {star: {hosts: 8}}\n",
        "network:\n  backend: packet\n  topology: {star: {hosts: 8}}\n",
        "network:\n  topology: {opera: {tors: 4, ports: 8}}\n"}) {
    const TemporaryFolder folder;
    folder.write("setup.yaml", "name: traced\n" + network + workload);
    const Outcome outcome =
        run_overture({"simulate", "setup.yaml", "-o", "out", "--no-report"}, {.folder = folder.path()});
    EXPECT_EQ(outcome.exit_code, 0) << network << outcome.text();
  }
}

TEST(Astra2Command, EqualTracesStandForMoreRanksAndTheSummarySaysSo) {
  const TemporaryFolder folder;
  folder.write(
      "setup.yaml",
      "name: traced\nnetwork:\n  dimensions: [{kind: switch, size: 64, bandwidth: 25 GB/s, latency: 1 us}]\n"
      "workload: {chakra: " +
          (kTraces / "workload").string() + "}\nsystem: {all_reduce: [ring], all_to_all: [direct]}\n");
  const Outcome outcome =
      run_overture({"simulate", "setup.yaml", "-o", "out", "--no-report"}, {.folder = folder.path()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_NE(outcome.out.find("stand for 64 ranks"), std::string::npos) << outcome.text();
  EXPECT_NE(read_text(folder.path() / "out/summary.json").find("stand for 64 ranks"), std::string::npos);
  const std::string layers = read_text(folder.path() / "out/layers.csv");
  EXPECT_NE(layers.find("\nbottom_fwd,60.000000,0.000000,"), std::string::npos) << layers;
  EXPECT_NE(read_text(folder.path() / "out/tasks.csv").find("bottom_fwd,compute,all,"), std::string::npos);
}

TEST(Astra2Command, AnImportedSetupRuns) {
  const TemporaryFolder folder;
  const Outcome import =
      run_overture(words({"import", "astra2", "--congestion-aware", "-o", "one.yaml"}, flags_of(kTraces)),
                   {.folder = folder.path()});
  ASSERT_EQ(import.exit_code, 0) << import.text();
  const Outcome outcome = run_overture({"simulate", "one.yaml", "--no-report"}, {.folder = folder.path()});
  EXPECT_EQ(outcome.exit_code, 0) << read_text(folder.path() / "one.yaml") << outcome.text();
}

TEST(Astra2Command, OurWorkloadsLeaveAsChakraAndComeBack) {
  const TemporaryFolder folder;
  const std::string example = (fs::path(OVERTURE_SOURCE_FOLDER) / "examples/dlrm-torus.yaml").string();
  const Outcome written = run_overture({"generate", "chakra", example, "-o", "w", "--ranks", "0", "1"},
                                       {.folder = folder.path()});
  ASSERT_EQ(written.exit_code, 0) << written.text();
  EXPECT_TRUE(fs::exists(folder.path() / "w.1.et"));
  EXPECT_FALSE(fs::exists(folder.path() / "w.2.et"));
  const Outcome seen = run_overture({"inspect", "w.0.et"}, {.folder = folder.path()});
  EXPECT_EQ(seen.exit_code, 0) << seen.text();
  EXPECT_NE(seen.out.find("critical path"), std::string::npos);
}

TEST(Astra2Command, WhatIsWrongIsNamed) {
  const TemporaryFolder folder;
  folder.write("workload.0.et", "not a trace");
  Words flags = flags_of(kTraces);
  flags[0] = "--workload-configuration=" + (folder.path() / "workload").string();
  const Outcome one = run_overture(words({"astra2"}, flags), {.folder = folder.path()});
  EXPECT_EQ(one.exit_code, 2);
  EXPECT_NE(one.err.find("workload.1.et: does not exist"), std::string::npos) << one.text();
  const Outcome other = run_overture({"inspect", "workload.0.et"}, {.folder = folder.path()});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("at byte 0"), std::string::npos) << other.text();
}

}  // namespace
}  // namespace overture::testing
