// Values near the edge, too little memory, full disks, signals: every command says what is wrong, in time,
// and what it leaves behind does not pass for finished.
#include <algorithm>
#include <csignal>
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

// With its output going to a device that is always full.
Outcome run_into_nothing(const Words& words, const fs::path& folder) {
  Words command{"sh", "-c", "exec \"$@\" > /dev/full", "sh", overture_binary().string()};
  command.insert(command.end(), words.begin(), words.end());
  return run(command, {.folder = folder});
}

TEST(FullOutput, IsAnErrorOfEveryCommand) {
  const TemporaryFolder folder;
  for (const Words& words : all_commands()) {
    Words asked = words;
    asked.emplace_back("--help");
    const Outcome outcome = run_into_nothing(asked, folder.path());
    EXPECT_EQ(outcome.exit_code, 2) << text_of(words) << outcome.text();
    EXPECT_NE(outcome.err.find("standard output"), std::string::npos) << text_of(words) << outcome.text();
  }
}

TEST(FullOutput, IsAnErrorOfResultsToo) {
  const TemporaryFolder folder;
  const std::string flows = example("fat-tree.yaml");
  for (const Words& words :
       {Words{"version"}, Words{"--version"}, Words{"--help"}, Words{"explain"},
        Words{"explain", "--markdown"}, Words{"manual"}, Words{"completion"}, Words{"runs"},
        Words{"runs", "--json"},
        Words{"simulate", example("dlrm-torus.yaml"), "--no-report", "--no-why", "-o", "a"},
        Words{"simulate", example("dlrm-torus.yaml"), "--no-report", "--no-why", "-o", "a", "--json"},
        Words{"flows", flows, "--no-report", "--no-why", "--max-sim-time", "1 s", "-o", "b"},
        Words{"import", "no-such-file", "--json"}, Words{"serve", ".", "--port", "0"}}) {
    const Outcome outcome = run_into_nothing(words, folder.path());
    EXPECT_EQ(outcome.exit_code, 2) << text_of(words) << outcome.text();
    EXPECT_FALSE(outcome.err.empty()) << text_of(words);
  }
}

TEST(FullOutput, OfErrorsChangesNoExitCode) {
  const TemporaryFolder folder;
  for (const Words& words : {Words{"flows", "no-such-file"}, Words{"simulate", "--no-such-flag"}}) {
    Words command{"sh", "-c", "exec \"$@\" 2> /dev/full", "sh", overture_binary().string()};
    command.insert(command.end(), words.begin(), words.end());
    EXPECT_EQ(run(command, {.folder = folder.path()}).exit_code, 2) << text_of(words);
  }
}

TEST(Names, ControlCharactersAreShownNotObeyed) {
  const TemporaryFolder folder;
  folder.write("odd.yaml",
               "name: \"red \\e[31m bell \\a\"\nnetwork: {topology: {star: {hosts: 4}}}\n"
               "traffic: {pattern: ring, size: 1 KiB}\n");
  const Outcome outcome =
      run_overture({"flows", "odd.yaml", "--no-why", "-o", "r"}, {.folder = folder.path()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_NE(outcome.out.find("red \\x1b[31m bell \\x07"), std::string::npos) << outcome.text();
  const Outcome listed = run_overture({"runs", "."}, {.folder = folder.path()});
  EXPECT_EQ(listed.out.find('\x1b'), std::string::npos) << listed.text();
}

// ---- times and sizes

class Edge : public ::testing::Test {
 protected:
  Edge() {
    folder_.write("star.yaml",
                  "network: {topology: {star: {hosts: 4, wire: {rate: 100 Gbps, delay: 1 us}}}}\n"
                  "traffic: {pattern: incast, size: 64 KiB}\n");
  }
  // Ends soon: done, cut short by its limit, or refused in one message.
  Outcome soon(const Words& changes) {
    Words words{"flows", "star.yaml", "--no-why", "--no-report", "--max-wall", "1", "--overwrite", "-o", "r"};
    for (const std::string& change : changes) words.insert(words.end(), {"-s", change});
    const Outcome outcome =
        run_overture(words, {.folder = folder_.path(), .limit = std::chrono::seconds(40)});
    EXPECT_TRUE(outcome.exit_code == 0 || outcome.exit_code == 2 || outcome.exit_code == 3)
        << ::testing::PrintToString(changes) << outcome.text();
    EXPECT_EQ(outcome.exit_code == 2, outcome.err.starts_with("error: ")) << outcome.text();
    return outcome;
  }

  TemporaryFolder folder_;
};

TEST_F(Edge, TimesAreRefusedOrSimulatedByEveryTransport) {
  for (const char* how : {"network.transport=tcp", "network.transport=ndp", "network.transport=roce",
                          "network.transport=plain", "network.backend=flow"}) {
    for (const char* delay : {"9000000 s", "1000000 s", "1001 s", "1000 s", "1 ps"}) {
      const Outcome outcome = soon({how, std::string("network.topology.star.wire.delay=") + delay});
      const bool too_long = std::string(delay).size() > 7;
      EXPECT_TRUE(outcome.exit_code == 2 || !too_long) << how << delay << outcome.text();
    }
  }
}

TEST_F(Edge, SizesAreRefusedOrSimulatedByEveryTransport) {
  for (const char* how : {"network.transport=tcp", "network.transport=ndp", "network.transport=roce",
                          "network.transport=plain", "network.backend=flow"}) {
    for (const char* size : {"3 TiB", "100 TiB", "1024 TiB", "1025 TiB", "8000000 TiB"}) {
      const Outcome outcome = soon({how, std::string("traffic.size=") + size});
      EXPECT_TRUE(outcome.exit_code != 2 || outcome.err.find("at most") != std::string::npos)
          << outcome.text();
    }
  }
}

TEST_F(Edge, RatesAreRefusedOrSimulatedByEveryTransport) {
  for (const char* how : {"network.transport=tcp", "network.transport=ndp", "network.transport=roce",
                          "network.transport=plain", "network.backend=flow"}) {
    for (const char* rate : {"1 bps", "1 kbps", "9000000 Tbps"})
      soon({how, std::string("network.topology.star.wire.rate=") + rate});
  }
}

// ---- memory

TEST(Memory, MoreThanAllowedIsRefusedInOneMessage) {
  const TemporaryFolder folder;
  folder.write("large.yaml",
               "network: {topology: {fat_tree: {k: 32}}}\ntraffic: {pattern: all_to_all, size: 1 KiB}\n");
  const Outcome outcome =
      run_overture({"flows", "large.yaml", "--max-memory", "100 MiB", "-o", "r"}, {.folder = folder.path()});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
  EXPECT_NE(outcome.err.find("than the 100.0 MiB that"), std::string::npos) << outcome.text();
  const Outcome wrong = run_overture({"version", "--max-memory", "much"}, {.folder = folder.path()});
  EXPECT_EQ(wrong.exit_code, 2) << wrong.text();
  EXPECT_NE(wrong.err.find("--max-memory"), std::string::npos) << wrong.text();
}

TEST(Memory, NestedAliasesAndDepthAreBounded) {
  const TemporaryFolder folder;
  std::string aliases = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 20; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    aliases += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 9; ++k) aliases += (k > 0 ? ", " : "") + last;
    aliases += "]\n";
  }
  folder.write("aliases.yaml", aliases);
  folder.write("deep.yaml", "name: " + std::string(100'000, '[') + std::string(100'000, ']') + "\n");
  folder.write("deep.json", std::string(100'000, '[') + std::string(100'000, ']'));
  folder.write("run/summary.json", std::string(100'000, '[') + std::string(100'000, ']'));
  for (const Words& words :
       {Words{"simulate", "aliases.yaml"}, Words{"flows", "aliases.yaml"}, Words{"train", "aliases.yaml"},
        Words{"sweep", "aliases.yaml"}, Words{"simulate", "deep.yaml"}, Words{"report", "run"},
        Words{"simulate", "deep.yaml", "-s", "name=" + std::string(50'000, '[')}}) {
    Words bounded = words;
    bounded.insert(bounded.end(), {"--max-memory", "1 GiB"});
    const Outcome outcome = run_overture(bounded, {.folder = folder.path()});
    EXPECT_EQ(outcome.exit_code, 2) << text_of(words).substr(0, 80) << outcome.text();
  }
  EXPECT_EQ(run_overture({"runs", "."}, {.folder = folder.path()}).exit_code, 0);
}

TEST(Memory, AGraphFileThatIsTooLargeIsRefusedBeforeItIsBuilt) {
  const TemporaryFolder folder;
  std::string text = "hosts 2\nswitches 1\nlink h1 s0 1 Gbps 1 us\n";
  for (int i = 0; i < 500'000; ++i) text += "link h0 s0 1 Gbps 1 us\n";
  folder.write("graph.txt", text);
  folder.write("net.yaml", "network: {topology: {file: graph.txt}}\ntraffic: {pattern: ring, size: 1 KiB}\n");
  const Outcome outcome =
      run_overture({"flows", "net.yaml", "-o", "r", "--max-memory", "64 MiB"}, {.folder = folder.path()});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
  EXPECT_NE(outcome.err.find("memory"), std::string::npos) << outcome.text();
}

TEST(Time, ManyKeysInOneMapAreReadInALineNotInASquare) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "k" + std::to_string(i) + ": 1\n";
  folder.write("keys.yaml", text);
  const Outcome outcome = run_overture({"simulate", "keys.yaml"}, {.folder = folder.path()});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
  EXPECT_NE(outcome.err.find("unknown key"), std::string::npos) << outcome.text();
  EXPECT_LT(outcome.cpu, std::chrono::seconds(5)) << "a square took a minute";
}

TEST(Time, ABenchOfCollectivesStopsWithinItsWall) {
  const TemporaryFolder folder;
  const Outcome outcome = run_overture({"bench", "collective", example("fat-tree.yaml"), "-b", "1M", "-e",
                                        "16G", "-f", "2", "--max-wall", "1", "-o", "r"},
                                       {.folder = folder.path()});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.text();
  if (fs::exists(folder.path() / "r/summary.json")) {
    EXPECT_FALSE(json::parse(read_text(folder.path() / "r/summary.json")).value("complete", true));
  }
}

// ---- signals

template <class Condition>
bool wait_for(Condition holds) {
  for (int i = 0; i < 6000 && !holds(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return holds();
}

class Interrupted : public ::testing::Test {
 protected:
  Interrupted() {
    folder_.write("long.yaml",
                  "network: {topology: {fat_tree: {k: 8}}}\ntraffic: {pattern: all_to_all, size: 40 MiB}\n");
    folder_.write("opera.yaml", read_text(kExamples / "opera.yaml") + "\n");
    folder_.write("many.yaml", "command: flows\nsetup: long.yaml\naxes: [{key: seed, values: [1, 2, 3]}]\n");
  }
  fs::path at(const char* name) const { return folder_.path() / name; }

  // Interrupts it once it is under way.
  int cut(const Words& words, const fs::path& under_way, int signal = SIGINT) {
    StartedOverture child(words, folder_.path());
    EXPECT_TRUE(wait_for([&] { return fs::exists(under_way); })) << text_of(words);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    child.send(signal);
    return child.exit_code();
  }
  bool complete(const char* summary) const {
    return json::parse(read_text(at(summary))).value("complete", true);
  }

  TemporaryFolder folder_;
};

TEST_F(Interrupted, EveryRunLeavesWhatItHasAndSaysSo) {
  EXPECT_EQ(cut({"flows", "long.yaml", "-o", "f"}, at("f/progress.json"), SIGTERM), 130);
  EXPECT_FALSE(complete("f/summary.json"));
  EXPECT_FALSE(fs::exists(at("f/progress.json")));
  EXPECT_EQ(cut({"flows", "opera.yaml", "-s", "traffic.size=400 MiB", "-o", "o"}, at("o/progress.json")),
            130);
  EXPECT_FALSE(complete("o/summary.json"));
  const std::string torus = example("dlrm-fat-tree.yaml");
  EXPECT_EQ(cut({"simulate", torus, "-s", "passes=1000", "-o", "s"}, at("s/progress.json")), 130);
  EXPECT_FALSE(complete("s/summary.json"));
}

TEST_F(Interrupted, AStudyKeepsTheRunsThatWereDone) {
  StartedOverture study({"study", "failures", "--parts", "slow,networks", "-o", "s"}, folder_.path());
  ASSERT_TRUE(wait_for([&] {
    if (!fs::exists(at("s/progress.json"))) return false;
    const json progress = json::parse(read_text(at("s/progress.json")), nullptr, false);
    return progress.is_object() && progress.value("done", 0) >= 3;
  }));
  study.send(SIGTERM);
  EXPECT_EQ(study.exit_code(), 130);
  EXPECT_FALSE(complete("s/summary.json"));
  const std::string slow = read_text(at("s/slow-node.csv"));
  EXPECT_GE(std::ranges::count(slow, '\n'), 4) << slow;
}

TEST_F(Interrupted, AnEvaluationKeepsTheSamplesThatWereRead) {
  const Words train{"train", "--synthetic", "kaggle", "--scale", "1e-4", "--samples", "20k", "-o", "t"};
  ASSERT_EQ(run_overture(train, {.folder = folder_.path()}).exit_code, 0);
  StartedOverture evaluation({"evaluate", "t", "-s", "data.samples=2G", "-o", "e"}, folder_.path());
  ASSERT_TRUE(wait_for([&] { return fs::exists(at("e")); }));
  std::this_thread::sleep_for(std::chrono::seconds(1));
  evaluation.send(SIGINT);
  EXPECT_EQ(evaluation.exit_code(), 130);
  if (fs::exists(at("e/summary.json"))) {  // else a busy machine had not read a batch by then
    EXPECT_FALSE(complete("e/summary.json"));
    EXPECT_GT(json::parse(read_text(at("e/summary.json"))).value("samples", 0), 0);
  }
}

TEST_F(Interrupted, AValidationLeavesNothingInTheTemporaryFolder) {
  const std::string golden = (fs::path(OVERTURE_TESTS_FOLDER) / "golden").string();
  fs::create_directories(at("tmp"));
  const Outcome cut = run({"timeout", "--preserve-status", "-s", "INT", "1", overture_binary().string(),
                           "validate", "--golden", golden, "-o", "v"},
                          {.folder = folder_.path(), .variables = {"TMPDIR=" + at("tmp").string()}});
  EXPECT_EQ(cut.exit_code, 130) << cut.text();
  EXPECT_TRUE(fs::is_empty(at("tmp")));
}

TEST_F(Interrupted, ASweepCountsNothingThatWasCutShort) {
  StartedOverture sweep({"sweep", "many.yaml", "-o", "s", "-j", "2"}, folder_.path());
  ASSERT_TRUE(wait_for([&] { return fs::exists(at("s/points")) && !fs::is_empty(at("s/points")); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  sweep.send_to_group(SIGINT);
  EXPECT_EQ(sweep.exit_code(), 130);
  EXPECT_TRUE(fs::is_empty(at("s/points")));
}

TEST_F(Interrupted, AKilledSweepLeavesNobodyAndTheNextOneWorks) {
  StartedOverture sweep({"sweep", "many.yaml", "-o", "s", "-j", "1"}, folder_.path());
  ASSERT_TRUE(wait_for([&] { return fs::exists(at("s/points")) && !fs::is_empty(at("s/points")); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const Outcome other = run_overture({"sweep", "many.yaml", "-o", "s"}, {.folder = folder_.path()});
  EXPECT_EQ(other.exit_code, 2) << other.text();
  EXPECT_NE(other.err.find("in use by another run"), std::string::npos) << other.text();
  sweep.send(SIGKILL);
  EXPECT_EQ(sweep.exit_code(), 128 + SIGKILL);
  const Outcome next =
      run_overture({"sweep", "many.yaml", "-o", "s", "-s", "fixed=[traffic.size=1 KiB]", "--overwrite"},
                   {.folder = folder_.path()});
  EXPECT_EQ(next.exit_code, 0) << next.text();
  EXPECT_TRUE(complete("s/summary.json"));
}

TEST_F(Interrupted, AFolderHasOneWriterAtATime) {
  StartedOverture first({"flows", "long.yaml", "-o", "r"}, folder_.path());
  ASSERT_TRUE(wait_for([&] { return fs::exists(at("r/progress.json")); }));
  for (const Words& words : {Words{"flows", "long.yaml"}, Words{"simulate", example("dlrm-torus.yaml")},
                             Words{"bench", "collective", example("dlrm-torus.yaml")}}) {
    Words onto = words;
    onto.insert(onto.end(), {"-o", "r", "--overwrite"});
    const Outcome outcome = run_overture(onto, {.folder = folder_.path()});
    EXPECT_EQ(outcome.exit_code, 2) << text_of(words) << outcome.text();
    EXPECT_NE(outcome.err.find("in use by another run"), std::string::npos) << outcome.text();
  }
  first.send(SIGINT);
  EXPECT_EQ(first.exit_code(), 130);
}

}  // namespace
}  // namespace overture::testing
