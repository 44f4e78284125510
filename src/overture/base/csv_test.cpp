#include "overture/base/csv.h"

#include <gtest/gtest.h>

#include "overture/base/random.h"
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

// Cells that need quotes, as a spreadsheet writes them.
std::string in_quotes(const std::string& cell) {
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

TEST(Csv, AnyCellsComeBackFromQuotes) {
  RandomStream random = RandomStreams(9).make("csv");
  constexpr std::string_view kLetters = "ab,\"\n x1";
  for (int round = 0; round < 300; ++round) {
    std::vector<Cells> rows;
    std::string text = "h\n";
    for (auto n = 1 + random.below(4); n > 0; --n) {
      Cells& row = rows.emplace_back();
      for (auto m = 1 + random.below(4); m > 0; --m) {
        std::string cell = "<";  // not empty, and no blank that would be trimmed
        for (auto k = random.below(6); k > 0; --k) cell += kLetters[random.below(kLetters.size())];
        row.push_back(cell + ">");
        text += (row.size() > 1 ? "," : "") + in_quotes(row.back());
      }
      text += random.below(2) == 0 ? "\n" : "\r\n";
    }
    const CsvTable table = parse_csv(text, "t.csv", "h");
    ASSERT_EQ(table.rows.size(), rows.size()) << text;
    for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(table.rows[i].cells, rows[i]) << text;
  }
}

TEST(Csv, LinesAreCountedThroughCellsThatHaveSeveral) {
  const CsvTable table = parse_csv("h\n\"a\n\n\nb\"\nc\n\nd", "t.csv", "h");
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0].line, 2);
  EXPECT_EQ(table.rows[1].line, 6);
  EXPECT_EQ(table.rows[2].line, 8);
}

TEST(Csv, EmptyCellsCountOnlyBeforeOthers) {
  const CsvTable table = parse_csv("a,b,c\n,x,\nx,,\n", "t.csv", "a,b,c");
  EXPECT_EQ(table.rows[0].cells, (Cells{"", "x"}));
  EXPECT_EQ(table.rows[1].cells, Cells{"x"});
}

TEST(Trimmed, TakesBlanksFromBothEnds) {
  EXPECT_EQ(trimmed(" \t a b \r"), "a b");
  EXPECT_EQ(trimmed(" \t\r"), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed("a"), "a");
}

TEST(WholeNumber, BothLimitsAreAllowed) {
  const Where where{.key = "n"};
  EXPECT_EQ(whole_number("-5", where, -5, 5), -5);
  EXPECT_EQ(whole_number("5", where, -5, 5), 5);
  EXPECT_EQ(user_error([&] { whole_number("-6", where, -5, 5); }), "n: -6 is out of range\n  from -5 to 5");
  for (const char* text : {"+5", " 5", "5 ", "0x5", "5.0", "1e1"})
    EXPECT_EQ(user_error([&] { whole_number(text, where, 0, 99); }),
              "n: \"" + std::string(text) + "\" is not a whole number");
}

}  // namespace
}  // namespace overture
