#include "overture/cli/progress.h"

#include <gtest/gtest.h>

namespace overture::cli {
namespace {

TEST(ProgressLine, ShowsShareRateAndWhatIsLeft) {
  EXPECT_EQ(Progress::line("sweep", {.done = 30}, 120, 2.5), "sweep 30/120 25%, 12.0/s, 8 s left");
  EXPECT_EQ(Progress::line("sweep", {.done = 120}, 120, 10), "sweep 120/120 100%, 12.0/s, 0 s left");
}

TEST(ProgressLine, WithoutATotalOrARateNothingIsEstimated) {
  EXPECT_EQ(Progress::line("read", {.done = 30}, 0, 2), "read 30, 15.0/s");
  EXPECT_EQ(Progress::line("preparing", {.done = 0}, 0, 2), "preparing, 2 s so far");
  EXPECT_EQ(Progress::line("read", {.done = 30'000, .share = 0.25}, 0, 2),
            "read 30000 25%, 15000/s, 6 s left");
  EXPECT_EQ(Progress::line("cells", {.done = 2}, 4, 8), "cells 2/4 50%, 4.0 s each, 8 s left");
  EXPECT_EQ(Progress::line("sweep", {.done = 0}, 120, 2), "sweep 0/120 0%, 2 s so far");
  EXPECT_EQ(Progress::line("sweep", {.done = 0}, 120, 0.5), "sweep 0/120 0%, 0.0/s");
  EXPECT_EQ(Progress::line("sweep", {.done = 5}, 120, 0), "sweep 5/120 4%, 0.0/s");
}

TEST(ProgressLine, MoreThanTheTotalIsStillAHundredPercent) {
  EXPECT_EQ(Progress::line("sweep", {.done = 150}, 120, 10), "sweep 150/120 100%, 15.0/s, 0 s left");
}

TEST(ProgressLine, LongTimesAreInMinutesAndHours) {
  EXPECT_EQ(Progress::line("s", {.done = 1}, 100, 1), "s 1/100 1%, 1.0/s, 99 s left");
  EXPECT_EQ(Progress::line("s", {.done = 1}, 121, 1), "s 1/121 0%, 1.0/s, 2 min left");
  EXPECT_EQ(Progress::line("s", {.done = 1}, 7201, 1), "s 1/7201 0%, 1.0/s, 2.0 h left");
}

TEST(ProgressLine, AShareThatIsKnownBetterThanByCountingGivesTheEstimate) {
  EXPECT_EQ(Progress::line("flows", {.done = 0, .share = 0.25, .note = "1.2 ms simulated"}, 64, 10),
            "flows 0/64 25%, 1.2 ms simulated, 30 s left");
  EXPECT_EQ(Progress::line("flows", {.done = 0, .share = 0, .note = "0 ps simulated"}, 64, 10),
            "flows 0/64 0%, 0 ps simulated")
      << "nothing is known yet";
}

TEST(ProgressLine, IsSilentWhereNobodyLooks) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  {
    Progress progress("sweep", 10, file);
    for (int i = 0; i < 10; ++i) progress.update(i);
    progress.finish();
  }
  EXPECT_EQ(std::ftell(file), 0);
  std::fclose(file);
}

}  // namespace
}  // namespace overture::cli
