#include "overture/report/csv_grid.h"

#include <gtest/gtest.h>

namespace overture::report {
namespace {

TEST(CsvGrid, WritingPutsTextInFrontOfWhatIsThere) {
  CsvGrid grid(2, 3);
  grid.insert(0, 1, "b");
  grid.insert(0, 1, "a");
  EXPECT_EQ(grid.text(), ",ab,\n,,\n");
}

TEST(CsvGrid, ParsingGivesTheSameGridBack) {
  const std::string text = "a,,b\n,,\n";
  EXPECT_EQ(CsvGrid::parse(text).text(), text);
}

TEST(CsvGrid, GrowsWhereItMust) {
  CsvGrid grid(1, 1);
  grid.insert(1, 1, "x");
  EXPECT_EQ(grid.text(), "\n,x\n");
}

TEST(CsvCell, QuotesWhatWouldBreakTheRow) {
  EXPECT_EQ(csv_cell("plain"), "plain");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"hi\""), "\"say \"\"hi\"\"\"");
}

TEST(CsvCell, NoSpreadsheetRunsIt) {
  EXPECT_EQ(csv_cell("=1+1"), "\"'=1+1\"");
  EXPECT_EQ(csv_cell("@SUM(A1)"), "\"'@SUM(A1)\"");
  EXPECT_EQ(csv_cell("-2+cmd|' /C calc'!A0"), "\"'-2+cmd|' /C calc'!A0\"");
  EXPECT_EQ(csv_cell("+A1"), "\"'+A1\"");
  EXPECT_EQ(csv_cell("-3.5"), "-3.5");
  EXPECT_EQ(csv_cell("+12.5 %"), "+12.5 %");
  EXPECT_EQ(csv_cell("-"), "-");
  EXPECT_EQ(csv_cell("a=b"), "a=b");
}

}  // namespace
}  // namespace overture::report
