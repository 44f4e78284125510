#include "overture/study/study_report.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "overture/base/files.h"
#include "overture/study/chart.h"

namespace overture::study {
namespace {

namespace fs = std::filesystem;

fs::path fresh_folder(const std::string& name) {
  const fs::path folder = fs::path(::testing::TempDir()) / name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

TEST(StudyReport, FilesOfAnEarlierRunDoNotStayBehind) {
  const fs::path folder = fresh_folder("study-report-files");
  write_file(folder / "mine.svg", "not the study's");
  write_study_report({.study = "x",
                      .figures = {{.file = "a.svg", .svg = "<svg/>", .title = "A"},
                                  {.file = "b.svg", .svg = "<svg/>", .title = "B"}},
                      .tables = {{"old.csv", "x\n1\n"}}},
                     folder);
  write_study_report({.study = "x", .figures = {{.file = "b.svg", .svg = "<svg></svg>", .title = "B"}}},
                     folder);
  EXPECT_FALSE(fs::exists(folder / "a.svg"));
  EXPECT_FALSE(fs::exists(folder / "old.csv"));
  EXPECT_EQ(read_file(folder / "b.svg"), "<svg></svg>");
  EXPECT_TRUE(fs::exists(folder / "mine.svg")) << "other files are left alone";
}

TEST(StudyReport, ADamagedListRemovesNothingOutsideOfTheFolder) {
  const fs::path folder = fresh_folder("study-report-outside");
  write_file(folder.parent_path() / "study-report-precious", "kept");
  write_file(folder / "study.json", R"({"files": ["../study-report-precious", 3]})");
  write_study_report({.study = "x"}, folder);
  EXPECT_TRUE(fs::exists(folder.parent_path() / "study-report-precious"));
}

TEST(StudyReport, TheScoreboardSaysWhatIsMetAndWhyNot) {
  const std::vector<Claim> claims{{.id = "P1",
                                   .text = "The first takes 3 us.",
                                   .published = "3 us",
                                   .ours = "3 us",
                                   .verdict = Verdict::met},
                                  {.id = "R10",
                                   .text = "The second is faster than the first.",
                                   .ours = "0.9",
                                   .verdict = Verdict::not_met,
                                   .why = "It is not, unless the buffer is larger than 32 MB."}};
  EXPECT_EQ(scoreboard(claims),
            "met      P1   The first takes 3 us.\n"
            "              published 3 us; ours 3 us\n"
            "not met  R10  The second is faster than the first.\n"
            "              ours 0.9\n"
            "              It is not, unless the buffer is larger than 32 MB.\n");
  EXPECT_EQ(score(claims), "1 of 2 claims are met, 1 is not.");
}

TEST(StudyReport, ACellLinksToItsPageOrItsNumbers) {
  const fs::path folder = fresh_folder("study-report-cells");
  fs::create_directories(folder / "cells/a");
  write_file(folder / "cells/a/summary.json", "{}");
  write_study_report(
      {.study = "x", .cells = {{.name = "a", .folder = "cells/a"}, {.name = "b", .folder = "cells/b"}}},
      folder);
  const std::string text = read_file(folder / "study.json");
  EXPECT_NE(text.find("\"link\": \"cells/a/summary.json\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"link\": \"\""), std::string::npos) << text;
}

TEST(ColumnChart, ShowsEveryGroupHoweverMany) {
  ColumnChart chart{.title = "Layers", .x = "layer", .y = "us", .stacked = true};
  ColumnSeries series{.name = "compute", .colour = colour(0)};
  for (int i = 0; i < 54; ++i) {
    chart.groups.push_back("a layer with a long name " + std::to_string(i));
    series.values.push_back(i + 1);
  }
  chart.series.push_back(series);
  const std::string svg = to_svg(chart);
  for (int i = 0; i < 54; ++i)
    EXPECT_NE(svg.find("name " + std::to_string(i) + ", compute: "), std::string::npos) << i;
}

}  // namespace
}  // namespace overture::study
