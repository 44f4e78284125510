// The studies as a user runs them, on the smallest part of their matrix.
#include <set>

#include "program.h"
#include <gtest/gtest.h>

namespace overture::testing {
namespace {

namespace fs = std::filesystem;

const Words kSmall{"study", "opera-dlrm", "--nodes", "16", "--models", "I", "--variants", "baseline"};

Words small(const Words& more) {
  Words words = kSmall;
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(StudyOperaDlrm, WritesTablesFiguresAndAFolderPerCellAndGoesOnWhereItWas) {
  const TemporaryFolder folder;
  const Words words = small({"--as-published", "--networks", "fat-tree,opera", "-o", "results"});
  const Outcome first = run_overture(words, {.folder = folder.path()});
  ASSERT_EQ(first.exit_code, 0) << first.text();
  for (const std::string& line : lines_of(first.out)) EXPECT_LE(line.size(), 80u) << line;
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder.path() / "results"))
    files.insert(entry.path().filename());
  EXPECT_EQ(files, (std::set<std::string>{"cells", "matrix.csv", "report.html", "scaling-I.svg", "setup.yaml",
                                          "summary.json", "task-ends.svg", "traffic.svg"}));
  const fs::path cell = folder.path() / "results/cells/I.baseline.16.opera.dps.flow.published.1/summary.json";
  const auto written = fs::last_write_time(cell);
  const Outcome again = run_overture(words, {.folder = folder.path()});
  EXPECT_EQ(again.out, first.out);
  EXPECT_EQ(fs::last_write_time(cell), written);
}

TEST(StudyOperaDlrm, ExplainShowsEveryArtefact) {
  const TemporaryFolder folder;
  const Outcome outcome = run_overture({"study", "opera-dlrm", "--explain", "--nodes", "16", "--models", "A",
                                        "--variants", "embdim_40", "-o", "results"},
                                       {.folder = folder.path()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
  for (const std::string& line : lines_of(outcome.out)) EXPECT_LE(line.size(), 80u) << line;
  EXPECT_NE(outcome.out.find("without int64_embeddings"), std::string::npos);
  EXPECT_NE(outcome.out.find("sound: dps on both"), std::string::npos);
}

TEST(StudyOperaDlrm, ASweepNamesTheBestConfigurationAndGoesOnWhereItWas) {
  const TemporaryFolder folder;
  const Words words = small({"--sweep", "reconfiguration-us=1,10", "--sweep", "tables=16", "--all-reduces",
                             "dps", "-o", "results"});
  const Outcome first = run_overture(words, {.folder = folder.path()});
  ASSERT_EQ(first.exit_code, 0) << first.text();
  for (const std::string& line : lines_of(first.out)) EXPECT_LE(line.size(), 80u) << line;
  EXPECT_NE(first.out.find("opera dps reconfiguration-us=1\n"), std::string::npos) << first.out;
  const fs::path results = folder.path() / "results";
  EXPECT_TRUE(fs::exists(results / "sweep.csv"));
  const std::string summary = read_text(results / "summary.json");
  EXPECT_NE(summary.find("\"digest\": \""), std::string::npos) << summary;
  EXPECT_NE(summary.find("reconfiguration-us=1,10"), std::string::npos) << "in setup_yaml: " << summary;
  const fs::path cell =
      results / "cells/I.baseline.16.opera.dps.flow.sound.1.tables=16.reconfiguration-us=1/summary.json";
  const auto written = fs::last_write_time(cell);
  EXPECT_EQ(run_overture(words, {.folder = folder.path()}).out, first.out);
  EXPECT_EQ(fs::last_write_time(cell), written);
}

TEST(StudyOperaDlrm, BadInputGetsOneMessage) {
  for (const Words& words :
       {Words{"--backend", "ns3"}, Words{"--networks", "torus"}, Words{"--cell", "x"}, Words{"--seeds", "0"},
        Words{"--tables", "many"}, Words{"--sweep", "slice=10"}, Words{"--sweep", "slice-us"},
        Words{"--sweep", "auto", "--explain"}, Words{"--sweep", "batch=1"}}) {
    const Outcome outcome = run_overture(small(words));
    EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
    EXPECT_TRUE(outcome.text().find("error: ") != std::string::npos) << outcome.text();
  }
}

}  // namespace
}  // namespace overture::testing
