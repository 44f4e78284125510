// `overture astra` on Garnet's text files, and ASTRA-sim's scripts: what is refused, and what works as it
// stands.
#include "program.h"
#include <gtest/gtest.h>

namespace overture::testing {
namespace {

namespace fs = std::filesystem;

const fs::path kDeck = fs::path(OVERTURE_TESTS_FOLDER) / "golden/garnet/slides-2x2x3-dlrm";
const fs::path kExamples = fs::path(OVERTURE_SOURCE_FOLDER) / "examples";

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// The deck's three files; tests change one of them.
struct Files {
  std::string network = read_text(kDeck / "network.txt");
  std::string system = read_text(kDeck / "system.txt");
  std::string workload = read_text(kDeck / "workload.txt");
  std::string network_flag = "network";
  Words more;

  Outcome run() const {
    const TemporaryFolder folder;
    folder.write("network.txt", network);
    folder.write("system.txt", system);
    folder.write("workload.txt", workload);
    Words words{"astra",
                "--network-configuration=" + network_flag,
                "--system-configuration=system.txt",
                "--workload-configuration=workload.txt",
                "--path=results/",
                "--run-name=run"};
    words.insert(words.end(), more.begin(), more.end());
    return run_overture(words, {.folder = folder.path()});
  }
};

void expect_refused(const Files& files, const std::string& says) {
  const Outcome outcome = files.run();
  EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
}

TEST(GarnetCommand, TakesTheNetworkWithAndWithoutItsSuffix) {
  Files files;
  const Outcome without = files.run();
  ASSERT_EQ(without.exit_code, 0) << without.text();
  EXPECT_NE(without.out.find("all passes finished at time: 179964\n"), std::string::npos)
      << "two passes by default";
  files.network_flag = "network.txt";
  const Outcome with = files.run();
  EXPECT_EQ(with.out, without.out);
}

TEST(GarnetCommand, NamesTheLineOfABadNetwork) {
  Files files;
  files.network = changed(files.network, "vcs-per-vnet", "vcs-per-net");
  expect_refused(files, "network.txt:13: unknown key \"vcs-per-net:\"");
  files = {};
  files.network = changed(files.network, "num-packages: 6", "num-packages: 7");
  expect_refused(files, "network.txt:2: num-packages: 7 packages do not share 12 NPUs evenly");
  files = {};
  files.network = changed(files.network, "Ring_XY", "AllToAll");
  expect_refused(files, "network.txt:14: routing-algorithm: Torus3D has no routing \"AllToAll\"");
}

TEST(GarnetCommand, RefusesWhatEndsWithoutAReportInTheOriginal) {
  Files files;
  files.system = changed(files.system, "endpoint-delay: 1", "endpoint-delay: 0");
  expect_refused(files, "endpoint-delay: is 0, which Garnet cannot do");
  files = {};
  files.workload = "MICRO 1 conv1 -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 1048576 0";
  expect_refused(files, "has an update delay of 0, which Garnet cannot do");
  files.workload = "MICRO 1 conv1 -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 8 5";
  expect_refused(files, "messages of 0 bytes");
  files = {};
  files.system = changed(files.system, "all-reduce-implementation: ring_ring_ring",
                         "all-reduce-implementation: oneRing");
  expect_refused(files, "which do not lead to other packages");
  files = {};
  files.workload =
      "HYBRID_TRANSFORMER model_parallel_NPU_group: 12 1 l -1 5 ALLGATHER 4096 5 NONE 0 5 NONE 0 5";
  EXPECT_EQ(files.run().exit_code, 0) << "a group that ends where a dimension ends";
  files.network = changed(files.network, "num-npus: 12", "num-npus: 24");  // four in a package
  files.workload = changed(files.workload, "group: 12", "group: 2");
  expect_refused(files, "ends inside dimension 0");
}

TEST(GarnetCommand, SaysWhenPacketsWaitForEachOther) {
  Files files;
  files.network = changed(files.network, "vcs-per-vnet: 50", "vcs-per-vnet: 1");
  files.network = changed(files.network, "num-npus: 12", "num-npus: 48");
  files.system = changed(files.system, "all-to-all-implementation: ring_ring_ring",
                         "all-to-all-implementation: direct_direct_direct");
  files.workload = "MICRO 1 conv1 -1 5 NONE 0 5 NONE 0 5 ALLTOALL 4194304 5";
  expect_refused(files, "raise vcs-per-vnet or buffers-per-vc\n  deadlock at ");
}

TEST(GarnetCommand, RefusesFlagsOfTheAnalyticalNetwork) {
  Files files;
  files.more = {"--num-queues-per-dim=2"};
  expect_refused(files, "--num-queues-per-dim: does nothing on Garnet's network");
  files.more = {"--garnet-order=random"};
  expect_refused(files, "--garnet-order: must be clean or original");
}

TEST(GarnetCommand, LeavesAReportToo) {
  Files files;
  files.more = {"--results=report"};
  const Outcome outcome = files.run();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_NE(outcome.out.find("report: report/report.html"), std::string::npos) << outcome.out;
}

TEST(InstallAstra, TheTutorialsScriptRunsWithOnlyItsBinaryChanged) {
  const TemporaryFolder folder;
  const Outcome installed = run_overture({"install-astra", "bin"}, {.folder = folder.path()});
  ASSERT_EQ(installed.exit_code, 0) << installed.text();
  for (const char* name : {"network.json", "system.txt", "workload.txt"})
    folder.write(fs::path("inputs") / name, read_text(kExamples / "astra" / name));
  folder.write("examples/results/.keep", "");
  folder.write("examples/run_DLRM_analytical.sh", R"sh(#! /bin/bash -v
SCRIPT_DIR=$(dirname "$(realpath $0)")
BINARY="${SCRIPT_DIR:?}"/../bin/AnalyticalAstra
NETWORK="${SCRIPT_DIR:?}"/../inputs/network.json
SYSTEM="${SCRIPT_DIR:?}"/../inputs/system.txt
WORKLOAD="${SCRIPT_DIR:?}"/../inputs/workload.txt
STATS="${SCRIPT_DIR:?}"/results/run_DLRM_analytical
rm -rf "${STATS}"
mkdir "${STATS}"
"${BINARY}" \
--network-configuration="${NETWORK}" \
--system-configuration="${SYSTEM}" \
--workload-configuration="${WORKLOAD}" \
--path="${STATS}"/ \
--run-name="sample_DLRM" \
--num-passes=2 \
--total-stat-rows=1 \
--stat-row=0
)sh");
  const Outcome outcome = run({"/bin/bash", "examples/run_DLRM_analytical.sh"}, {.folder = folder.path()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_TRUE(fs::exists(folder.path() / "examples/results/run_DLRM_analytical/EndToEnd.csv"));
  EXPECT_EQ(run_overture({"install-astra", "bin"}, {.folder = folder.path()}).exit_code, 0)
      << "renews its link";
}

TEST(InstallAstra, LeavesAnotherProgramAlone) {
  const TemporaryFolder folder;
  folder.write("bin/AnalyticalAstra", "somebody's");
  const Outcome outcome = run_overture({"install-astra", "bin"}, {.folder = folder.path()});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
  EXPECT_EQ(read_text(folder.path() / "bin/AnalyticalAstra"), "somebody's");
}

TEST(GenerateWorkload, TakesTheFlagsOfAstraSimsGenerator) {
  const TemporaryFolder folder;
  const Outcome theirs =
      run_overture({"generate", "workload", "--datatype_size=2", "--mnk=" + (kExamples / "mnk.csv").string(),
                    "--num_npus=16", "--num_packages=2", "--output_file=example_DATA.txt", "--parallel=DATA",
                    "--run_name=example", "--scalesim_config=" + (kExamples / "scalesim.cfg").string(),
                    "--scalesim_path=../../extern/compute/SCALE-Sim"},
                   {.folder = folder.path()});
  ASSERT_EQ(theirs.exit_code, 0) << theirs.text();
  const Outcome ours =
      run_overture({"generate", "workload", "--mnk", (kExamples / "mnk.csv").string(), "--npus", "16",
                    "--packages", "2", "--compute", "scale-sim:" + (kExamples / "scalesim.cfg").string()});
  ASSERT_EQ(ours.exit_code, 0) << ours.text();
  EXPECT_EQ(read_text(folder.path() / "example_DATA.txt"), ours.out);
}

TEST(GenerateWorkload, NeedsOneComputeModel) {
  const Words words{"generate", "workload", "--mnk", (kExamples / "mnk.csv").string()};
  const Outcome outcome = run_overture(words);
  EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
  EXPECT_NE(outcome.err.find("--compute: is missing"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace overture::testing
