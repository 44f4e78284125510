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
  EXPECT_NE(outcome.out.find("npus                             64        128  +100.0 %"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("network.dimensions.0.size  4  8"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("why: iteration goes from "), std::string::npos) << outcome.out;
  for (const char* file : {"report.html", "summary.json", "setup.yaml", "compare.csv"})
    EXPECT_TRUE(fs::exists(folder.path() / "both" / file)) << file;
  const std::string summary = read_text(folder.path() / "both/summary.json");
  EXPECT_NE(summary.find("\"digest\": \""), std::string::npos) << summary;
  EXPECT_NE(summary.find("\"setup_yaml\": \"runs:"), std::string::npos) << summary;
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

const std::string kExamples = (fs::path(OVERTURE_SOURCE_FOLDER) / "examples").string() + "/";

// What every command leaves, whatever it does: the files, the head of the summary, a why and the report's
// path within 80 columns.
void expect_results(const Words& arguments, const Words& files) {
  const TemporaryFolder folder;
  const Outcome run = run_overture(arguments, {.folder = folder.path()});
  ASSERT_EQ(run.exit_code, 0) << run.text();
  const fs::path out = folder.path() / "out";
  for (const std::string& file : files) EXPECT_TRUE(fs::exists(out / file)) << file << run.text();
  const std::string summary = read_text(out / "summary.json");
  std::size_t at = 0;
  for (const char* key : {"\n  \"name\": ", "\n  \"overture\": ", "\n  \"kind\": ", "\n  \"seed\": ",
                          "\n  \"why\": \"", "\n  \"digest\": \"", "\n  \"setup_yaml\": \""}) {
    const std::size_t found = summary.find(key, at);
    ASSERT_NE(found, std::string::npos) << key << " in " << summary.substr(0, 400);
    at = found;
  }
  EXPECT_NE(run.out.find("why: "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("report: out/report.html\n"), std::string::npos) << run.out;
  for (const std::string& line : lines_of(run.out)) EXPECT_LE(line.size(), 80U) << line;
}

TEST(Results, HaveOneShapeWhateverTheCommand) {
  const Words all{"summary.json", "setup.yaml", "trace.json.gz", "report.html"};
  const auto with = [&](Words more) {
    more.insert(more.end(), all.begin(), all.end());
    return more;
  };
  expect_results({"simulate", kExample, "-o", "out"},
                 with({"layers.csv", "traffic.csv", "links.csv", "links_over_time.csv"}));
  expect_results({"flows", kExamples + "fat-tree.yaml", "-o", "out"},
                 with({"fct.csv", "links.csv", "links_over_time.csv", "hta/rank_0.json.gz"}));
  expect_results({"flows", kExamples + "opera.yaml", "-o", "out"},
                 with({"fct.csv", "schedule.csv", "links.csv", "links_over_time.csv"}));
  expect_results({"bench", "collective", kExample, "-b", "1K", "-e", "64K", "--results", "out"},
                 with({"collective.csv"}));
  expect_results({"train", "--synthetic", "kaggle", "--scale", "0.001", "--samples", "5000",
                  "--mini-batch-size", "256", "-o", "out"},
                 with({"metrics.jsonl", "miss_ratio.csv"}));
  expect_results({"sweep", kExamples + "bandwidth.yaml", "-o", "out"},
                 {"summary.json", "setup.yaml", "sweep.csv", "report.html"});
  expect_results(
      {"study", "opera-dlrm", "--variants", "baseline", "--models", "I", "--nodes", "16", "-o", "out"},
      {"summary.json", "setup.yaml", "matrix.csv", "report.html"});
  expect_results({"validate", "--golden", (fs::path(OVERTURE_TESTS_FOLDER) / "golden").string(), "-o", "out"},
                 {"summary.json", "setup.yaml", "validation.csv", "scoreboards.csv", "report.html"});
}

}  // namespace
}  // namespace overture::testing
