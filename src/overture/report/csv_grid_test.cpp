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

}  // namespace
}  // namespace overture::report
