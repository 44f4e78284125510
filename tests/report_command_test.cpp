// `overture report` and `overture compare` as a user runs them.
#include "program.h"
#include <gtest/gtest.h>

namespace overture::testing {
namespace {

namespace fs = std::filesystem;

const std::string kExample = (fs::path(OVERTURE_SOURCE_FOLDER) / "examples/dlrm-torus.yaml").string();

TEST(Report, IsMadeWithTheRunAndTheSameAgainFromItsFolder) {
  const TemporaryFolder folder;
  const Outcome run = run_overture({"simulate", kExample, "-o", "out"}, {.folder = folder.path()});
  ASSERT_EQ(run.exit_code, 0) << run.text();
  EXPECT_NE(run.out.find("report: out/report.html"), std::string::npos) << run.out;
  const std::string page = read_text(folder.path() / "out/report.html");
  fs::remove(folder.path() / "out/report.html");
  const Outcome again = run_overture({"report", "out"}, {.folder = folder.path()});
  ASSERT_EQ(again.exit_code, 0) << again.text();
  EXPECT_EQ(read_text(folder.path() / "out/report.html"), page);
}

TEST(Report, CanBeLeftOut) {
  const TemporaryFolder folder;
  const Outcome run =
      run_overture({"simulate", kExample, "-o", "out", "--no-report"}, {.folder = folder.path()});
  ASSERT_EQ(run.exit_code, 0) << run.text();
  EXPECT_FALSE(fs::exists(folder.path() / "out/report.html"));
}

TEST(Compare, TellsWhatChangedAndWhy) {
  const TemporaryFolder folder;
  run_overture({"simulate", kExample, "-o", "a"}, {.folder = folder.path()});
  run_overture({"simulate", kExample, "-s", "network.dimensions.0.size=8", "-o", "b"},
               {.folder = folder.path()});
  const Outcome outcome = run_overture({"compare", "a", "b", "-o", "both"}, {.folder = folder.path()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_NE(outcome.out.find("npus                         64       128  +100.0 %"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("network.dimensions.0.size  4  8"), std::string::npos) << outcome.out;
  EXPECT_TRUE(fs::exists(folder.path() / "both/report.html"));
}

TEST(Compare, ARunIsTheSameAsItself) {
  const TemporaryFolder folder;
  run_overture({"simulate", kExample, "-o", "a"}, {.folder = folder.path()});
  const Outcome outcome = run_overture({"compare", "a", "a"}, {.folder = folder.path()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_TRUE(outcome.out.starts_with("All numbers are the same.")) << outcome.out;
}

TEST(Report, BadInputGetsOneMessageAndExitCodeTwo) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "empty");
  folder.write("cut/summary.json", "{\"npus\": 6");
  folder.write("good/summary.json", "{\"npus\": 64}");
  for (const Words& arguments :
       {Words{"report"}, Words{"report", "missing"}, Words{"report", "empty"}, Words{"report", "cut"},
        Words{"compare"}, Words{"compare", "good"}, Words{"compare", "good", "empty"},
        Words{"compare", "good", "cut"}, Words{"compare", "good", "good", "-o", "good/summary.json"}}) {
    const Outcome outcome = run_overture(arguments, {.folder = folder.path()});
    EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
    EXPECT_TRUE(outcome.err.starts_with("error: ")) << outcome.text();
  }
}

}  // namespace
}  // namespace overture::testing
