#include "overture/serve/run_list.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "overture/base/error.h"

namespace overture::serve {
namespace {

namespace fs = std::filesystem;

class RunList : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "runsXXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((folder_ / file).parent_path());
    std::ofstream(folder_ / file) << text;
  }
  RunEntry only(const std::string& path) const {
    const auto runs = list_runs(folder_);
    const auto found = std::ranges::find(runs, path, &RunEntry::path);
    return found == runs.end() ? RunEntry{} : *found;
  }
  fs::path folder_;
};

TEST_F(RunList, TellsWhatARunWasAboutWithItsUnit) {
  write("a/summary.json", R"({"name": "roce", "kind": "flows", "why": "links", "makespan_us": 2759.0})");
  write("b/c/summary.json", R"({"name": "m", "kind": "train", "loss": 0.5, "held_out": {"auc": 0.7512}})");
  EXPECT_EQ(only("a").headline, "makespan 2.759 ms");
  EXPECT_EQ(only("a").why, "links");
  EXPECT_EQ(only("b/c").headline, "AUC 0.7512");
  EXPECT_EQ(list_runs(folder_).size(), 2u);
}

TEST_F(RunList, EveryKindOfRunHasItsHeadline) {
  const std::pair<const char*, const char*> headlines[] = {
      {R"({"kind": "simulate", "iteration_us": 113.4})", "iteration 113.4 us"},
      {R"({"kind": "opera-dlrm cell", "iteration_ps": 698353904275})", "iteration 698.4 ms"},
      {R"({"kind": "train", "loss": 0.5})", "loss 0.50000"},
      {R"({"kind": "evaluate", "auc": 0.75})", "AUC 0.7500"},
      {R"({"kind": "bench collective", "busbw_GB_per_s": 11.31})", "busbw 11.31 GB/s"},
      {R"({"kind": "plan", "step_us": 3011.35})", "step 3.011 ms"},
      {R"({"kind": "astra2", "finished_us": 898.24})", "finished 898.2 us"},
      {R"({"kind": "codesign", "best_seconds_per_million": 0.02033})", "best 0.0203 s for a million samples"},
      {R"({"kind": "validate", "checks": 40, "failed": 2})", "2 of 40 checks failed"},
      {R"({"kind": "sweep", "points": 9, "finished": 4})", "4 of 9 done"},
      {R"({"kind": "study x", "cells": 5, "finished": 5})", "5 of 5 done"},
      {R"({"kind": "flows", "makespan_us": null, "flows": 31, "finished": 7})", "7 of 31 done"},
      {R"({"kind": "flows"})", ""}};
  int number = 0;
  for (const auto& [summary, headline] : headlines) {
    const std::string path = "r" + std::to_string(number++);
    write(path + "/summary.json", summary);
    EXPECT_EQ(only(path).headline, headline) << summary;
  }
}

TEST_F(RunList, KnowsPointsOfSweepsAndCellsOfStudies) {
  for (const char* path : {"sweep", "sweep/points/0001-ab", "study/cells/x", "points"})
    write(std::string(path) + "/summary.json", R"({"kind": "flows"})");
  EXPECT_FALSE(only("sweep").part);
  EXPECT_FALSE(only("points").part);
  EXPECT_TRUE(only("sweep/points/0001-ab").part);
  EXPECT_TRUE(only("study/cells/x").part);
}

TEST_F(RunList, IsTheSameAsJson) {
  write("a/summary.json", R"({"name": "odd \"name\"", "kind": "flows", "why": "<b>"})");
  const std::string text = runs_json(list_runs(folder_));
  EXPECT_NE(text.find(R"(odd \"name\")"), std::string::npos) << text;
  EXPECT_NE(text.find("\"path\""), std::string::npos) << text;
  EXPECT_EQ(list_runs(folder_ / "nowhere").size(), 0u);
}

TEST_F(RunList, ALargeSummaryIsNotOpened) {
  write("a/summary.json", R"({"name": ")" + std::string(17 << 20, 'x') + R"(", "kind": "flows"})");
  EXPECT_EQ(only("a").name, "");
}

TEST_F(RunList, KnowsWhatIsUnderWayAndWhatWasInterrupted) {
  write("now/progress.json", R"({"kind": "flows", "name": "n", "what": "flows", "done": 3, "total": 9})");
  write("cut/summary.json", R"({"name": "c", "kind": "flows", "complete": false})");
  EXPECT_EQ(only("now").state, RunState::running);
  EXPECT_EQ(only("now").progress, "flows 3 of 9");
  EXPECT_EQ(only("now").kind, "flows");
  EXPECT_EQ(only("cut").state, RunState::interrupted);
}

TEST_F(RunList, LeavesOutWhatIsNoRunAndSurvivesNonsense) {
  write("plain/notes.txt", "hello");
  write(".hidden/summary.json", "{}");
  write("bad/summary.json", "{{{{");
  write("odd/summary.json", R"({"name": 7, "kind": [], "makespan_us": 1e300})");
  fs::create_directory_symlink("/", folder_ / "link");
  const auto runs = list_runs(folder_);
  EXPECT_EQ(runs.size(), 2u);  // bad and odd are runs, though nobody can say which
  EXPECT_EQ(only("odd").headline, "");
}

TEST_F(RunList, TagsAreKeptBesideTheRun) {
  write("a/summary.json", R"({"name": "x", "kind": "flows"})");
  write_tags(folder_ / "a", {"best", "paper"});
  EXPECT_EQ(only("a").tags, (std::vector<std::string>{"best", "paper"}));
  EXPECT_THROW(write_tags(folder_ / "nothing", {"best"}), UserError);
}

}  // namespace
}  // namespace overture::serve
