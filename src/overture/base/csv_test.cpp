#include "overture/base/csv.h"

#include <gtest/gtest.h>

#include "overture/base/testing.h"

namespace overture {
namespace {

using Cells = std::vector<std::string>;

TEST(Csv, TrimsCellsAndSkipsBlankLinesButCountsThem) {
  const CsvTable table = parse_csv("\xEF\xBB\xBFname, size\r\n , ,\r\n a b ,\t3 ,\r\n", "t.csv", "name,size");
  EXPECT_EQ(table.header.cells, (Cells{"name", "size"}));
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0].cells, (Cells{"a b", "3"}));
  EXPECT_EQ(table.where(table.rows[0], "size").text(), "t.csv:3: size");
}

TEST(Csv, AnEmptyFileIsAnErrorThatTellsTheHeader) {
  EXPECT_EQ(user_error([] { parse_csv("\n \n", "t.csv", "name,size"); }),
            "t.csv: is empty\n  the first line is name,size");
}

TEST(WholeNumber, RefusesWhatIsNoneOrOutOfRange) {
  const Where where{.file = "t.csv", .line = 2, .key = "m"};
  EXPECT_EQ(whole_number("12", where, 1, 12), 12);
  EXPECT_EQ(user_error([&] { whole_number("1.5", where, 1, 9); }),
            "t.csv:2: m: \"1.5\" is not a whole number");
  EXPECT_EQ(user_error([&] { whole_number("", where, 1, 9); }), "t.csv:2: m: \"\" is not a whole number");
  EXPECT_EQ(user_error([&] { whole_number("0", where, 1, 9); }),
            "t.csv:2: m: 0 is out of range\n  from 1 to 9");
  EXPECT_EQ(user_error([&] { whole_number("99999999999999999999", where, 1, 9); }),
            "t.csv:2: m: 99999999999999999999 is out of range\n  from 1 to 9");
}

TEST(Csv, QuotedCellsKeepCommasAndLineBreaks) {
  const CsvTable table =
      parse_csv("name,size\n\"a, b\",1\n\"two\nlines\",2\nplain,3\n", "t.csv", "name,size");
  ASSERT_EQ(table.rows.size(), 3);
  EXPECT_EQ(table.rows[0].cells, (std::vector<std::string>{"a, b", "1"}));
  EXPECT_EQ(table.rows[1].cells[0], "two\nlines");
  EXPECT_EQ(table.rows[2].line, 5);
}

TEST(Csv, AQuoteThatNobodyClosesIsToldWithItsLine) {
  EXPECT_EQ(user_error([] { parse_csv("name\nfine\n\"open\nmore\n", "t.csv", "name"); }),
            "t.csv:3: a quote is not closed");
}

TEST(Csv, ADoubledQuoteIsAQuote) {
  std::string_view text = "\"say \"\"hi\"\"\",2\r\nnext";
  EXPECT_EQ(take_csv_record(text), (std::vector<std::string>{"say \"hi\"", "2"}));
  EXPECT_EQ(text, "next");
}

}  // namespace
}  // namespace overture
