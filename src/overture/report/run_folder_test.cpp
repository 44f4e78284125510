#include "overture/report/run_folder.h"

#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "overture/base/files.h"
#include "overture/base/testing_disk.h"
#include "overture/base/testing_seeds.h"
#include "overture/report/results_folder.h"

namespace overture::report {
namespace {

using namespace literals;
using system::CollectiveKind;

// Two NPUs on a ring, one layer: 100 ns forward, 100 ns weight gradient, then 2 KiB all-reduced.
simulation::SimulationConfig small_run() {
  simulation::SimulationConfig config;
  config.network = network::AnalyticalConfig{.dimensions = {{.size = 2, .links = 2, .link_latency_ns = 10}},
                                             .contention = network::Contention::links};
  for (auto& implementation : config.system.implementations) implementation.per_dimension = {{system::kRing}};
  workload::Layer layer{.name = "only, \"one\""};
  layer.forward.compute = 100ns;
  layer.weight_gradient = {.compute = 100ns,
                           .communication = workload::Communication{CollectiveKind::all_reduce, 2_KiB}};
  config.workload = {.parallelism = workload::Parallelism::data, .layers = {layer}};
  return config;
}

TEST(RunFolder, SummaryHoldsTheNumbersOfTheRunWithUnits) {
  const auto config = small_run();
  const ObservedRun run = observe(config, false);
  const auto& result = run.result;
  const auto summary = nlohmann::json::parse(summary_json({"test", "yaml: text\n", config, run, ""}));
  EXPECT_EQ(summary["npus"], 2);
  EXPECT_DOUBLE_EQ(summary["compute_us"], 0.2);
  EXPECT_DOUBLE_EQ(summary["finished_us"], to_us(result.finished));
  EXPECT_DOUBLE_EQ(summary["exposed_communication_us"].get<double>() + 0.2, to_us(result.finished));
  EXPECT_EQ(summary["sent_by_npu_0_bytes"][0], 2048);
  EXPECT_EQ(summary["layers"][0]["name"], "only, \"one\"");
  EXPECT_TRUE(summary["caveats"].empty());
}

TEST(RunFolder, TheOptimisticNetworkIsNamedInTheSummary) {
  auto config = small_run();
  analytical(config).contention = network::Contention::none;
  ASSERT_EQ(caveats(config).size(), 1u);
  EXPECT_NE(caveats(config)[0].find("optimistic"), std::string::npos);
}

TEST(RunFolder, SameRunSameDigestOtherRunOther) {
  const auto digest = [](const simulation::SimulationConfig& config) {
    const ObservedRun run = observe(config, false);
    return run.recorder.digest(run.result);
  };
  auto slower = small_run();
  analytical(slower).dimensions[0].link_latency_ns = 11;
  EXPECT_EQ(digest(small_run()), digest(small_run()));
  EXPECT_NE(digest(small_run()), digest(slower));
}

TEST(RunFolder, WritesEverythingTheDocsPromise) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "overture run folder";
  std::filesystem::remove_all(folder);
  const auto config = small_run();
  write_run_folder({"test", "yaml: text\n", config, observe(config, false), ""}, folder);
  for (const char* name : {"summary.json", "setup.yaml", "layers.csv", "dimensions.csv", "trace.json.gz"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
  }
  EXPECT_NE(read_file(folder / "layers.csv").find("\"only, \"\"one\"\"\",forward,0.100000"),
            std::string::npos);
  std::filesystem::remove_all(folder);
}

// Where summary.json stands, the folder is complete, also after a power cut.
TEST(RunFolder, ASummaryMeansThatAllIsThereWhereverTheCrashIs) {
  namespace fs = std::filesystem;
  const fs::path scratch = fs::path(testing::TempDir()) / "overture crashed folder";
  fs::remove_all(scratch);
  fs::create_directories(scratch / "root");
  const auto config = small_run();
  const report::Run run{"test", "yaml: text\n", config, observe(config, true), ""};
  RecordingDisk recording(scratch / "root");
  {
    const DiskInstead instead(recording);
    make_results_folder(scratch / "root/run");
    write_run_folder(run, scratch / "root/run");
  }
  int whole = 0;
  for (std::uint64_t seed = 0; seed < seeds(150); ++seed) {
    const std::size_t crash = RandomStream(seed, 5).below(recording.operations() + 1);
    const fs::path after = scratch / "after";
    recording.crash(crash, seed, after);
    EXPECT_TRUE(fs::exists(after / "run/summary.json") || crash < recording.operations());
    if (fs::exists(after / "run/summary.json")) {
      ++whole;
      for (const auto& entry : fs::directory_iterator(scratch / "root/run")) {
        const fs::path same = after / "run" / entry.path().filename();
        ASSERT_TRUE(fs::exists(same)) << same << ", seed " << seed << ", after operation " << crash;
        EXPECT_EQ(read_file(same), read_file(entry.path())) << same << ", seed " << seed;
      }
    }
    fs::remove_all(after);
  }
  EXPECT_GT(whole, 0);
  fs::remove_all(scratch);
}

TEST(RunFolder, LinksCarryWhatTheRanksSent) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "overture network use";
  std::filesystem::create_directories(folder);
  const auto config = small_run();
  write_run_folder({"test", "yaml: text\n", config, observe(config, true), ""}, folder);
  // A ring of two: each sends half of 2 KiB twice, all of it over its one link.
  EXPECT_EQ(read_file(folder / "traffic.csv"),
            "from,to,bytes,kind\n0,1,2048,all_reduce\n1,0,2048,all_reduce\n");
  const std::string links = read_file(folder / "links.csv");
  EXPECT_NE(links.find("\nh0,h1,dimension 0,2048,"), std::string::npos) << links;
  EXPECT_NE(links.find("\nh1,h0,dimension 0,2048,"), std::string::npos) << links;
  EXPECT_NE(read_file(folder / "links_over_time.csv").find("\nh0>h1,"), std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST(Recorder, PhasesOfOneDimensionNeverOverlapOnAStream) {
  auto config = small_run();
  config.system.splits = 8;
  config.system.active_chunks = 3;
  Recorder recorder;
  const auto result = simulation::simulate(config, recorder.observers());
  std::map<int, Time> busy_until;
  int phases = 0;
  const Trace trace = recorder.trace(result);
  for (const TraceSlice& slice : trace.slices()) {
    EXPECT_GE(slice.start, busy_until[slice.stream]) << slice.name;
    busy_until[slice.stream] = slice.start + slice.length;
    phases += slice.name.starts_with("nccl") ? 1 : 0;
  }
  EXPECT_EQ(phases, 8);
}

}  // namespace
}  // namespace overture::report
