// The native commands as a user runs them: simulate, import, generate, explain, demo.
#include <algorithm>
#include <map>
#include <set>

#include "program.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace overture::testing {
namespace {

namespace fs = std::filesystem;

const fs::path kExamples = fs::path(OVERTURE_SOURCE_FOLDER) / "examples";

Words astra_files(const std::string& first, const std::string& second) {
  return {first,
          second,
          "--network-configuration=" + (kExamples / "astra/network.json").string(),
          "--system-configuration=" + (kExamples / "astra/system.txt").string(),
          "--workload-configuration=" + (kExamples / "astra/workload.txt").string(),
          "--num-passes=2"};
}

// The number behind "key": in a JSON text; the tests know the keys.
std::string json_field(const std::string& text, const std::string& key) {
  const std::string start = "\"" + key + "\": ";
  const std::size_t at = text.find(start);
  if (at == std::string::npos) return "absent";
  return text.substr(at + start.size(), text.find_first_of(",\n", at) - at - start.size());
}

TEST(Simulate, WritesAFolderAndPrintsEightyColumns) {
  const TemporaryFolder folder;
  const Outcome outcome = run_overture(
      {"simulate", (kExamples / "dlrm-torus.yaml").string(), "-o", "my results"}, {.folder = folder.path()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
  for (const std::string& line : lines_of(outcome.out)) EXPECT_LE(line.size(), 80u) << line;
  EXPECT_NE(outcome.out.find("exposed communication"), std::string::npos);
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder.path() / "my results"))
    files.insert(entry.path().filename());
  EXPECT_EQ(files, (std::set<std::string>{"summary.json", "setup.yaml", "layers.csv", "dimensions.csv",
                                          "links.csv", "links_over_time.csv", "traffic.csv", "flows.csv",
                                          "collectives.csv", "trace.json.gz", "report.html"}));
}

TEST(Simulate, TheSetupInTheResultsGivesTheSameResults) {
  const TemporaryFolder folder;
  const Words first{"simulate",       (kExamples / "dlrm-torus.yaml").string(), "-o", "first", "--json", "-s",
                    "system.chunks=7"};
  const Words again{"simulate", "first/setup.yaml", "-o", "again", "--json"};
  const Outcome one = run_overture(first, {.folder = folder.path()});
  const Outcome two = run_overture(again, {.folder = folder.path()});
  ASSERT_EQ(two.exit_code, 0) << two.text();
  EXPECT_EQ(one.out, two.out);
  EXPECT_EQ(read_text(folder.path() / "first/trace.json.gz"),
            read_text(folder.path() / "again/trace.json.gz"));
}

TEST(Simulate, EveryNpuGivesTheSameNumbersAsOne) {
  const TemporaryFolder folder;
  const std::string setup = (kExamples / "dlrm-torus.yaml").string();
  const Outcome one = run_overture({"simulate", setup, "-o", "a", "--json"}, {.folder = folder.path()});
  const Outcome all = run_overture({"simulate", setup, "-o", "b", "--json", "--simulate-all-npus"},
                                   {.folder = folder.path()});
  EXPECT_EQ(json_field(one.out, "digest"), json_field(all.out, "digest"));
  EXPECT_EQ(json_field(one.out, "finished_us"), json_field(all.out, "finished_us"));
}

TEST(Simulate, BadSetupsGetOneMessageAndExitCodeTwo) {
  const TemporaryFolder folder;
  folder.write("bad.yaml", "name: x\nnetwrk: {}\n");
  const std::string good = (kExamples / "dlrm-torus.yaml").string();
  for (const Words& arguments :
       {Words{"simulate", "missing.yaml"}, Words{"simulate", "bad.yaml"}, Words{"simulate", "."},
        Words{"simulate"}, Words{"simulate", good, "-s", "network.dimensions.0.size=0"},
        Words{"simulate", good, "-s", "nonsense"},
        Words{"simulate", good, "-s", "network.dimensions.0.bandwidth=0 Gbps"},
        Words{"simulate", good, "-s", "network.dimensions.0.size=3", "-s",
              "system.all_reduce=[halving_doubling,ring,ring]"},
        Words{"simulate", good, "-o", "bad.yaml/inside"}, Words{"nonsense"}, Words{}}) {
    const Outcome outcome = run_overture(arguments, {.folder = folder.path()});
    EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
    EXPECT_EQ(outcome.err.substr(0, 7), "error: ") << outcome.text();
    EXPECT_TRUE(outcome.out.empty()) << outcome.text();
  }
}

TEST(Import, GivesTheNumbersOfAstraSimAndSaysThatTheyAreOptimistic) {
  const TemporaryFolder folder;
  Words import = astra_files("import", "astra");
  import.insert(import.end(), {"-o", "imported.yaml"});
  ASSERT_EQ(run_overture(import, {.folder = folder.path()}).exit_code, 0);
  const Outcome outcome = run_overture({"simulate", "imported.yaml", "--json"}, {.folder = folder.path()});
  EXPECT_EQ(json_field(outcome.out, "finished_us"), "172.673");  // the tutorial's run
  EXPECT_NE(outcome.out.find("messages never share a link"), std::string::npos);
  const Outcome shared = run_overture(
      {"simulate", "imported.yaml", "--json", "-s", "network.contention=links"}, {.folder = folder.path()});
  EXPECT_EQ(shared.out.find("messages never share a link"), std::string::npos);
}

// Quirk 12 of the original: N-1 messages at once, each with the whole link. Charged for the link they share,
// an all-to-all cannot beat it, however many NPUs take part.
TEST(Simulate, AnAllToAllOnASwitchIsNotFasterThanItsLink) {
  const TemporaryFolder folder;
  folder.write("a2a.yaml",
               "network: {dimensions: [{kind: switch, size: 16, bandwidth: 25 GiB/s, latency: 500 ns}]}\n"
               "workload:\n  parallelism: micro\n  layers:\n    - name: only\n"
               "      weight_gradient: {communication: {collective: all_to_all, size: 16 MiB}}\n");
  for (const std::string npus : {"16", "256"}) {
    const Outcome outcome = run_overture(
        {"simulate", "a2a.yaml", "--json", "-s", "network.dimensions.0.size=" + npus, "-o", npus},
        {.folder = folder.path()});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
    const double us = std::stod(json_field(outcome.out, "finished_us"));
    const double wire_us = 16.0 / 1024 / 25 * 1e6 * (std::stod(npus) - 1) / std::stod(npus);
    EXPECT_GT(us, wire_us);
    EXPECT_LT(us, wire_us * 1.01);
  }
}

TEST(Generate, WritesAWorkloadThatRuns) {
  const TemporaryFolder folder;
  const Outcome made =
      run_overture({"generate", "workload", "--mnk", (kExamples / "mnk.csv").string(), "--npus", "64",
                    "--compute", "roofline:312 TFLOPS,1.5 TB/s", "--out", "workload.txt"},
                   {.folder = folder.path()});
  ASSERT_EQ(made.exit_code, 0) << made.text();
  Words run = astra_files("astra", "--workload-configuration=workload.txt");
  run.erase(std::remove_if(run.begin() + 2, run.end(), [](const auto& w) { return w.starts_with("--work"); }),
            run.end());
  const Outcome outcome = run_overture(run, {.folder = folder.path()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_NE(outcome.out.find("all passes finished at time: "), std::string::npos);
}

TEST(Explain, TheReferencePagesAreWhatTheProgramSays) {
  const fs::path reference = fs::path(OVERTURE_SOURCE_FOLDER) / "docs/reference";
  const std::map<std::string, std::string> pages{
      {"--simulate", "setup.md"}, {"--train", "train.md"}, {"--sweep", "sweep.md"}};
  for (const auto& [flag, page] : pages) {
    const Outcome table = run_overture({"explain", flag, "--markdown"});
    EXPECT_NE(read_text(reference / page).find(table.out), std::string::npos)
        << page << "; run: overture explain " << flag << " --markdown";
  }
}

TEST(Explain, EveryDefaultHasASource) {
  for (const char* flag : {"--simulate", "--train", "--sweep"}) {
    int defaults = 0;
    for (const std::string& row : lines_of(run_overture({"explain", flag, "--markdown"}).out)) {
      if (!row.starts_with("| `") || row.find("| `", 3) == std::string::npos) continue;
      ++defaults;
      EXPECT_FALSE(row.ends_with("|  |")) << row;
    }
    EXPECT_GE(defaults, 3) << flag;
  }
}

TEST(Flows, GoldenFlowsGiveGoldenCompletionTimes) {
  const TemporaryFolder folder;
  const fs::path golden = fs::path(OVERTURE_TESTS_FOLDER) / "golden/ns3/S2-star64-a2a-32k-iw10";
  folder.write("star.yaml", "network: {topology: {star: {hosts: 64}}}\n");
  const Outcome outcome =
      run_overture({"flows", "star.yaml", "--flows", (golden / "flows.csv").string(), "--out", "fct.csv"},
                   {.folder = folder.path()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
  const auto ours = lines_of(read_text(folder.path() / "fct.csv"));
  const auto theirs = lines_of(read_text(golden / "fct.csv"));
  ASSERT_EQ(ours.size(), theirs.size());
  EXPECT_EQ(ours[0], theirs[0]);
  for (std::size_t i = 1; i < ours.size(); ++i) {
    const auto fct = [](const std::string& line) { return std::stod(line.substr(line.rfind(',') + 1)); };
    EXPECT_NEAR(fct(ours[i]), fct(theirs[i]), fct(theirs[i]) * 1e-6) << ours[i];
  }
}

TEST(Flows, ACutRunReportsWhatFinished) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_overture({"flows", (kExamples / "fat-tree.yaml").string(), "--max-sim-time", "80 us", "--json"},
                   {.folder = folder.path()});
  ASSERT_EQ(outcome.exit_code, 3) << outcome.text();
  const int finished = std::stoi(json_field(outcome.out, "finished"));
  EXPECT_GT(finished, 0);
  EXPECT_LT(finished, std::stoi(json_field(outcome.out, "flows")));
}

TEST(Flows, BadInputGetsOneMessageBeforeTheRun) {
  const TemporaryFolder folder;
  folder.write("far.csv", "src,dst,bytes,start_ns\n0,999,1,0\n");
  folder.write("apart.txt",
               "hosts 2\nswitches 2\nlink h0 s0 1 Gbps 1 us host\nlink h1 s1 1 Gbps 1 us host\n");
  const std::string setup = (kExamples / "fat-tree.yaml").string();
  for (const Words& arguments :
       {Words{"flows", setup, "--flows", "far.csv"}, Words{"flows", setup, "--flows", "missing.csv"},
        Words{"flows", setup, "-s", "network.topology.fat_tree.k=3"},
        Words{"flows", setup, "-s", "network.topology.fat_tree.host.rate=0 Gbps"},
        Words{"flows", setup, "-s", "network.topology.fat_tree.k=4000"},
        Words{"flows", setup, "-s", "network.topology={file: apart.txt}"},
        Words{"flows", setup, "--max-sim-time", "soon"}}) {
    const Outcome outcome = run_overture(arguments, {.folder = folder.path()});
    EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
    EXPECT_EQ(outcome.err.substr(0, 7), "error: ") << outcome.text();
  }
}

TEST(Explain, KnowsKeysPartsAndEntriesOfLists) {
  EXPECT_NE(run_overture({"explain", "network.dimensions.0.size"}).out.find("NPUs in this dimension"),
            std::string::npos);
  EXPECT_GT(lines_of(run_overture({"explain", "system"}).out).size(), 20u);
  const Outcome tcp = run_overture({"explain", "network.tcp.min_rto"});
  EXPECT_NE(tcp.out.find("Setups of `overture simulate`:"), std::string::npos) << tcp.text();
  EXPECT_NE(tcp.out.find("default from: ns-3"), std::string::npos) << tcp.text();
  const Outcome unknown = run_overture({"explain", "netwrk"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("did you mean \"network\"?"), std::string::npos);
}

TEST(Demo, ComparesFourNetworksInATable) {
  const TemporaryFolder folder;
  const Outcome outcome = run_overture({"demo"}, {.folder = folder.path()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
  for (const std::string& line : lines_of(outcome.out)) EXPECT_LE(line.size(), 80u) << line;
  for (const char* name : {"torus-3d", "torus-2d", "mesh-switch", "switch"}) {
    EXPECT_TRUE(fs::exists(folder.path() / "results/demo" / name / "summary.json")) << name;
  }
  EXPECT_NE(outcome.out.find("identical, bit for bit"), std::string::npos) << outcome.out;
  for (const char* name : {"cached", "plain"}) {
    const fs::path run = folder.path() / "results/demo/training" / name;
    EXPECT_NE(read_text(run / "summary.json").find("\"held_out_over_steps\""), std::string::npos) << name;
    EXPECT_TRUE(fs::exists(run / "report.html")) << name;
    EXPECT_NE(outcome.out.find(std::string("report: results/demo/training/") + name), std::string::npos)
        << outcome.out;
  }
}

TEST(BenchCollective, PrintsNcclTestsTableOnBothBackends) {
  const TemporaryFolder folder;
  folder.write("star.yaml", "network: {topology: {star: {hosts: 4}}}\n");
  for (const std::string& setup : {std::string("star.yaml"), (kExamples / "dlrm-torus.yaml").string()}) {
    const Outcome outcome =
        run_overture({"bench", "collective", setup, "-b", "64K", "-e", "1M", "-f", "4", "--csv", "table.csv"},
                     {.folder = folder.path()});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
    EXPECT_NE(outcome.out.find("busbw"), std::string::npos);
    EXPECT_EQ(lines_of(read_text(folder.path() / "table.csv")).size(), 4u);
  }
  for (const Words& extra :
       {Words{"--collective", "all_reduc"}, Words{"-f", "1"}, Words{"-b", "2M", "-e", "1M"},
        Words{"--algorithm", "rings"}, Words{"--chunks", "0"}}) {
    Words arguments{"bench", "collective", "star.yaml"};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    EXPECT_EQ(run_overture(arguments, {.folder = folder.path()}).exit_code, 2);
  }
}

// The same ring from the word and from a file, and over dimensions that only the setup knows.
TEST(BenchCollective, TakesAFileAndTheSetupsDimensions) {
  const TemporaryFolder folder;
  folder.write("star.yaml", "network: {topology: {star: {hosts: 4}}}\n");
  std::string ring = "step,from,to,chunk,action\n";
  for (int step = 0; step < 3; ++step) {
    for (int rank = 0; rank < 4; ++rank)
      ring += fmt::format("{},{},{},{},reduce\n", step, rank, (rank + 1) % 4, (rank - step + 8) % 4);
  }
  for (int step = 0; step < 3; ++step) {
    for (int rank = 0; rank < 4; ++rank)
      ring += fmt::format("{},{},{},{},copy\n", 3 + step, rank, (rank + 1) % 4, (rank - step + 9) % 4);
  }
  folder.write("ring.csv", ring);
  const auto time = [&](const Words& extra) {
    Words words{"bench", "collective", "star.yaml", "-b",        "1M",
                "-e",    "1M",         "--csv",     "table.csv", "--overwrite"};
    words.insert(words.end(), extra.begin(), extra.end());
    const Outcome outcome = run_overture(words, {.folder = folder.path()});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
    const std::string row = lines_of(read_text(folder.path() / "table.csv")).at(1);
    return std::stod(row.substr(row.rfind(',') + 1));
  };
  const double flat = time({"--algorithm", "ring"});
  EXPECT_NEAR(time({"--algorithm", "file:ring.csv"}) / flat, 1, 0.05);
  EXPECT_NE(time({"--algorithm", "ring", "-s", "system.dimensions=[2, 2]"}), flat);
}

TEST(Help, EveryCommandHasExamples) {
  for (const Words& command :
       {Words{"demo"}, Words{"simulate"}, Words{"astra"}, Words{"import", "astra"},
        Words{"generate", "workload"}, Words{"explain"}, Words{"flows"}, Words{"bench", "collective"}}) {
    Words arguments = command;
    arguments.push_back("--help");
    const Outcome outcome = run_overture(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
    EXPECT_NE(outcome.out.find("Examples:"), std::string::npos) << outcome.text();
  }
}

TEST(Help, AGroupOfCommandsAsksForOneOfThem) {
  for (const std::string group : {"bench", "generate", "import", "study"}) {
    const Outcome outcome = run_overture({group});
    EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
    EXPECT_TRUE(outcome.err.starts_with("error: overture " + group + " needs one of its commands\n  known: "))
        << outcome.text();
    EXPECT_TRUE(outcome.err.ends_with("  see overture " + group + " --help\n")) << outcome.text();
  }
}

}  // namespace
}  // namespace overture::testing
