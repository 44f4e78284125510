#include "overture/report/results_folder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "overture/base/json.h"
#include "overture/base/testing.h"
#include "overture/base/testing_folder.h"
#include "overture/base/version.h"
#include "overture/report/page_compare.h"

namespace overture::report {
namespace {

TEST(SummaryHead, BeginsWithTheSameKeysWhateverTheCommand) {
  const Json head = summary_head({.kind = "flows", .name = "n", .seed = 7, .why = "because"});
  std::vector<std::string> keys;
  for (const auto& [key, value] : head.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"name", "overture", "kind", "seed", "why"}));
  EXPECT_EQ(head["seed"], 7);
  EXPECT_EQ(head["overture"], version_text());
}

TEST(SummaryHead, WithoutRandomChoicesTheSeedIsNull) {
  EXPECT_TRUE(summary_head({.kind = "compare", .name = "n", .why = ""})["seed"].is_null());
}

TEST(WriteSummary, LeavesTheSetupAndTheSummaryThatNamesIt) {
  const TestFolder folder;
  Digest digest;
  digest.add(std::int64_t{5});
  write_summary(Json{{"kind", "flows"}}, digest, "a: 1\n", folder.path());
  EXPECT_EQ(bytes_of(folder / "setup.yaml"), "a: 1\n");
  const Json summary = parse_json(bytes_of(folder / "summary.json"));
  EXPECT_EQ(summary["setup_yaml"], "a: 1\n");
  EXPECT_EQ(summary["digest"], digest.text());
}

TEST(SummaryText, WhatIsNotUtf8IsReplaced) {
  EXPECT_EQ(summary_text(Json{{"name", "\xff"}}), "{\n  \"name\": \"\xef\xbf\xbd\"\n}\n");
}

class ClaimedFolder : public ::testing::Test {
 protected:
  std::string claim(const std::string& kind, std::optional<std::string> yaml, bool overwrite = false) const {
    return user_error([&] {
      claim_results_folder(folder_ / "run", {.kind = kind, .setup_yaml = yaml, .overwrite = overwrite});
    });
  }
  std::string run() const { return (folder_ / "run").string(); }
  TestFolder folder_;
};

TEST_F(ClaimedFolder, IsMadeWithTheFoldersOnTheWay) {
  EXPECT_EQ(user_error([&] { claim_results_folder(folder_ / "a/b/c", {.kind = "flows", .setup_yaml = {}}); }),
            "");
  EXPECT_TRUE(std::filesystem::is_directory(folder_ / "a/b/c"));
}

TEST_F(ClaimedFolder, OfAnotherRunIsRefusedWithAFreeName) {
  folder_.write("run/summary.json", R"({"kind": "flows", "name": "star", "setup_yaml": "a: 1\n"})");
  EXPECT_EQ(claim("train", "a: 1\n"),
            run() + ": holds a run of `overture flows` (\"star\")\n  name another folder, such as -o " +
                run() + "-2, or replace the run with --overwrite");
  std::filesystem::create_directories(folder_ / "run-2");
  EXPECT_EQ(claim("flows", "a: 2\n"),
            run() + ": holds a run of another setup (\"star\")\n  name another folder, such as -o " + run() +
                "-3, or replace the run with --overwrite");
  EXPECT_EQ(claim("flows", std::nullopt), "") << "a run of any setup may be replaced";
}

TEST_F(ClaimedFolder, WhereATrainingHasBegunIsATraining) {
  folder_.write("run/metrics.jsonl", "");
  EXPECT_EQ(claim("flows", "a: 1\n").rfind(run() + ": holds a run of `overture train`\n", 0), 0u);
  EXPECT_EQ(claim("train", std::nullopt), "");
}

TEST_F(ClaimedFolder, FilesThatAreNoResultsAreNobodysRun) {
  folder_.write("run/notes.txt", "mine");
  EXPECT_EQ(claim("flows", "a: 1\n"), "");
}

TEST_F(ClaimedFolder, AFileOfTheUserThatIsCalledAsAResultIsNotReplaced) {
  folder_.write("run/setup.yaml", "a: 1  # with a remark\n");
  EXPECT_EQ(claim("flows", "a: 1\n"),
            run() +
                ": holds a file setup.yaml that is not of a run, and results may replace it\n  name another "
                "folder, such as -o " +
                run() + "-2, or replace it with --overwrite");
  EXPECT_EQ(claim("flows", "a: 1\n", true), "");
}

TEST_F(ClaimedFolder, WhereTheUserIsNoNameIsMadeOfADot) {
  folder_.write("run/setup.yaml", "");
  const std::string here = (folder_ / "run/.").string();
  EXPECT_EQ(user_error([&] { claim_results_folder(here, {.kind = "flows", .setup_yaml = "a"}); }),
            here +
                ": holds a file setup.yaml that is not of a run, and results may replace it\n  name another "
                "folder, such as -o " +
                run() + "-2, or replace it with --overwrite");
}

// All that commands write: what one left behind would be shown as another's.
TEST_F(ClaimedFolder, AnOverwrittenRunLeavesNothingOfItselfAndAllThatIsTheUsers) {
  const std::vector<std::string> results{"summary.json",
                                         "setup.yaml",
                                         "report.html",
                                         "trace.json.gz",
                                         "layers.csv",
                                         "dimensions.csv",
                                         "traffic.csv",
                                         "links.csv",
                                         "links_over_time.csv",
                                         "fct.csv",
                                         "fct_distribution.csv",
                                         "schedule.csv",
                                         "tasks.csv",
                                         "flows.csv",
                                         "metrics.jsonl",
                                         "miss_ratio.csv",
                                         "collective.csv",
                                         "matrix.csv",
                                         "sweep.csv",
                                         "compare.csv",
                                         "roc.csv",
                                         "calibration.csv",
                                         "ids.bin",
                                         "faults.csv",
                                         "plan.csv",
                                         "plans.csv",
                                         "planned.yaml",
                                         "machine.yaml",
                                         "residuals.csv",
                                         "checkpoints/step-1/manifest.json",
                                         "hta/rank_0.json.gz",
                                         "recording/party-0",
                                         "tensorboard/events"};
  for (const std::string& file : results) folder_.write("run/" + file, "x");
  folder_.write("run/summary.json", R"({"kind": "flows", "setup_yaml": "a: 1\n"})");
  folder_.write("run/notes.txt", "mine");
  folder_.write("run/points/1/summary.json", "{}");
  EXPECT_EQ(claim("train", "a: 2\n", true), "");
  for (const std::string& file : results)
    EXPECT_FALSE(std::filesystem::exists(folder_ / ("run/" + file))) << file;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "run/notes.txt"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "run/points/1/summary.json"));
}

TEST_F(ClaimedFolder, TheSameRunAgainKeepsWhatIsThere) {
  folder_.write("run/summary.json", R"({"kind": "flows", "setup_yaml": "a: 1\n"})");
  EXPECT_EQ(claim("flows", "a: 1\n", true), "");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "run/summary.json"));
}

class ComparedRuns : public ::testing::Test {
 protected:
  std::filesystem::path run(const std::string& name, const std::string& json) const {
    return folder_.write(name + "/summary.json", json).parent_path();
  }
  TestFolder folder_;
};

TEST_F(ComparedRuns, UnitsComeFromTheEndsOfNames) {
  const Comparison all = compare_runs(
      {run("a",
           R"({"iteration_us": 1500, "evaluation_seconds": 2.5, "table_bytes": 2048, "busy_percent": 12.345,
                    "network_cost_dollars": 1234.5, "events": 7, "name": "x"})"),
       run("b", R"({"iteration_us": 3000, "evaluation_seconds": 2.5, "table_bytes": 1024, "busy_percent": 0,
                    "network_cost_dollars": 0, "events": 7})")});
  std::vector<std::string> told;
  for (const ComparedNumber& one : all.numbers)
    told.push_back(one.what + ": " + one.values[0] + ", " + one.values[1] + ", " + one.changes[1]);
  EXPECT_EQ(told, (std::vector<std::string>{
                      "iteration: 1.500 ms, 3.000 ms, +100.0 %", "evaluation: 2.500 s, 2.500 s, ",
                      "table: 2.000 KiB, 1.000 KiB, -50.0 %", "busy: 12.35 %, 0.00 %, -100.0 %",
                      "network cost: 1234 $, 0 $, -100.0 %", "events: 7, 7, "}));
}

TEST_F(ComparedRuns, HowGoodAModelIsComesFirst) {
  const std::string json =
      R"({"steps": 5, "held_out": {"auc": 0.75, "log_loss": 0.5}, "best": {"auc": 0.8, "steps": 3}})";
  const Comparison all = compare_runs({run("a", json), run("b", json)});
  ASSERT_EQ(all.numbers.size(), 5u);
  EXPECT_EQ(all.numbers[0].what, "held-out AUC");
  EXPECT_EQ(all.numbers[1].what, "held-out log loss");
  EXPECT_EQ(all.numbers.back().what, "steps");
}

TEST_F(ComparedRuns, ANumberThatOneRunLacksIsADashAndThatOfOneRunAloneIsLeftOut) {
  const Comparison all =
      compare_runs({run("a", R"({"drops": 0, "alone": 1})"), run("b", R"({})"), run("c", R"({"drops": 5})")});
  ASSERT_EQ(all.numbers.size(), 1u);
  EXPECT_EQ(all.numbers[0].values, (std::vector<std::string>{"0", "-", "5"}));
  EXPECT_EQ(all.numbers[0].changes, (std::vector<std::string>{"", "", "new"}));
  EXPECT_FALSE(all.numbers[0].same);
}

TEST_F(ComparedRuns, WhatIsNoRunIsNamed) {
  const auto empty = folder_ / "empty";
  EXPECT_EQ(user_error([&] { compare_runs({empty}); }),
            empty.string() +
                ": has no summary.json\n  give the folders that commands wrote, such as results/dlrm-torus");
  const auto broken = run("broken", "[1]");
  EXPECT_EQ(user_error([&] { compare_runs({broken}); }),
            (broken / "summary.json").string() + ": is not a JSON object");
}

TEST(RunLabels, AreAsShortAsTellsThemApart) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(run_labels({"r/a", "r/b"}), (Words{"a", "b"}));
  EXPECT_EQ(run_labels({"x/run", "y/run"}), (Words{"x/run", "y/run"}));
  EXPECT_EQ(run_labels({"r/a/", "r/b"}), (Words{"a", "b"}));
  EXPECT_EQ(run_labels({"r/a", "r/a"}).size(), 2u) << "the same folder twice";
}

}  // namespace
}  // namespace overture::report
