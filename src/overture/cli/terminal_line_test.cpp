#include "overture/cli/terminal_line.h"

#include <gtest/gtest.h>

namespace overture::cli {
namespace {

TEST(TerminalLine, PlainTextStaysAsItIs) {
  EXPECT_EQ(terminal_line("step 12 of 40\tloss 0.5"), "step 12 of 40\tloss 0.5");
  EXPECT_EQ(terminal_line("größer ≥"), "größer ≥");
  EXPECT_EQ(terminal_line(""), "");
}

TEST(TerminalLine, ShowsWhatWasWrittenLast) {
  EXPECT_EQ(terminal_line("step 1\rstep 2\rstep 3"), "step 3");
  EXPECT_EQ(terminal_line("results: out\r"), "results: out");
  EXPECT_EQ(terminal_line("step 3\r\x1b[K\rresults: out\r"), "results: out");
  EXPECT_EQ(terminal_line("\r\r"), "");
}

TEST(TerminalLine, CommandsToTheTerminalAreLeftOut) {
  EXPECT_EQ(terminal_line("\x1b[1;31merror:\x1b[0m no"), "error: no");
  EXPECT_EQ(terminal_line("\x1b]0;a title\aready"), "ready");
  EXPECT_EQ(terminal_line("\x1b]0;a title\x1b\\ready"), "ready");
  EXPECT_EQ(terminal_line("\x1b(Bready\b\x7f"), "Bready");
}

TEST(TerminalLine, ACommandThatIsCutShortEndsWithTheLine) {
  for (const char* cut : {"ready\x1b", "ready\x1b[", "ready\x1b[1;3", "ready\x1b]0;a tit"})
    EXPECT_EQ(terminal_line(cut), "ready") << cut;
}

}  // namespace
}  // namespace overture::cli
