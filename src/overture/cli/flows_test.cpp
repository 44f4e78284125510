// `overture flows` and what is done with the folders that it leaves: compare, runs, tag.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "overture/base/json.h"
#include "overture/base/text.h"
#include "overture/cli/commands.h"
#include "overture/cli/testing.h"

namespace overture::cli {
namespace {

// Four hosts on a switch of 10 Gbps; 1,000,000 bytes of each to the next take 800 us and a bit.
constexpr const char* kStar = R"(name: star of four
network:
  backend: flow
  topology: {star: {hosts: 4, wire: {rate: 10 Gbps, delay: 0 ns}}}
traffic: {pattern: ring, size: 1 MB}
)";

class FlowsCommand : public ::testing::Test {
 protected:
  std::string out(const std::string& name) const { return (folder_ / name).string(); }
  Ran flows(Words more, const std::string& name = "run") const {
    Words words{"flows", setup_, "--no-report", "--no-why", "-o", out(name)};
    words.insert(words.end(), more.begin(), more.end());
    return run_words(words, add_flows);
  }
  Json summary(const std::string& name = "run") const {
    return parse_json(bytes_of(folder_ / (name + "/summary.json")));
  }

  TestFolder folder_;
  std::string setup_ = folder_.write("star.yaml", kStar).string();
};

TEST_F(FlowsCommand, PrintsWhatBecameOfTheFlows) {
  const Ran ran = flows({});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out.rfind("star of four: 4 hosts, 4 flows, 4 finished\n\nwhat ", 0), 0u) << ran.out;
  EXPECT_TRUE(has(ran.out, "makespan")) << ran.out;
  EXPECT_TRUE(has(ran.out, "results: " + out("run") + "\n")) << ran.out;
  EXPECT_FALSE(has(ran.out, "report: ")) << ran.out;
  for (const std::string& line : split(ran.out, '\n')) EXPECT_LE(line.size(), 120u) << line;
}

TEST_F(FlowsCommand, TheSummaryHasTheNumbers) {
  ASSERT_EQ(flows({}).code, 0);
  const Json json = summary();
  EXPECT_EQ(json["kind"], "flows");
  EXPECT_EQ(json["hosts"], 4);
  EXPECT_EQ(json["finished"], 4);
  EXPECT_NEAR(json["makespan_us"].get<double>(), 800, 1);
}

TEST_F(FlowsCommand, JsonIsTheSummaryAndNothingElse) {
  const Ran ran = flows({"--json"});
  EXPECT_EQ(parse_json(ran.out), summary());
}

TEST_F(FlowsCommand, AnErrorWithJsonIsJsonToo) {
  const Ran ran = flows({"--json", "--max-sim-time", "5"});
  EXPECT_EQ(ran.code, 2);
  const Json json = parse_json(ran.out);
  EXPECT_EQ(json["exit_code"], 2);
  EXPECT_EQ(json["error"].get<std::string>().rfind("--max-sim-time: \"5\" has no unit", 0), 0u);
}

TEST_F(FlowsCommand, ARunThatIsCutShortIsUnfinishedAndSaysSo) {
  const Ran ran = flows({"--max-sim-time", "100 us"});
  EXPECT_EQ(ran.code, kUnfinished);
  EXPECT_TRUE(has(ran.out, "note: 4 of 4 flows did not finish\n")) << ran.out;
}

TEST_F(FlowsCommand, AListOfFlowsTakesThePlaceOfTheTraffic) {
  const std::string list =
      folder_.write("f.csv", "src,dst,bytes,start_ns\n0,1,1000,0\n2,3,2000,5\n").string();
  const Ran ran = flows({"--flows", list});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.out, "4 hosts, 2 flows, 2 finished")) << ran.out;
  EXPECT_TRUE(has(bytes_of(folder_ / "run/setup.yaml"), "# flows: " + list));
}

TEST_F(FlowsCommand, CompletionTimesGoWhereTheyAreWanted) {
  ASSERT_EQ(flows({"--csv", out("times.csv")}).code, 0);
  EXPECT_EQ(split(bytes_of(folder_ / "times.csv"), '\n').size(), 6u);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run/fct.csv"));
}

TEST_F(FlowsCommand, LimitsMustMakeSense) {
  EXPECT_TRUE(has(flows({"--max-wall", "-1"}).err, "--max-wall: must not be negative"));
  EXPECT_TRUE(has(flows({"--max-memory", "much"}).err, "--max-memory: \"much\" is not a quantity"));
}

TEST_F(FlowsCommand, TheBackendMayBeChosenOnTheCommandLine) {
  EXPECT_EQ(flows({"--backend", "packet"}).code, 0);
  EXPECT_TRUE(has(flows({"--backend", "paket"}, "other").err, "did you mean \"packet\"?"));
}

TEST_F(FlowsCommand, AFolderOfAnotherRunIsNotReplacedUnasked) {
  ASSERT_EQ(flows({}).code, 0);
  EXPECT_EQ(flows({}).code, 0) << "the same run may be repeated";
  const Ran other = flows({"-s", "traffic.size=2 MB"});
  EXPECT_EQ(other.code, 2);
  EXPECT_TRUE(has(other.err, "--overwrite")) << other.err;
  EXPECT_EQ(flows({"-s", "traffic.size=2 MB", "--overwrite"}).code, 0);
}

TEST_F(FlowsCommand, WhatWasTriedIsPrintedAsAReason) {
  Words words{"flows", setup_, "--no-report", "-o", out("why")};
  const std::string text = printed(words, add_flows);
  EXPECT_TRUE(has(text, "\nwhy: ")) << text;
  EXPECT_TRUE(has(text, "network.topology.star.wire.rate=20.00")) << text;
}

TEST_F(FlowsCommand, CompareShowsWhatDiffersAndWhy) {
  ASSERT_EQ(flows({}, "one").code, 0);
  ASSERT_EQ(flows({"-s", "traffic.size=2 MB"}, "two").code, 0);
  const std::string text =
      printed({"compare", out("one"), out("two"), "--no-report", "-o", out("compared")}, add_compare);
  EXPECT_TRUE(has(text, "what")) << text;
  EXPECT_TRUE(has(text, "+100.0 %")) << text;
  EXPECT_TRUE(has(text, "traffic.size  1 MB  2 MB") || has(text, "traffic.size")) << text;
  EXPECT_TRUE(has(text, "same in all: ")) << text;
  EXPECT_TRUE(has(text, "\nwhy: makespan goes from 800")) << text;
  const auto csv = split(bytes_of(folder_ / "compared/compare.csv"), '\n');
  EXPECT_EQ(csv[0], "what,one,two,change of one,change of two");
}

TEST_F(FlowsCommand, ARunIsTheSameAsItself) {
  ASSERT_EQ(flows({}, "one").code, 0);
  const std::string text =
      printed({"compare", out("one"), out("one"), "--no-report", "-o", out("compared")}, add_compare);
  EXPECT_TRUE(has(text, "All numbers are the same.\n")) << text;
  EXPECT_TRUE(has(text, "\nwhy: all numbers are the same\n")) << text;
}

TEST_F(FlowsCommand, CompareNeedsTwoFoldersWithResults) {
  EXPECT_TRUE(has(
      refused({"compare", out("one")}, add_compare),
      "folders: a comparison needs two results folders at least\n  overture compare results/a results/b\n"));
  EXPECT_TRUE(has(refused({"compare", out("one"), out("two"), "-o", out("c")}, add_compare),
                  out("one") + ": has no summary.json\n  give the folders that commands wrote"));
}

TEST_F(FlowsCommand, RunsListsWhatIsInAFolder) {
  ASSERT_EQ(flows({}, "results/one").code, 0);
  ASSERT_EQ(flows({"--max-sim-time", "100 us"}, "results/two").code, kUnfinished);
  const std::string text = printed({"runs", out("results")}, add_runs);
  EXPECT_TRUE(has(text, "2 of 2 runs in " + out("results") + "\n")) << text;
  EXPECT_TRUE(has(text, "one")) << text;
  EXPECT_TRUE(has(printed({"runs", out("results"), "--search", "ONE"}, add_runs), "1 of 2 runs"));
  EXPECT_TRUE(has(printed({"runs", out("results"), "--kind", "train"}, add_runs), "0 of 2 runs"));
  EXPECT_TRUE(has(printed({"runs", out("results"), "--kind", "fl"}, add_runs), "2 of 2 runs"));
  EXPECT_TRUE(has(printed({"runs", out("results"), "-n", "1"}, add_runs), "1 of 2 runs"));
  EXPECT_TRUE(has(printed({"runs", out("results"), "-n", "0"}, add_runs), "0 of 2 runs"));
}

TEST_F(FlowsCommand, RunsAreSortedAsAsked) {
  ASSERT_EQ(flows({}, "results/a").code, 0);
  ASSERT_EQ(flows({}, "results/b").code, 0);
  const std::string text = printed({"runs", out("results"), "--sort", "path"}, add_runs);
  EXPECT_LT(text.find(" a "), text.find(" b ")) << text;
  EXPECT_EQ(refused({"runs", out("results"), "--sort", "size"}, add_runs),
            "--sort: unknown column \"size\"\n  did you mean \"time\"? known: time, name, kind, path\n");
  EXPECT_EQ(refused({"runs", out("nowhere")}, add_runs),
            out("nowhere") + ": is not a folder\n  name the folder that holds your results\n");
}

TEST_F(FlowsCommand, TagsAreFoundAgainAndGoAway) {
  ASSERT_EQ(flows({}, "results/one").code, 0);
  const std::string run = out("results/one");
  EXPECT_EQ(printed({"tag", run, "best", "baseline"}, add_runs), run + ": best, baseline\n");
  EXPECT_EQ(printed({"tag", run, "best"}, add_runs), run + ": baseline, best\n")
      << "once each, the newest last";
  EXPECT_TRUE(has(printed({"runs", out("results"), "--tag", "best"}, add_runs), "1 of 1 runs"));
  EXPECT_TRUE(has(printed({"runs", out("results"), "--tag", "bes"}, add_runs), "0 of 1 runs"));
  EXPECT_EQ(printed({"tag", run, "best", "baseline", "--remove"}, add_runs), run + ": no tags\n");
  EXPECT_EQ(refused({"tag", run, "a,b"}, add_runs),
            "tags: \"a,b\" is not a tag\n  one word, without commas\n");
}

TEST_F(FlowsCommand, TagsAreOfRuns) {
  EXPECT_TRUE(has(refused({"tag", out("nowhere"), "best"}, add_runs), out("nowhere")));
}

}  // namespace
}  // namespace overture::cli
