// Rules that hold for every command: what --help looks like, that --json is JSON whatever happens, exit
// codes, and that no run is lost under another one. The commands are those that the program itself names.
#include <csignal>
#include <set>
#include <thread>

#include "program.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace overture::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kExamples = fs::path(OVERTURE_SOURCE_FOLDER) / "examples";

std::string example(const char* name) { return (kExamples / name).string(); }

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

bool is_json(const std::string& text) { return !json::parse(text, nullptr, false).is_discarded(); }

TEST(EveryCommand, IsNamedByTheProgram) {
  std::set<std::string> names;
  for (const Words& words : all_commands()) names.insert(text_of(words));
  for (const char* known : {"simulate", "flows", "train", "evaluate", "sweep", "serve", "runs", "version",
                            "bench collective", "study opera-dlrm", "generate dataset", "plan", "codesign"})
    EXPECT_TRUE(names.contains(std::string("overture ") + known)) << known;
}

TEST(EveryCommand, HelpHasEightyColumnsAndExamples) {
  for (const Words& words : all_commands()) {
    const Outcome outcome = run_overture(with(words, {"--help"}));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
    EXPECT_NE(outcome.out.find("Examples:"), std::string::npos) << text_of(words);
    EXPECT_EQ(outcome.out.find(" TEXT"), std::string::npos)
        << text_of(words) << ": every option names what it takes";
    for (const std::string& line : lines_of(outcome.out))
      EXPECT_LE(line.size(), 80u) << text_of(words) << ": " << line;
  }
}

TEST(EveryCommand, HelpTellsDefaults) {
  const std::string train = run_overture({"train", "--help"}).out;
  EXPECT_NE(train.find("(default: 2048)"), std::string::npos) << "the batch size";
  EXPECT_NE(run_overture({"runs", "--help"}).out.find("(default: results)"), std::string::npos);
}

TEST(EveryCommand, HelpIsTheSameByItsOwnCommand) {
  for (const Words& words : all_commands()) {
    Words asked{"help"};
    asked.insert(asked.end(), words.begin(), words.end());
    EXPECT_EQ(run_overture(asked).out, run_overture(with(words, {"--help"})).out) << text_of(words);
  }
}

// A flag that does not exist: the message names it, and what is close; --json turns it into JSON.
TEST(EveryCommand, AnUnknownFlagIsOneMessageAndJsonIfAsked) {
  for (const Words& words : all_commands()) {
    const Outcome plain = run_overture(with(words, {"--jsonn"}));
    EXPECT_EQ(plain.exit_code, 2) << text_of(words);
    EXPECT_NE(plain.err.find("unknown flag \"--jsonn\""), std::string::npos) << plain.text();
    EXPECT_NE(plain.err.find("did you mean \"--json\"?"), std::string::npos) << plain.text();
    const Outcome asked = run_overture(with(words, {"--jsonn", "--json"}));
    EXPECT_EQ(asked.exit_code, 2) << text_of(words);
    const json told = json::parse(asked.out, nullptr, false);
    ASSERT_TRUE(told.is_object()) << text_of(words) << asked.text();
    EXPECT_EQ(told.value("exit_code", 0), 2);
    EXPECT_NE(told.value("error", "").find("--jsonn"), std::string::npos);
  }
}

// A flag of another command: the message says whose it is, and has no empty line.
TEST(EveryCommand, AFlagOfAnotherCommandIsNamed) {
  for (const Words& words : {Words{"simulate", "--backend", "flow"}, Words{"train", "--under", "x"},
                             Words{"serve", "--mini-batch-size", "3"}}) {
    const Outcome outcome = run_overture(words);
    EXPECT_EQ(outcome.exit_code, 2) << text_of(words);
    EXPECT_NE(outcome.err.find("it is a flag of `overture "), std::string::npos) << outcome.text();
    for (const std::string& line : lines_of(outcome.err))
      EXPECT_NE(line.find_first_not_of(' '), std::string::npos) << text_of(words) << ": an empty line";
  }
}

TEST(EveryCommand, HelpOfACommandThatDoesNotExistIsAnError) {
  for (const Words& words : {Words{"nothing"}, Words{"help", "nothing"}, Words{"bench", "nothing"}}) {
    const Outcome outcome = run_overture(words);
    EXPECT_EQ(outcome.exit_code, 2) << text_of(words);
    EXPECT_EQ(outcome.err.find("\n\n"), std::string::npos) << outcome.text();
    EXPECT_EQ(outcome.err.find("  \n"), std::string::npos) << outcome.text();
    EXPECT_NE(outcome.err.find("see overture"), std::string::npos) << outcome.text();
  }
  for (const Words& words : {Words{"help", "sweeep"}, Words{"help", "generate", "datasett"}}) {
    const Outcome outcome = run_overture(words);
    EXPECT_EQ(outcome.exit_code, 2) << text_of(words);
    EXPECT_NE(outcome.err.find("did you mean"), std::string::npos) << outcome.text();
  }
}

// Those that would run long, wait for others, or write beside what they are told to.
const std::set<std::string> kNotAlone{"overture demo",
                                      "overture validate",
                                      "overture serve",
                                      "overture launch",
                                      "overture oracle",
                                      "overture trainer",
                                      "overture server",
                                      "overture study failures",
                                      "overture study cache-networks",
                                      "overture study hoti-dlrm",
                                      "overture study opera-dlrm"};

TEST(EveryCommand, WithoutArgumentsItWorksOrSaysWhatIsMissing) {
  const TemporaryFolder folder;
  for (const Words& words : all_commands()) {
    if (kNotAlone.contains(text_of(words))) continue;
    const Outcome plain = run_overture(words, {.folder = folder.path()});
    EXPECT_TRUE(plain.exit_code == 0 || plain.exit_code == 2) << text_of(words) << plain.text();
    if (plain.exit_code == 2) {
      EXPECT_TRUE(plain.err.starts_with("error: ")) << plain.text();
      EXPECT_EQ(plain.err.find(" is required"), std::string::npos) << plain.text();
      EXPECT_EQ(plain.err.find("error: ", 1), std::string::npos) << "one message: " << plain.text();
    }
    const Outcome asked = run_overture(with(words, {"--json"}), {.folder = folder.path()});
    EXPECT_EQ(asked.exit_code, plain.exit_code) << asked.text();
    EXPECT_TRUE(is_json(asked.out)) << text_of(words) << asked.text();
  }
}

TEST(Counts, MayBeShortWhereverTheyAreRead) {
  const TemporaryFolder folder;
  const auto dataset = [&](const char* samples, const char* out) {
    return run_overture(
        {"generate", "dataset", "--like", "kaggle", "--scale", "1e-4", "--samples", samples, "-o", out},
        {.folder = folder.path()});
  };
  ASSERT_EQ(dataset("2k", "a.ovd").exit_code, 0);
  ASSERT_EQ(dataset("2e3", "b.ovd").exit_code, 0);
  EXPECT_EQ(read_text(folder.path() / "a.ovd"), read_text(folder.path() / "b.ovd"));
  const Outcome trained = run_overture(
      {"train", "--data", "a.ovd", "--mini-batch-size", "0.5k", "--stop-iter", "2", "--json", "-o", "run"},
      {.folder = folder.path()});
  ASSERT_EQ(trained.exit_code, 0) << trained.text();
  EXPECT_NE(json::parse(trained.out).value("setup_yaml", "").find("batch_size: 500"), std::string::npos);
}

// A folder that holds a run of another kind, or of another setup, is refused before anything runs.
class OntoAnotherRun : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(run({"train", "--synthetic", "kaggle", "--scale", "1e-4", "--samples", "2k", "-o", "trained"})
                  .exit_code,
              0);
    before_ = read_text(folder_.path() / "trained/summary.json");
  }
  Outcome run(const Words& words) const { return run_overture(words, {.folder = folder_.path()}); }

  TemporaryFolder folder_;
  std::string before_;
};

TEST_F(OntoAnotherRun, EveryCommandWithAResultsFolderRefuses) {
  for (const Words& words :
       {Words{"flows", example("fat-tree.yaml")}, Words{"simulate", example("dlrm-torus.yaml")},
        Words{"sweep", example("bandwidth.yaml")}, Words{"bench", "collective", example("dlrm-torus.yaml")},
        Words{"plan", example("rm1.yaml")}, Words{"codesign", example("codesign.yaml")},
        Words{"study", "cache-networks", "--nodes", "16"}, Words{"evaluate", "trained"},
        Words{"compare", "trained", "trained"}, Words{"validate"}, Words{"demo"},
        Words{"study", "failures", "--parts", "goodput"}, Words{"study", "astra-tutorial"},
        Words{"study", "hoti-dlrm"}, Words{"lookahead", "trace.json"},
        Words{"study", "opera-dlrm", "--nodes", "16", "--models", "A", "--variants", "baseline"}}) {
    const Outcome outcome = run(with(words, {"-o", "trained"}));
    EXPECT_EQ(outcome.exit_code, 2) << text_of(words) << outcome.text();
    EXPECT_NE(outcome.err.find("holds a run of `overture train`"), std::string::npos) << outcome.text();
    EXPECT_NE(outcome.err.find("-o trained-2"), std::string::npos) << outcome.text();
    EXPECT_EQ(read_text(folder_.path() / "trained/summary.json"), before_) << text_of(words);
  }
}

TEST_F(OntoAnotherRun, AnotherSetupIsRefusedTheSameOneIsNot) {
  const Words first{"flows", example("fat-tree.yaml"), "--no-why", "-o", "flows"};
  ASSERT_EQ(run(first).exit_code, 0);
  EXPECT_EQ(run(first).exit_code, 0);
  const Words other = with(first, {"-s", "seed=2"});
  const Outcome refused = run(other);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("holds a run of another setup"), std::string::npos) << refused.text();
  EXPECT_EQ(run(with(other, {"--overwrite"})).exit_code, 0);
}

TEST_F(OntoAnotherRun, OverwriteLeavesNothingOfTheOtherRun) {
  ASSERT_EQ(run({"flows", example("fat-tree.yaml"), "-o", "trained", "--no-why", "--overwrite"}).exit_code,
            0);
  EXPECT_FALSE(fs::exists(folder_.path() / "trained/checkpoints"));
  EXPECT_FALSE(fs::exists(folder_.path() / "trained/metrics.jsonl"));
  EXPECT_TRUE(fs::exists(folder_.path() / "trained/fct.csv"));
}

TEST(Output, TheSetupBesideWhichResultsAreToGoStaysAsItIs) {
  const TemporaryFolder folder;
  const std::string mine = "# mine\n" + read_text(kExamples / "torus-credits.yaml");
  folder.write("setup.yaml", mine);
  const Outcome outcome = run_overture({"flows", "setup.yaml", "-o", "."}, {.folder = folder.path()});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
  EXPECT_NE(outcome.err.find("-o results/run-2"), std::string::npos) << outcome.text();
  EXPECT_EQ(read_text(folder.path() / "setup.yaml"), mine);
}

TEST(Output, AFlagThatIsWrongLeavesNoFolder) {
  const TemporaryFolder folder;
  for (const Words& words :
       {Words{"flows", example("fat-tree.yaml"), "--max-sim-time", "5"},
        Words{"simulate", example("dlrm-torus.yaml"), "--max-sim-time", "5"},
        Words{"bench", "collective", example("dlrm-torus.yaml"), "--measured", "no.txt"}}) {
    EXPECT_EQ(run_overture(with(words, {"-o", "run"}), {.folder = folder.path()}).exit_code, 2);
    EXPECT_FALSE(fs::exists(folder.path() / "run")) << text_of(words);
  }
}

TEST(ExitCodes, FlowsThatDoNotFinishAreNoSuccess) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_overture({"flows", (kExamples / "fat-tree.yaml").string(), "--max-sim-time", "50 us"},
                   {.folder = folder.path()});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.text();
  EXPECT_NE(outcome.out.find("did not finish"), std::string::npos) << outcome.text();
}

// Starts it, waits until it has begun, interrupts it as Ctrl-C does.
int interrupted(const Words& words, const fs::path& folder, std::chrono::milliseconds after) {
  StartedOverture child(words, folder);
  std::this_thread::sleep_for(after);
  child.send(SIGINT);
  return child.exit_code();
}

TEST(ExitCodes, CtrlCIsAHundredAndThirtyAndLeavesPartialResults) {
  const TemporaryFolder folder;
  folder.write("long.yaml",
               "network: {topology: {fat_tree: {k: 8}}}\ntraffic: {pattern: all_to_all, size: 4 MiB}\n");
  folder.write("many.yaml", "command: flows\nsetup: long.yaml\naxes: [{key: seed, values: [1, 2, 3]}]\n");
  const auto wait = std::chrono::milliseconds(1500);
  EXPECT_EQ(interrupted({"flows", "long.yaml", "-o", "f"}, folder.path(), wait), 130);
  const json flows = json::parse(read_text(folder.path() / "f/summary.json"));
  EXPECT_FALSE(flows.value("complete", true));
  EXPECT_EQ(interrupted({"sweep", "many.yaml", "-o", "s"}, folder.path(), wait), 130);
  EXPECT_EQ(interrupted({"train", "--synthetic", "kaggle", "--scale", "0.001", "--samples", "20M", "-o", "t"},
                        folder.path(), wait),
            130);
  const json trained = json::parse(read_text(folder.path() / "t/summary.json"));
  EXPECT_TRUE(trained.value("stopped_early", false));
}

// Whether it can keep something or not.
TEST(ExitCodes, EveryCommandThatIsInterruptedSaysSo) {
  const TemporaryFolder folder;
  const std::string golden = (fs::path(OVERTURE_TESTS_FOLDER) / "golden").string();
  for (const Words& words :
       {Words{"generate", "dataset", "--like", "kaggle", "--samples", "50M", "-o", "a.ovd"},
        Words{"study", "failures", "--parts", "goodput", "--runs", "100k"},
        Words{"validate", "--golden", golden}, Words{"codesign", example("codesign.yaml")}, Words{"demo"}}) {
    const Words timed{"timeout", "--preserve-status", "-s", "INT", "1", overture_binary().string()};
    const Outcome outcome = run(with(timed, words), {.folder = folder.path()});
    EXPECT_EQ(outcome.exit_code, 130) << text_of(words) << outcome.text();
    EXPECT_TRUE(outcome.err.ends_with("interrupted\n")) << text_of(words) << outcome.text();
  }
}

TEST(Sweep, AWrongMetricIsToldBeforeTheFirstRun) {
  const TemporaryFolder folder;
  folder.write("s.yaml",
               "command: train\nsetup: none.yaml\nmetric: held_out.acu\n"
               "axes: [{key: seed, values: [1, 2]}]\n");
  const Outcome outcome = run_overture({"sweep", "s.yaml"}, {.folder = folder.path()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("did you mean \"held_out.auc\"?"), std::string::npos) << outcome.text();
}

// Told once, before a run has begun, instead of once per run.
TEST(Sweep, AKeyOrValueThatNoRunCanHaveIsToldBeforeTheFirstRun) {
  const TemporaryFolder folder;
  folder.write("f.yaml",
               "network: {topology: {fat_tree: {k: 4}}}\ntraffic: {pattern: all_to_all, size: 4 KiB}\n");
  const std::vector<std::pair<std::string, std::string>> mistakes{
      {"axes: [{key: traffic.sze, values: [1 KiB]}]", "did you mean \"size\"?"},
      {"axes: [{key: traffic.size, values: [1 KiB, 7]}]", "no point can be run with traffic.size=7"},
      {"axes: [{key: seed, values: [1]}, {key: seed, values: [2]}]", "\"seed\" is also the key of axes.0"},
      {"fixed: [seed=3]\naxes: [{key: seed, values: [1]}]", "\"seed\" is also in fixed"}};
  for (const auto& [axes, text] : mistakes) {
    folder.write("s.yaml", "command: flows\nsetup: f.yaml\n" + axes + "\n");
    const Outcome outcome = run_overture({"sweep", "s.yaml"}, {.folder = folder.path()});
    EXPECT_EQ(outcome.exit_code, 2) << axes << outcome.text();
    EXPECT_TRUE(outcome.err.starts_with("error: s.yaml:")) << outcome.text();
    EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.text();
    EXPECT_FALSE(fs::exists(folder.path() / "results")) << axes;
  }
}

// Values that are unsound only together are points that fail; the others run.
TEST(Sweep, CombinationsThatCannotRunDoNotStopTheOthers) {
  const TemporaryFolder folder;
  folder.write("f.yaml",
               "network: {topology: {fat_tree: {k: 4}}}\ntraffic: {pattern: incast, size: 4 KiB}\n");
  folder.write("s.yaml",
               "command: flows\nsetup: f.yaml\naxes:\n"
               "  - {key: network.topology.fat_tree.k, values: [2, 4]}\n"
               "  - {key: traffic.senders, values: [1, 15]}\n");
  const Outcome outcome = run_overture({"sweep", "s.yaml", "-o", "out"}, {.folder = folder.path()});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
  EXPECT_NE(outcome.out.find("3 of 4 points"), std::string::npos) << outcome.text();
}

TEST(Setups, GivenToAnotherCommandSayWhichOneTakesThem) {
  const TemporaryFolder folder;
  const std::vector<std::pair<Words, std::string>> mistakes{
      {{"simulate", "train.yaml"}, "overture train"},
      {{"flows", "train.yaml"}, "overture train"},
      {{"simulate", "bandwidth.yaml"}, "overture sweep"},
      {{"simulate", "fat-tree.yaml"}, "overture flows"},
      {{"flows", "dlrm-torus.yaml"}, "overture simulate"},
      {{"train", "fat-tree.yaml"}, "overture flows"},
      {{"sweep", "dlrm-torus.yaml"}, "overture simulate"},
      {{"sweep", "codesign.yaml"}, "overture codesign"},
      {{"simulate", "codesign.yaml"}, "overture codesign"},
      {{"codesign", "dlrm-torus.yaml"}, "overture simulate"}};
  for (const auto& [words, command] : mistakes) {
    const Outcome outcome =
        run_overture({words[0], (kExamples / words[1]).string()}, {.folder = folder.path()});
    EXPECT_EQ(outcome.exit_code, 2) << text_of(words);
    EXPECT_NE(outcome.err.find("is a setup for `" + command + "`"), std::string::npos) << outcome.text();
  }
}

TEST(Errors, WhatWouldWorkFitsEightyColumns) {
  const TemporaryFolder folder;
  folder.write("a.yaml", "data: {synthetic: kaggle}\npatiense: 3\n");
  for (const Words& words : {Words{"train", "a.yaml"}, Words{"flows", "none.yaml", "--bakend", "flow"},
                             Words{"explain", "network.tcp.min_rot"}}) {
    const Outcome outcome = run_overture(words, {.folder = folder.path()});
    EXPECT_EQ(outcome.exit_code, 2) << text_of(words);
    for (const std::string& line : lines_of(outcome.err)) EXPECT_LE(line.size(), 80U) << line;
  }
}

TEST(Cost, IsInEveryTableAndItsPricesCanBeEdited) {
  const TemporaryFolder folder;
  folder.write("mine.yaml", "link: 1 $\nrate: 200 Gbps\n");
  const std::string torus = (kExamples / "torus-credits.yaml").string();
  const auto flows = [&](const Words& more) {
    return run_overture(with({"flows", torus, "--no-why", "--no-report", "-o", "f", "--overwrite"}, more),
                        {.folder = folder.path()});
  };
  EXPECT_NE(flows({}).out.find("network cost"), std::string::npos);
  const auto cost = [&](const Words& more) {
    return json::parse(flows(with({"--json"}, more)).out).value("network_cost_dollars", 0.0);
  };
  const Words prices{"-s", "network.prices=" + (folder.path() / "mine.yaml").string()};
  EXPECT_GT(cost({}), cost(prices));
  EXPECT_GT(cost(prices), 0);
  const Outcome told = run_overture({"explain", "cost"});
  EXPECT_EQ(told.exit_code, 0);
  EXPECT_NE(told.out.find("rotor_port"), std::string::npos) << told.out;
  for (const std::string& line : lines_of(told.out)) EXPECT_LE(line.size(), 80U) << line;
}

TEST(Sweep, RepeatsWithSeedsAndTellsTheSpread) {
  const TemporaryFolder folder;
  folder.write("s.yaml", "command: flows\nsetup: " + (kExamples / "torus-credits.yaml").string() +
                             "\nrepeat: 2\nfixed: [network.paths=hash_per_flow]\n"
                             "axes: [{key: traffic.size, values: [16 KiB, 32 KiB]}]\n");
  const Outcome outcome = run_overture({"sweep", "s.yaml", "-o", "out"}, {.folder = folder.path()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_NE(outcome.out.find("4 of 4 points"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("standard deviation over the seeds"), std::string::npos) << outcome.out;
  EXPECT_NE(read_text(folder.path() / "out" / "sweep.csv").find(",folder\n"), std::string::npos);
  std::size_t pages = 0;
  for (const auto& entry : fs::directory_iterator(folder.path() / "out" / "points"))
    pages += fs::exists(entry.path() / "report.html") ? 1 : 0;
  EXPECT_EQ(pages, 4U);
}

// One line for each mistake: what was typed, and what the message must say.
TEST(Errors, NameWhatWasTypedAndWhatWouldWork) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "empty");
  folder.write("empty.tsv", "");
  folder.write("file", "text\n");
  folder.write("tree.yaml",
               "network: {topology: {fat_tree: {k: 4}}}\ntraffic: {pattern: all_to_all, size: 4 KiB}\n");
  folder.write("t.yaml", "data: {synthetic: kaggle, scale: 0.001, samples: 2k}\n");
  folder.write("far.csv", "src,dst,bytes,start_ns\n0,999,100,0\n");
  const std::string tree = "tree.yaml";
  const std::string bandwidth = (kExamples / "bandwidth.yaml").string();
  const std::string roce = (kExamples / "roce.yaml").string();
  const std::vector<std::pair<Words, std::string>> mistakes{
      {{"serve", ".", "--port", "abc"}, "--port: \"abc\" is not a number"},
      {{"flows", "x.yaml", "--max-wall", "0.5"}, "--max-wall: \"0.5\" is not a whole number, or too large"},
      {{"flows", roce, "-o"}, "its value is missing"},
      {{"flows", roce, "-o", "file"}, "give another folder with -o"},
      {{"train", "--data", "empty.tsv"}, "empty.tsv: is empty"},
      {{"train", "--synthetic", "kagle"}, "data.synthetic: unknown dataset \"kagle\""},
      {{"train"}, "--data FILE"},
      {{"train", "--synthetic", "kaggle", "--mini-batch-size", "99999999999"},
       "is too large; at most 2147483647"},
      {{"bench", "collective", roce, "--collective", "allreduce"}, "did you mean \"all_reduce\"?"},
      {{"calibrate", "empty"}, "`overture train --record` makes one"},
      {{"flows", tree, "-s", "network.topology.fat_tree.k=3"}, "tree.yaml: network.topology: a fat tree's k"},
      {{"flows", tree, "-s", "network.topology.fat_tree.host.rate=0 Gbps"},
       "tree.yaml: network.topology: the link"},
      {{"flows", tree, "-s", "network.oversubscription=0"},
       "tree.yaml:1: network.topology: an oversubscription"},
      {{"flows", tree, "-s", "monitor.samples=-1"}, "tree.yaml: monitor"},
      {{"flows", tree, "-s", "faults.links.0.between=h0-s99"}, "s99"},
      {{"flows", tree, "--flows", "far.csv"}, "far.csv:2: dst: 999 is out of range"},
      {{"flows", example("opera.yaml"), "-s", "network.topology.opera.tors=5"},
       "opera.yaml: network.topology.opera: 5 ToRs"},
      {{"help", "nothing"}, "see overture --help"},
      {{"bench", "collective", tree, "-b", "0"}, "-b: the smallest size is at least 1 B"},
      {{"flows", tree, "--max-wall", "1.5"}, "--max-wall: \"1.5\" is not a whole number"},
      {{"sweep", bandwidth, "--jobs", "-1"}, "--jobs: -1 is less than 0"},
      {{"sweep", bandwidth, "--under", "cots 20000 $"}, "did you mean \"cost\"?"},
      {{"sweep", bandwidth, "--under", "cost twenty"}, "--under \"cost 20000 $\""},
      {{"codesign", (kExamples / "codesign.yaml").string(), "--under", "foo 5"}, "--under: \"foo 5\""},
      {{"codesign", (kExamples / "codesign.yaml").string(), "-j", "-1"}, "--jobs: -1 is less than 0"},
      {{"simulate", (kExamples / "dlrm-torus.yaml").string(), "-s", "system.chunks=1000000000"},
       "system.chunks: 1000000000 is more than"},
      {{"train", "--synthetic", "kaggle", "--samples", "0"}, "data.samples: is 0"},
      {{"train", "t.yaml", "-s", "model.mlp_bottom=12-64-16"}, "t.yaml: model.mlp_bottom: starts with 12"},
      {{"explain", "3"}, "unknown key \"3\""},
      {{"runs", ".", "--most", "-1"}, "--most: -1 is less than 0"},
      {{"study", "opera-dlrm", "--models", "Z"}, "--models: unknown model \"Z\""},
      {{"study", "opera-dlrm", "--nodes", "17"}, "--nodes: the study has no networks of 17 nodes"},
      {{"bench", "collective", bandwidth}, "run overture sweep"}};
  for (const auto& [words, text] : mistakes) {
    const Outcome outcome = run_overture(words, {.folder = folder.path()});
    EXPECT_EQ(outcome.exit_code, 2) << text_of(words) << outcome.text();
    EXPECT_NE(outcome.err.find(text), std::string::npos) << text_of(words) << outcome.text();
  }
}

// On a screen every line of a message fits; in a pipe its first line is one line.
TEST(Errors, AreAsWideAsTheScreen) {
  const TemporaryFolder folder;
  folder.write("a.yaml",
               "network: {topology: {fat_tree: {k: 4}}}\ntraffic: {pattern: all_to_all, size: 4096}\n");
  const Outcome screen =
      run_overture({"flows", "a.yaml"}, {.folder = folder.path(), .variables = {"COLUMNS=80"}});
  EXPECT_GT(lines_of(screen.err).size(), 1U);
  for (const std::string& line : lines_of(screen.err)) EXPECT_LE(line.size(), 80U) << line;
  const Outcome pipe = run_overture({"flows", "a.yaml"}, {.folder = folder.path()});
  EXPECT_NE(pipe.err.find("\"4096\" has no unit; write for example \"64 MiB\" (units: B, KiB"),
            std::string::npos)
      << pipe.text();
}

TEST(TrainedModels, EveryCommandThatNeedsOneSaysWhereItIsFrom) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "empty");
  for (const std::string given : {"empty", "none"})
    for (const Words& words : {Words{"evaluate", given}, Words{"export", given, "--to", "npz"},
                               Words{"predict", given, "--data", "x.tsv", "--out", "y.csv"}}) {
      const Outcome outcome = run_overture(words, {.folder = folder.path()});
      EXPECT_EQ(outcome.exit_code, 2) << text_of(words);
      EXPECT_NE(outcome.err.find("give the folder that `overture train` wrote"), std::string::npos)
          << text_of(words) << outcome.text();
    }
}

TEST(Serve, APortThatIsTakenOrNoneIsAnError) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_overture({"serve", ".", "--port", "80000"}, {.folder = folder.path()}).exit_code, 2);
}

TEST(Convert, RefusesWhatItDoesNotWrite) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_overture({"generate", "dataset", "--like", "kaggle", "--scale", "1e-4", "--samples", "100",
                          "-o", "a.tsv"},
                         {.folder = folder.path()})
                .exit_code,
            0);
  const Outcome outcome =
      run_overture({"convert", "a.tsv", "a.parquet", "--max-ind-range", "10k"}, {.folder = folder.path()});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
  EXPECT_NE(outcome.err.find(".parquet files are not written"), std::string::npos) << outcome.text();
}

}  // namespace
}  // namespace overture::testing
