// `overture plan`, `overture codesign` and `overture study cache-networks`, as users run them.
#include <filesystem>

#include "program.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace overture::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kExampleFolder = fs::path(OVERTURE_SOURCE_FOLDER) / "examples";

class CodesignCommands : public ::testing::Test {
 protected:
  Outcome run(const Words& words) const { return run_overture(words, {.folder = folder_.path()}); }
  json summary(const std::string& results) const {
    return json::parse(read_text(folder_.path() / results / "summary.json"));
  }
  static std::string example(const char* name) { return (kExampleFolder / name).string(); }

  TemporaryFolder folder_;
};

TEST_F(CodesignCommands, SimulateReadsWhatPlanWritesAndTakesTheTimeThatItSays) {
  const Outcome planned = run({"plan", example("rm1.yaml"), "-o", "plan"});
  ASSERT_EQ(planned.exit_code, 0) << planned.text();
  EXPECT_NE(planned.out.find("greedy"), std::string::npos) << planned.out;
  EXPECT_NE(planned.out.find("one of them as"), std::string::npos) << planned.out;
  const json plan = summary("plan");
  EXPECT_LE(plan["fullest_rank_bytes"], plan["memory_bytes"]);
  EXPECT_GE(plan["greedy_vs_ours"], 1);
  const Outcome simulated = run({"simulate", "plan/planned.yaml", "--no-why", "--no-report", "-o", "run"});
  ASSERT_EQ(simulated.exit_code, 0) << simulated.text();
  EXPECT_DOUBLE_EQ(summary("run")["iteration_us"], plan["step_us"]);
}

TEST_F(CodesignCommands, MemoryThatNoPlacementMeetsIsOneMessage) {
  const Outcome outcome = run({"plan", example("rm2.yaml"), "-s", "workload.dlrm.memory=1 MB"});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
  EXPECT_NE(outcome.err.find("the tables need"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("take at least"), std::string::npos) << outcome.err;
}

constexpr const char* kSmallSetup = R"(
network: {backend: flow, topology: {star: {hosts: 4}}}
workload:
  dlrm:
    dense_features: 4
    bottom: {widths: [8]}
    top: {widths: [8, 1]}
    tables: {count: 4, rows: 1000, columns: 8, pooling: 4}
    interaction: cat
    batch: 256
)";
constexpr const char* kSmallSearch = R"(
setup: setup.yaml
checked: 2
axes:
  - {key: workload.dlrm.batch, values: [256, 1024]}
networks:
  - name: star
    axes:
      - {key: network.topology.star.wire.rate, values: [10 Gbps, 100 Gbps]}
    check_axes:
      - {key: network.transport, values: [tcp, roce]}
)";

TEST_F(CodesignCommands, SearchesChecksWithPacketsAndGoesOnWhereItWas) {
  folder_.write("setup.yaml", kSmallSetup);
  folder_.write("search.yaml", kSmallSearch);
  const Outcome first = run({"codesign", "search.yaml", "-o", "found"});
  ASSERT_EQ(first.exit_code, 0) << first.text();
  for (const char* file : {"report.html", "study.json", "front.csv", "candidates.csv", "bills.csv",
                           "checks.csv", "prices.yaml", "front.svg", "front-1.yaml"})
    EXPECT_TRUE(fs::exists(folder_.path() / "found" / file)) << file;
  const json once = summary("found");
  EXPECT_EQ(once["candidates"], 4);
  EXPECT_GE(once["packet_runs"], 2);
  EXPECT_EQ(run({"simulate", "found/front-1.yaml", "--no-why", "-o", "copied"}).exit_code, 0);
  const Outcome again = run({"codesign", "search.yaml", "-o", "found"});
  ASSERT_EQ(again.exit_code, 0) << again.text();
  EXPECT_NE(again.out.find("(0 now)"), std::string::npos) << again.out;
  EXPECT_EQ(summary("found")["digest"], once["digest"]);
}

TEST_F(CodesignCommands, ABudgetThatNothingMeetsNamesTheCheapest) {
  folder_.write("setup.yaml", kSmallSetup);
  folder_.write("search.yaml", kSmallSearch);
  const Outcome outcome = run({"codesign", "search.yaml", "-s", "budget.dollars=10"});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
  EXPECT_NE(outcome.err.find("the cheapest, on star, costs"), std::string::npos) << outcome.err;
}

TEST_F(CodesignCommands, TheStudyOfCachesAndNetworksSaysWhichIsBest) {
  const Outcome outcome = run({"study", "cache-networks", "--nodes", "16", "--lookaheads", "2", "--batch",
                               "256", "--packets-up-to", "0", "-o", "study"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_NE(outcome.out.find("lookahead 2"), std::string::npos) << outcome.out;
  EXPECT_EQ(summary("study")["finished"], 12);
  EXPECT_TRUE(fs::exists(folder_.path() / "study/races.csv"));
}

}  // namespace
}  // namespace overture::testing
