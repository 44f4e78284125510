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
