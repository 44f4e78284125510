// `overture generate`, and what is done with what it makes: convert, inspect, import.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "overture/base/json.h"
#include "overture/base/text.h"
#include "overture/cli/commands.h"
#include "overture/cli/testing.h"

namespace overture::cli {
namespace {

const std::string kExamples = std::string(OVERTURE_EXAMPLES) + "/";

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class GenerateCommand : public ::testing::Test {
 protected:
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  TestFolder folder_;
};

using GenerateWorkload = GenerateCommand;

const Words kWorkload{"generate", "workload", "--mnk", kExamples + "mnk.csv", "--npus", "16"};
const Words kRoofline{"--compute", "roofline:312 TFLOPS,1.5 TB/s"};

TEST_F(GenerateWorkload, HasALineForEveryLayerBehindTheStrategyAndTheCount) {
  const auto lines = split(printed(with(kWorkload, kRoofline), add_generate), '\n');
  ASSERT_EQ(lines.size(), 7u + 2 + 1);
  EXPECT_EQ(lines[0].rfind("DATA", 0), 0u) << lines[0];
  EXPECT_EQ(lines[1].rfind("7", 0), 0u) << lines[1];
  EXPECT_EQ(lines[2].rfind("MLP_Bottom_0\t", 0), 0u) << lines[2];
}

TEST_F(GenerateWorkload, IntoAFileItSaysHowMuchOnStderr) {
  const std::string out = file("w.txt");
  const Ran ran = run_words(with(with(kWorkload, kRoofline), {"-o", out}), add_generate);
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "7 layers written to " + out + "\n");
  EXPECT_EQ(bytes_of(out), printed(with(kWorkload, kRoofline), add_generate));
}

TEST_F(GenerateWorkload, ScaleSimHasAFlagOfItsOwn) {
  EXPECT_EQ(printed(with(kWorkload, {"--scalesim_config", kExamples + "scalesim.cfg"}), add_generate),
            printed(with(kWorkload, {"--compute", "scale-sim:" + kExamples + "scalesim.cfg"}), add_generate));
}

TEST_F(GenerateWorkload, MistakesSayWhatWouldWork) {
  EXPECT_EQ(refused({"generate", "workload"}, add_generate),
            "--mnk: is missing\n  use --mnk TABLE.csv, or --dlrm SETUP.yaml with workload.dlrm\n");
  EXPECT_EQ(refused(with(kWorkload, {"--dlrm", "x.yaml"}), add_generate),
            "--mnk: and --dlrm exclude each other\n  use --mnk TABLE.csv, or --dlrm SETUP.yaml with "
            "workload.dlrm\n");
  EXPECT_EQ(refused(kWorkload, add_generate),
            "--compute: is missing\n  use --compute scale-sim:FILE.cfg or --scalesim_config FILE.cfg\n");
  EXPECT_EQ(refused(with(with(kWorkload, kRoofline), {"--scalesim_config", "a.cfg"}), add_generate),
            "--compute: and --scalesim_config exclude each other\n  use --compute scale-sim:FILE.cfg or "
            "--scalesim_config FILE.cfg\n");
  EXPECT_TRUE(has(refused(with(with(kWorkload, kRoofline), {"--update-delay", "5"}), add_generate),
                  "--update-delay: \"5\" has no unit"));
  EXPECT_TRUE(
      has(refused(with(with(kWorkload, kRoofline), {"--strategy", "DATTA"}), add_generate), "\"DATA\""));
  EXPECT_EQ(refused({"generate", "workload", "--dlrm", kExamples + "dlrm-torus.yaml"}, add_generate),
            kExamples + "dlrm-torus.yaml: workload.dlrm: is missing\n  examples/rm1.yaml has one\n");
}

TEST_F(GenerateCommand, TasksAreOfTheNodesOfTheNetworkOrAsManyAsAsked) {
  const Words tasks{
      "generate", "tasks",        kExamples + "model-a.yaml", "-s", "workload.dlrm.tables.count=4",
      "-o",       file("step.tg")};
  EXPECT_TRUE(has(printed(with(tasks, {"--nodes", "2"}), add_generate),
                  " tasks on 2 nodes written to " + file("step.tg")));
  EXPECT_GT(std::filesystem::file_size(file("step.tg")), 100u);
  EXPECT_EQ(refused(with(tasks, {"--nodes", "1"}), add_generate), "--nodes: at least 2\n");
  EXPECT_EQ(refused(with(tasks, {"--nodes", "-2"}), add_generate), "--nodes: at least 2\n");
  EXPECT_EQ(refused({"generate", "tasks", kExamples + "fat-tree.yaml", "-o", file("x")}, add_generate),
            kExamples + "fat-tree.yaml: workload.dlrm: is missing\n  examples/model-a.yaml has one\n");
}

// Two NPUs compute, and reduce what they have computed.
constexpr const char* kPair = R"(network: {dimensions: [{kind: switch, size: 2, bandwidth: 10 Gbps}]}
workload:
  parallelism: data
  layers:
    - {name: mlp, forward: {compute: 3 us}, weight_gradient: {compute: 2 us, communication: {collective: all_reduce, size: 64 KiB}}}
)";

TEST_F(GenerateCommand, ChakraTracesAreInspected) {
  const std::string setup = folder_.write("pair.yaml", kPair).string();
  const std::string out = printed({"generate", "chakra", setup, "-o", file("w")}, add_generate);
  EXPECT_TRUE(has(out, " nodes in 2 traces: " + file("w.0.et") + " ...\n")) << out;
  EXPECT_TRUE(std::filesystem::exists(file("w.1.et")));
  const std::string text = printed({"inspect", file("w.0.et")}, add_inspect);
  EXPECT_TRUE(has(text, file("w.0.et") + ": Chakra 0.0.4, ")) << text;
  EXPECT_TRUE(has(text, "all_reduce")) << text;
  EXPECT_TRUE(has(text, "64.00 KiB")) << text;
  EXPECT_TRUE(has(text, "critical path: 5 us")) << text;
  EXPECT_EQ(printed({"inspect", file("w")}, add_inspect), text) << "a prefix stands for its first rank";
  const Json json = parse_json(printed({"inspect", file("w.0.et"), "--json"}, add_inspect));
  EXPECT_EQ(json["communication"]["all_reduce"]["bytes"], 65536);
  EXPECT_EQ(json["critical_path_us"], 5);
  EXPECT_TRUE(json["unknown_attributes"].empty()) << json["unknown_attributes"];
}

TEST_F(GenerateCommand, ChakraTracesMayBeOfSomeRanksAndGzipped) {
  const std::string setup = folder_.write("pair.yaml", kPair).string();
  printed({"generate", "chakra", setup, "-o", file("w"), "--ranks", "1", "--gzip"}, add_generate);
  EXPECT_FALSE(std::filesystem::exists(file("w.0.et.gz")));
  EXPECT_TRUE(has(printed({"inspect", file("w.1.et.gz")}, add_inspect), "all_reduce"));
  EXPECT_EQ(refused({"generate", "chakra", setup, "-o", file("w"), "--ranks", "2"}, add_generate),
            "--ranks: 2 is not a rank; there are 2\n  ranks count from 0\n");
  EXPECT_TRUE(has(refused({"inspect", file("nothing")}, add_inspect), "nothing"));
}

const Words kOpera{"generate", "topology", "opera", "--tors", "4", "--ports", "8", "--draws", "1"};

TEST_F(GenerateCommand, AnOperaIsSummedUp) {
  const std::string text = printed(kOpera, add_generate);
  EXPECT_TRUE(has(text, "16 (4 a ToR)")) << text;
  EXPECT_TRUE(has(text, "4, matchings each: 1")) << text;
  EXPECT_TRUE(has(text, "a circuit is up")) << text;
}

TEST_F(GenerateCommand, AnOperaThatIsWrittenReadsAsTheSame) {
  printed(with(kOpera, {"-o", file("o.txt"), "--picture", file("o.svg")}), add_generate);
  EXPECT_EQ(bytes_of(file("o.svg")).substr(0, 4), "<svg");
  const std::string again =
      printed({"generate", "topology", "opera", "--from", file("o.txt"), "-o", file("p.txt")}, add_generate);
  EXPECT_EQ(bytes_of(file("p.txt")), bytes_of(file("o.txt")));
  EXPECT_TRUE(has(again, "written: " + file("p.txt") + "\n"));
}

TEST_F(GenerateCommand, AnOperaThatCannotBeIsRefused) {
  EXPECT_EQ(refused(with(kOpera, {"--seed", "-1"}), add_generate), "--seed: must not be negative\n");
  EXPECT_EQ(refused(with(kOpera, {"--paths", "0"}), add_generate), "--paths: must be at least 1\n");
  for (const auto& [flag, text] :
       {std::pair("--rate", "fast"), {"--wire", "5"}, {"--reconfiguration", "-1 us"}, {"--slice", "x"}})
    EXPECT_EQ(refused(with(kOpera, {flag, text}), add_generate).rfind(std::string(flag) + ": ", 0), 0u)
        << flag;
  EXPECT_NE(refused({"generate", "topology", "opera", "--tors", "5", "--ports", "8"}, add_generate), "");
}

Words dataset(const std::string& out, const Words& more = {}) {
  return with({"generate", "dataset", "--like", "kaggle", "--scale", "0.00001", "--samples", "50",
               "--threads", "1", "-o", out},
              more);
}

TEST_F(GenerateCommand, ADatasetIsSummedUp) {
  const std::string text = printed(dataset(file("a.ovd")), add_generate);
  EXPECT_TRUE(has(text, "samples ")) << text;
  EXPECT_TRUE(has(text, " 1,300\n")) << text;  // 50 samples, 26 tables
  EXPECT_TRUE(has(text, "different rows in a batch of 2,048")) << text;
  EXPECT_TRUE(has(text, "\nwritten to " + file("a.ovd") + "\n")) << text;
}

TEST_F(GenerateCommand, ADatasetThatCannotBeIsRefused) {
  for (const auto& [flag, text, message] :
       {std::tuple("--drift", "y", "--drift: \"y\" is not a number"),
        {"--first", "-1", "--first: \"-1\" is not a whole number"},

        {"--pooling", "some", "--pooling: \"some\" is not a whole number"},
        {"--pooling", "geometric:x", "--pooling: \"x\" is not a number"},
        {"--drift", "x", "--drift: \"x\" is not a number"},
        {"--skew", "two-level:1", "--skew: \"two-level:1\" is not two percentages"}})
    EXPECT_TRUE(has(refused(dataset(file("x.ovd"), {flag, text}), add_generate), message))
        << flag << " " << text;
  EXPECT_FALSE(std::filesystem::exists(file("x.ovd")));
}

TEST_F(GenerateCommand, ADatasetInTwoPartsIsTheWhole) {
  printed(dataset(file("all.tsv")), add_generate);
  printed({"generate", "dataset", "--like", "kaggle", "--scale", "0.00001", "--samples", "20", "-o",
           file("1.tsv")},
          add_generate);
  printed({"generate", "dataset", "--like", "kaggle", "--scale", "0.00001", "--samples", "30", "--first",
           "20", "-o", file("2.tsv")},
          add_generate);
  EXPECT_EQ(bytes_of(file("1.tsv")) + bytes_of(file("2.tsv")), bytes_of(file("all.tsv")));
}

TEST_F(GenerateCommand, AConvertedDatasetComesBack) {
  printed(dataset(file("a.tsv")), add_generate);
  const std::string text =
      printed({"convert", file("a.tsv"), file("a.ovd"), "--max-ind-range", "1M"}, add_convert);
  EXPECT_TRUE(has(text, " 1,300\n")) << text;
  printed({"convert", file("a.ovd"), file("b.ovd")}, add_convert);
  EXPECT_EQ(bytes_of(file("b.ovd")), bytes_of(file("a.ovd")));
}

TEST_F(GenerateCommand, ConversionsThatMakeNoSenseAreRefused) {
  printed(dataset(file("a.tsv")), add_generate);
  EXPECT_TRUE(has(refused({"convert", file("a.tsv"), file("b.ovd")}, add_convert),
                  "a.tsv: holds hashes of 32 bits, not rows of tables\n  map them to rows with "
                  "--max-ind-range 10M"));
  EXPECT_TRUE(has(refused({"convert", file("a.tsv"), file("b.ovd"), "--tables", "nothing"}, add_convert),
                  "--tables: there is no file \"nothing\"\n"));
  EXPECT_TRUE(has(refused({"convert", file("a.tsv"), file("b.ovd"), "--max-ind-range", "few"}, add_convert),
                  "--max-ind-range: "));
  EXPECT_TRUE(
      has(refused({"convert", file("a.tsv"), file("b.ovd"), "--from", "npx"}, add_convert), "--from: "));
  printed({"convert", file("a.tsv"), file("a.ovd"), "--max-ind-range", "1M"}, add_convert);
  EXPECT_EQ(refused({"convert", file("a.ovd"), file("a.ovd")}, add_convert),
            file("a.ovd") + ": is also the input\n  write to another file\n");
}

TEST_F(GenerateCommand, BadRowsAreCountedAndTold) {
  printed(dataset(file("a.tsv")), add_generate);
  folder_.write("bad.tsv", bytes_of(file("a.tsv")) + "no row\n");
  const Words convert{"convert", file("bad.tsv"), file("b.ovd"), "--max-ind-range", "1M"};
  EXPECT_TRUE(has(refused(convert, add_convert), "bad.tsv:51"));
  const Ran ran = run_words(with(convert, {"--max-bad-rows", "1"}), add_convert);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.err, "skipped 1 bad rows:\n  ")) << ran.err;
}

TEST_F(GenerateCommand, ANetworkSurvivesInfraGraph) {
  const std::string setup =
      folder_
          .write("star.yaml", "network: {topology: {star: {hosts: 3, wire: {rate: 7 Gbps, delay: 2 us}}}}\n")
          .string();
  const std::string yaml = printed({"generate", "infragraph", setup}, add_generate);
  EXPECT_TRUE(has(yaml, "{name: host, device: host, count: 3}")) << yaml;
  const std::string infra = folder_.write("infra.yaml", yaml).string();
  const std::string graph = printed({"import", "infragraph", infra}, add_import);
  EXPECT_TRUE(has(graph, "\nhosts 3\nswitches 1\n")) << graph;
  EXPECT_TRUE(has(graph, "7000000000 bps")) << graph;
  EXPECT_EQ(printed({"import", "infragraph", infra, "-o", file("g.txt")}, add_import), "");
  EXPECT_EQ(bytes_of(file("g.txt")), graph);
  EXPECT_TRUE(has(refused({"import", "infragraph", infra, "--bandwidth", "7"}, add_import),
                  "--bandwidth: \"7\" has no unit"));
  EXPECT_TRUE(has(refused({"import", "infragraph", infra, "--latency", "7"}, add_import),
                  "--latency: \"7\" has no unit"));
}

TEST_F(GenerateCommand, RotorsHaveNoInfraGraph) {
  EXPECT_EQ(refused({"generate", "infragraph", kExamples + "opera.yaml"}, add_generate),
            kExamples + "opera.yaml: network: InfraGraph cannot describe the circuits of rotors\n");
}

// Ring of four nodes, 100 bytes each, and 50 bytes twice elsewhere: four fifths are the ring's.
TEST_F(GenerateCommand, AnHtsimLogIsSummedUp) {
  const std::string log = folder_
                              .write("run.log",
                                     "FCT 0 1 100 0.5 0.1\nFCT 1 2 100 0.5 0.1\nFCT 2 3 100 0.5 0.1\n"
                                     "FCT 3 0 100 0.5 0.1\nFCT 0 1 50 0.5 0.100000\nFCT 0 2 50 0.5 0.1\n")
                              .string();
  const std::string text = printed({"import", "htsim-log", log, "-o", file("out")}, add_import);
  EXPECT_TRUE(has(text, "run.log      6      4")) << text;
  EXPECT_TRUE(has(text, "why: run.log: a ring all-reduce sends 0.8000 of the bytes")) << text;
  const Json summary = parse_json(bytes_of(folder_ / "out/summary.json"));
  EXPECT_DOUBLE_EQ(summary["logs"]["run.log"]["ring_share"].get<double>(), 0.8);
  EXPECT_EQ(bytes_of(folder_ / "out/sizes.csv"),
            "log,size_bytes,flows,to_next_node,is_ring,own_task\nrun.log,50,2,1,no,\nrun.log,100,4,4,yes,\n");
  EXPECT_EQ(refused({"import", "htsim-log", log, "--nodes", "-1"}, add_import),
            "--nodes: must be at least 1\n");
}

}  // namespace
}  // namespace overture::cli
