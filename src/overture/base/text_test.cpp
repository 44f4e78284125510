#include "overture/base/text.h"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "overture/base/dollars.h"
#include "overture/base/printable.h"
#include "overture/base/table.h"
#include "overture/base/varint.h"

namespace overture {
namespace {

std::size_t longest_line(const std::string& text) {
  std::size_t most = 0;
  for (const std::string& line : split(text, '\n')) most = std::max(most, line.size());
  return most;
}

TEST(Wrap, BreaksAtBlanksAndIndentsWhatFollows) {
  EXPECT_EQ(wrap("one two three", 7, 0), "one two\nthree");
  EXPECT_EQ(wrap("one two three", 9, 2), "one two\n  three");
  EXPECT_EQ(wrap("", 10, 4), "");
  EXPECT_EQ(wrap("unbreakable", 4, 0), "unbreakable") << "a word stays whole";
}

TEST(Wrap, NoLineIsLongerThanTheWidthAndNoWordIsLost) {
  const std::string text = "routes are recomputed after a detection time and packets in flight are lost";
  for (std::size_t width = 12; width < 60; ++width) {
    std::string wrapped = wrap(text, width, 2);
    EXPECT_LE(longest_line(wrapped), width);
    for (std::size_t at = 0; (at = wrapped.find("\n  ", at)) != std::string::npos;)
      wrapped.replace(at, 3, " ");
    EXPECT_EQ(wrapped, text);
  }
}

TEST(Split, HasOneMorePartThanSeparators) {
  EXPECT_EQ(split("", ','), (std::vector<std::string>{""}));
  EXPECT_EQ(split(",a,,b,", ','), (std::vector<std::string>{"", "a", "", "b", ""}));
}

TEST(ParseCount, TakesLettersAndPowers) {
  EXPECT_EQ(parse_count("250").value(), 250);
  EXPECT_EQ(parse_count("64k").value(), 64'000);
  EXPECT_EQ(parse_count("1.1k").value(), 1100);
  EXPECT_EQ(parse_count("45.8M").value(), 45'800'000);
  EXPECT_EQ(parse_count("1e6").value(), 1'000'000);
  EXPECT_EQ(parse_count("0").value(), 0);
}

TEST(ParseCount, RefusesWhatIsNotAWholeNumberFromZeroUp) {
  for (const char* text :
       {"", "k", "-1", "1.5", "1.0001k", "12 k", "12kk", "1e16", "nan", "inf", "0x10", "1,000"})
    EXPECT_FALSE(parse_count(text)) << text;
}

TEST(Printable, ShowsControlCharactersAndLeavesTheRest) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(printable("tab\tnewline\n\x7f"), "tab\\x09newline\\x0a\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\x9b31m")
      << "U+009B begins a sequence, too";
  EXPECT_EQ(printable("10 \xc2\xb5s, na\xc3\xafve"), "10 \xc2\xb5s, na\xc3\xafve");
  EXPECT_EQ(printable("\xc2"), "\xc2") << "cut in the middle";
}

TEST(Table, CutsTheWidestColumnsToFitTheTerminal) {
  Table table({"name", "path"});
  table.add({"torus", "results/a-very-long-folder-name/with-another-one-in-it/summary.json"});
  const std::string text = table.text(40);
  EXPECT_LE(longest_line(text), 40u);
  EXPECT_NE(text.find("torus"), std::string::npos) << "short columns stay whole";
  EXPECT_NE(text.find(".."), std::string::npos);
  EXPECT_NE(text.find("summary.json"), std::string::npos) << "both ends of a cell are seen";
  EXPECT_GT(longest_line(table.text()), 60u) << "without a limit nothing is cut";
}

TEST(Table, ShowsNoControlCharacters) {
  Table table({"name"});
  table.add({"red\x1b[31m"});
  EXPECT_EQ(table.text().find('\x1b'), std::string::npos);
}

TEST(Dollars, AreReadBackAsTheyAreWritten) {
  for (const double amount : {0.0, 0.5, 1200.0, 1.0 / 3, 9.99e9})
    EXPECT_EQ(parse_dollars(exact(Dollars{amount})).value(), Dollars{amount}) << amount;
  EXPECT_EQ(to_string(Dollars{1234.5678}), "1235 $");
  EXPECT_EQ(parse_dollars("1200$").value(), Dollars{1200});
}

TEST(Dollars, NeedTheirUnitAndAreNotNegative) {
  for (const char* text : {"", "$", "1200", "1200 EUR", "-1 $", "nan $", "inf $", "12 $ 5", "$ 12"})
    EXPECT_FALSE(parse_dollars(text)) << text;
}

TEST(Varint, EveryNumberComesBackAndSmallOnesAreShort) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t number :
       {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, kMost / 3, kMost}) {
    std::string bytes;
    VarintWriter{bytes}(number);
    EXPECT_EQ(bytes.size() == 1, number < 128);
    VarintReader read(bytes);
    EXPECT_EQ(read(), number);
    EXPECT_TRUE(read.complete());
  }
  for (const std::int64_t number :
       {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max()}) {
    std::string bytes;
    VarintWriter(bytes).sign(number);
    EXPECT_EQ(VarintReader(bytes).sign(), number);
  }
}

TEST(Varint, WhatIsCutTooLongOrTooLargeIsNotOkAndStaysSo) {
  VarintReader cut("\x80");
  EXPECT_EQ(cut(), 0u);
  EXPECT_FALSE(cut.ok());
  VarintReader endless(std::string_view("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 12));
  EXPECT_EQ(endless(), 0u);
  EXPECT_FALSE(endless.ok());
  VarintReader large("\x05\x03");
  EXPECT_EQ(large(4), 0u);
  EXPECT_EQ(large(), 0u) << "nothing is read after a mistake";
  EXPECT_FALSE(large.ok());
}

TEST(Varint, ATextCannotClaimMoreThanThereIs) {
  std::string bytes;
  VarintWriter(bytes).text("abc");
  EXPECT_EQ(VarintReader(bytes).text(), "abc");
  VarintReader damaged(
      "\x7f"
      "abc");
  EXPECT_EQ(damaged.text(), "");
  EXPECT_FALSE(damaged.ok());
}

TEST(Split, JoinedAgainIsTheText) {
  for (const std::string text : {"", "a", ",", "a,b", ",,", "a,,b,", "no separator"}) {
    std::string joined;
    const auto parts = split(text, ',');
    for (std::size_t i = 0; i < parts.size(); ++i) joined += (i > 0 ? "," : "") + parts[i];
    EXPECT_EQ(joined, text);
  }
}

TEST(ParseCount, WhatIsWrittenWithALetterIsThatManyTimes) {
  for (const auto& [letter, factor] :
       {std::pair("", 1LL), {"k", 1000LL}, {"K", 1000LL}, {"M", 1'000'000LL}, {"G", 1'000'000'000LL}}) {
    for (const int number : {0, 1, 7, 250, 9999})
      EXPECT_EQ(parse_count(std::to_string(number) + letter).value(), number * factor) << number << letter;
  }
  EXPECT_EQ(parse_count("0.5k").value(), 500);
  EXPECT_EQ(parse_count("1e15").value(), 1'000'000'000'000'000);
  EXPECT_FALSE(parse_count("1.1e15")) << "more than is counted";
}

TEST(Table, ColumnsAreAsWideAsTheirWidestCell) {
  Table table({"a", "name"});
  EXPECT_TRUE(table.empty());
  table.add({"1", "x"});
  table.add({"100", "longer"});
  EXPECT_FALSE(table.empty());
  EXPECT_EQ(table.text(), "  a  name\n---  ------\n  1  x\n100  longer\n");
}

TEST(Table, AColumnWithAWordInItIsFlushLeft) {
  Table table({"what", "value"});
  table.add({"a", "1"});
  table.add({"b", "none"});
  EXPECT_EQ(table.text(), "what  value\n----  -----\na     1\nb     none\n");
}

TEST(Table, DashesSignsAndNothingCountAsNumbers) {
  Table table({"n"});
  for (const char* cell : {"-", "+1.0 %", "", "12 $"}) table.add({cell});
  EXPECT_EQ(table.text(), "     n\n------\n     -\n+1.0 %\n\n  12 $\n");
}

TEST(Table, WithoutRowsThereIsTheHead) { EXPECT_EQ(Table({"a", "b"}).text(), "a  b\n-  -\n"); }

// Whatever is in it: as many lines as rows and two more, and none longer than allowed while columns have
// eight letters to give.
TEST(Table, AnyCellsFitWhereThereIsRoom) {
  for (std::size_t columns = 1; columns <= 6; ++columns) {
    Table table(std::vector<std::string>(columns, "head"));
    for (std::size_t row = 0; row < 5; ++row) {
      std::vector<std::string> cells;
      for (std::size_t c = 0; c < columns; ++c) cells.emplace_back(row * 13 + c * 7, 'x');
      table.add(cells);
    }
    const std::string text = table.text(80);
    EXPECT_LE(longest_line(text), 80u) << text;
    EXPECT_EQ(split(text, '\n').size(), 5u + 2 + 1);
  }
}

TEST(Printable, LeavesUtf8AsItIs) {
  EXPECT_EQ(printable("größer ≥ 3 µs"), "größer ≥ 3 µs");
  EXPECT_EQ(printable("a\tb\nc"), "a\\x09b\\x0ac");
  EXPECT_EQ(printable("\xc2\x85"), "\\x85") << "a control character of two bytes";
  EXPECT_EQ(printable(std::string("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\xc2"), "\xc2") << "cut short";
}

TEST(WithCommas, StandBeforeEveryThirdDigit) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(1'234'567), "1,234,567");
  EXPECT_EQ(with_commas(-123), "-123");
  EXPECT_EQ(with_commas(-123'456), "-123,456");
}

TEST(WithCommas, TakenAwayGiveTheNumberBack) {
  for (std::int64_t number :
       {0LL, 7LL, 12LL, 123LL, 1234LL, 99'999LL, 100'000LL, 1'000'000LL, 987'654'321'012LL}) {
    for (const std::int64_t one : {number, -number}) {
      std::string text = with_commas(one);
      for (std::size_t comma = text.find(','); comma != std::string::npos; comma = text.find(',', comma + 1))
        EXPECT_EQ((text.size() - comma) % 4, 0u) << text;
      std::erase(text, ',');
      EXPECT_EQ(text, std::to_string(one));
    }
  }
}

}  // namespace
}  // namespace overture
