// `overture simulate`, `plan`, `lookahead` and `import astra`, in small.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "overture/base/json.h"
#include "overture/base/text.h"
#include "overture/cli/commands.h"
#include "overture/cli/testing.h"
#include "overture/setup/setup.h"
#include "overture/setup/train_setup.h"

namespace overture::cli {
namespace {

const std::string kExamples = std::string(OVERTURE_EXAMPLES) + "/";

class SimulateCommand : public ::testing::Test {
 protected:
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  Ran simulate(const Words& more, const std::string& out = "run") const {
    Words words{"simulate", setup_, "--no-report", "-o", file(out)};
    words.insert(words.end(), more.begin(), more.end());
    return run_words(words, add_simulate);
  }
  Json summary(const std::string& out = "run") const {
    return parse_json(bytes_of(folder_ / (out + "/summary.json")));
  }

  TestFolder folder_;
  // 5 us of computing, then 100,000 bytes each way at 10 GB/s: 10 us.
  std::string setup_ = folder_
                           .write("pair.yaml", R"(name: a pair
network: {dimensions: [{kind: switch, size: 2, bandwidth: 10 GB/s, latency: 0 ns}]}
system: {endpoint_delay: 0 ns, chunks: 1, all_reduce: direct}
workload:
  parallelism: data
  layers:
    - {name: mlp, forward: {compute: 3 us}, weight_gradient: {compute: 2 us, communication: {collective: all_reduce, size: 100 kB}}}
)")
                           .string();
};

TEST_F(SimulateCommand, NumbersFollowFromComputingAndTheWire) {
  const Ran ran = simulate({});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const Json json = summary();
  EXPECT_NEAR(json["compute_us"].get<double>(), 5, 1e-6);
  EXPECT_NEAR(json["iteration_us"].get<double>(), 15, 0.01);
  EXPECT_NEAR(json["exposed_communication_us"].get<double>(), 10, 0.01);
  EXPECT_EQ(json["npus"], 2);
  EXPECT_TRUE(has(ran.out, "a pair")) << ran.out;
}

TEST_F(SimulateCommand, PassesFollowEachOther) {
  ASSERT_EQ(simulate({"-s", "passes=3"}).code, 0);
  EXPECT_EQ(summary()["iterations"], 3);
  EXPECT_NEAR(summary()["finished_us"].get<double>(), 45, 0.1);
}

TEST_F(SimulateCommand, TheSameSetupHasTheSameDigest) {
  ASSERT_EQ(simulate({}, "one").code, 0);
  ASSERT_EQ(simulate({}, "two").code, 0);
  EXPECT_EQ(summary("one")["digest"], summary("two")["digest"]);
}

TEST_F(SimulateCommand, LimitsCutItShort) {
  const Ran ran = simulate({"-s", "network.backend=packet", "--max-sim-time", "6 us"});
  EXPECT_EQ(ran.code, kUnfinished) << ran.out << ran.err;
}

TEST_F(SimulateCommand, LimitsMustMakeSense) {
  EXPECT_TRUE(has(simulate({"--max-sim-time", "soon"}).err, "--max-sim-time: \"soon\" is not a quantity"));
  EXPECT_TRUE(has(simulate({"--max-wall", "-5"}).err, "--max-wall"));
}

TEST_F(SimulateCommand, TrafficAloneIsForFlows) {
  EXPECT_TRUE(has(refused({"simulate", kExamples + "fat-tree.yaml", "-o", file("x")}, add_simulate),
                  "run overture flows " + kExamples + "fat-tree.yaml"));
}

TEST_F(SimulateCommand, ATrainingIsForTrain) {
  EXPECT_EQ(refused({"simulate", kExamples + "train.yaml", "-o", file("x")}, add_simulate),
            kExamples + "train.yaml: is a setup for `overture train`\n  run overture train " + kExamples +
                "train.yaml\n");
}

// Four tables on two nodes.
constexpr const char* kDlrm = R"(name: four tables
network: {backend: flow, topology: {star: {hosts: 2, wire: {rate: 100 Gbps}}}}
workload:
  dlrm:
    dense_features: 13
    bottom: {widths: [16, 8]}
    top: {widths: [8, 1]}
    tables: {count: 4, rows: 1000, columns: 8}
    batch: 64
)";

class PlanCommand : public SimulateCommand {
 protected:
  std::string dlrm_ = folder_.write("dlrm.yaml", kDlrm).string();
};

TEST_F(PlanCommand, PlacesEveryTableAndSaysWhy) {
  const std::string text =
      printed({"plan", dlrm_, "--prices", "5", "--no-report", "-o", file("plan")}, add_plan);
  EXPECT_EQ(text.rfind("four tables: 4 tables on 2 ranks, ", 0), 0u) << text;
  EXPECT_TRUE(has(text, "\nwhy: the plan of 4 tables: ")) << text;
  const auto csv = split(bytes_of(folder_ / "plan/plan.csv"), '\n');
  EXPECT_EQ(csv[0], "table,rows,columns,pooling,bytes,sharding,ranks,why");
  ASSERT_EQ(csv.size(), 4u + 2);
  EXPECT_EQ(csv[1].rfind("0,1000,8,1,32000,", 0), 0u) << csv[1];
  const auto plans = split(bytes_of(folder_ / "plan/plans.csv"), '\n');
  EXPECT_EQ(plans[0], "plan,step_us,vs_ours,fullest_rank_bytes,fits");
  EXPECT_TRUE(has(plans[1], ",1.000000,")) << "ours is first: " << plans[1];
}

TEST_F(PlanCommand, ThePlannedSetupTakesAsLongAsThePlanSays) {
  printed({"plan", dlrm_, "--prices", "5", "--no-report", "-o", file("plan")}, add_plan);
  printed({"simulate", file("plan/planned.yaml"), "--no-report", "-o", file("run")}, add_simulate);
  EXPECT_NEAR(summary()["iteration_us"].get<double>(), summary("plan")["step_us"].get<double>(), 1e-3);
}

// What `plan --for train` writes is what `train` reads: 4 tables of 1,000 rows on 2 servers.
TEST_F(PlanCommand, ThePlannedSetupIsAPlanForTraining) {
  const std::string text = printed(
      {"plan", dlrm_, "--prices", "5", "--for", "train", "--no-report", "-o", file("plan")}, add_plan);
  const std::string planned = file("plan/planned.yaml");
  EXPECT_TRUE(has(text, "training: overture train ... --servers 2 --plan " + planned)) << text;
  const setup::TrainSetup setup =
      setup::load_train_setup({}, {"data.own=true", "servers=2", "tables.plan=" + planned});
  const train::TrainConfig config =
      make_train_config(setup, {.dense_features = 13, .table_rows = std::vector<std::int64_t>(4, 1000)});
  EXPECT_EQ(config.division.plan.size(), 4U);
}

TEST_F(PlanCommand, NothingIsBetterThanThePlan) {
  printed({"plan", dlrm_, "--prices", "20", "--no-report", "-o", file("plan")}, add_plan);
  for (const std::string& line : split(bytes_of(folder_ / "plan/plans.csv"), '\n')) {
    const auto cells = split(line, ',');
    if (cells.size() < 5 || cells[4] != "true") continue;
    EXPECT_GE(std::stod(cells[2]), 1 - 1e-9) << line;
  }
}

TEST_F(PlanCommand, MistakesSayWhatWouldWork) {
  EXPECT_EQ(refused({"plan", dlrm_, "--prices", "-1"}, add_plan), "--prices: must not be negative\n");
  EXPECT_EQ(refused({"plan", setup_}, add_plan), setup_ +
                                                     ": workload.dlrm: is missing\n  `overture plan` places "
                                                     "the tables of a DLRM; examples/rm2.yaml has one\n");
  EXPECT_EQ(refused({"plan", dlrm_, "-s", "workload.cache={lookahead: 2}"}, add_plan),
            dlrm_ +
                ": workload.cache: with a cache, servers hold the rows, so no table has a place\n  leave the "
                "cache out, or "
                "choose workload.cache.sharding\n");
}

Words astra(const Words& more) {
  Words words{"import", "astra", "--network-configuration=" + kExamples + "astra/network.json",
              "--system-configuration=" + kExamples + "astra/system.txt",
              "--workload-configuration=" + kExamples + "astra/workload.txt"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(SimulateCommand, AnImportedSetupSaysWhatAstraSimsFilesSay) {
  const std::string yaml = printed(astra({"--num-passes=2", "--name", "mine"}), add_import);
  EXPECT_EQ(yaml.rfind("# Imported from ASTRA-sim 1.0 files; gives the same numbers.\n", 0), 0u);
  const setup::Setup setup = setup::parse_setup(yaml, "imported.yaml");
  EXPECT_EQ(setup.name, "mine");
  EXPECT_EQ(setup.simulation.passes, 2);
  EXPECT_EQ(setup.simulation.system.splits, 4);
  EXPECT_EQ(setup.simulation.workload.layers.size(), 8u);
  EXPECT_EQ(simulation::analytical(setup.simulation).dimensions.size(), 3u);
  EXPECT_DOUBLE_EQ(simulation::analytical(setup.simulation).dimensions[0].link_gib_per_s, 32);
}

TEST_F(SimulateCommand, FlagsOfAstraSimReplaceWhatItsFilesSay) {
  const setup::Setup setup =
      setup::parse_setup(printed(astra({"--units-count", "2", "2", "2", "--comm-scale=2",
                                        "--compute-scale=0.5", "--injection-scale=3"}),
                                 add_import),
                         "imported.yaml");
  EXPECT_EQ(simulation::analytical(setup.simulation).dimensions[2].size, 2);
  EXPECT_EQ(setup.simulation.workload.layers[0].forward.communication->size, Bytes{2 * 98304});
  EXPECT_EQ(setup.simulation.workload.layers[0].forward.compute, Nanoseconds{150});
  EXPECT_EQ(setup.simulation.system.endpoint_delay, Nanoseconds{3});
}

TEST_F(SimulateCommand, FlagsOfAstraSimAreChecked) {
  for (const auto& [flag, message] :
       {std::pair("--num-passes=0", "--num-passes: must be at least 1"),
        {"--num-queues-per-dim=0", "--num-queues-per-dim: must be from 1 to 10000"},
        {"--num-queues-per-dim=10001", "--num-queues-per-dim: must be from 1 to 10000"},
        {"--garnet-order=none", "--garnet-order: must be clean or original"},
        {"--comm-scale=0", "--comm-scale: must be above zero"},
        {"--compute-scale=-1", "--compute-scale: must not be negative"},
        {"--injection-scale=-1", "--injection-scale: must not be negative"}})
    EXPECT_EQ(refused(astra({flag}), add_import), std::string(message) + "\n") << flag;
}

TEST_F(SimulateCommand, GarnetsNetworkTakesNoneOfTheAnalyticalFlagsAndIsNoSetup) {
  const auto garnet = [](const Words& more) {
    Words words{"import", "astra", "--network-configuration=" + kExamples + "astra/sample_torus",
                "--system-configuration=" + kExamples + "astra/system.txt",
                "--workload-configuration=" + kExamples + "astra/workload.txt"};
    words.insert(words.end(), more.begin(), more.end());
    return refused(words, add_import);
  };
  for (const auto& [flag, hint] :
       {std::pair("--num-queues-per-dim=2", "the rings of the network file are the queues"),
        {"--injection-scale=2", "change endpoint-delay in the system file"},
        {"--rendezvous-protocol=true", "leave it out"},
        {"--units-count=2", "change the network file"},
        {"--links-count=2", "change the network file"},
        {"--link-bandwidth=2", "change the network file"},
        {"--link-latency=2", "change the network file"}})
    EXPECT_EQ(garnet({flag}), std::string(flag).substr(0, std::string(flag).find('=')) +
                                  ": does nothing on Garnet's network\n  " + hint + "\n");
  EXPECT_TRUE(has(garnet({}), "a setup cannot describe Garnet's network\n")) << garnet({});
}

TEST_F(SimulateCommand, AstraSimsRowsAndNamesAreChecked) {
  const auto run = [](const std::string& flag) {
    Words words = astra({flag});
    words.erase(words.begin());
    return refused(words, add_astra);
  };
  EXPECT_EQ(
      run("--run-name=a/b"),
      "--run-name: must not contain a slash\n  it becomes part of a file's name; folders go into --path\n");
  EXPECT_EQ(run("--total-stat-rows=0"), "--total-stat-rows: must be from 1 to 100000\n");
  EXPECT_EQ(run("--stat-row=1"), "--stat-row: must be from 0 to total-stat-rows - 1\n");
  EXPECT_EQ(run("--stat-row=-1"), "--stat-row: must be from 0 to total-stat-rows - 1\n");
}

Words astra2(const Words& more) {
  Words words{"import", "astra2", "--network-configuration=" + kExamples + "astra2/network.yml",
              "--system-configuration=" + kExamples + "astra2/system.json",
              "--workload-configuration=" + kExamples + "astra2/workload"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(SimulateCommand, AstraSim2sFilesBecomeASetupToo) {
  const std::string out = file("a2.yaml");
  EXPECT_EQ(printed(astra2({"-o", out}), add_import), "");
  const setup::Setup setup = setup::load_setup(out);
  EXPECT_EQ(setup.simulation.system.splits, 4);
  EXPECT_EQ(simulation::analytical(setup.simulation).contention, network::Contention::none);
  EXPECT_EQ(simulation::analytical(setup.simulation).dimensions[0].size, 8);
  ASSERT_TRUE(setup.simulation.tasks);
  EXPECT_EQ(setup.simulation.tasks->ranks(), 8);
  const setup::Setup aware = setup::parse_setup(printed(astra2({"--congestion-aware"}), add_import),
                                                (std::filesystem::current_path() / "x.yaml").string());
  EXPECT_EQ(simulation::analytical(aware.simulation).contention, network::Contention::links);
}

TEST_F(SimulateCommand, ScalesOfAstraSim2AreNumbersFromZero) {
  for (const char* flag : {"--injection-scale", "--comm-scale", "--compute-scale"}) {
    for (const char* value : {"-1", "x", "1e10", "nan"})
      EXPECT_EQ(refused(astra2({std::string(flag) + "=" + value}), add_import)
                    .rfind(std::string(flag) + ": must be a number from 0\n", 0),
                0u)
          << flag << value;
  }
}

}  // namespace
}  // namespace overture::cli
