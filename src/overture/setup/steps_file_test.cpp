#include "overture/setup/steps_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "overture/base/testing.h"

namespace overture::setup {
namespace {

using system::CollectiveKind;

const std::string kPair = "step,from,to,chunk,action\n0,0,1,0,reduce\n1,1,0,0,copy\n";

std::string error_of(const std::string& text, CollectiveKind kind = CollectiveKind::all_reduce) {
  return user_error([&] { parse_steps(kind, text, "mine.csv"); });
}

TEST(StepsFile, ReadsWhoSendsWhichChunkToWhom) {
  const system::Steps steps = parse_steps(CollectiveKind::all_reduce, kPair, "mine.csv");
  EXPECT_EQ(steps.ranks, 2);
  EXPECT_EQ(steps.chunks, 1);
  ASSERT_EQ(steps.transfers.size(), 2U);
  EXPECT_TRUE(steps.transfers[0].reduce);
  EXPECT_FALSE(steps.transfers[1].reduce);
}

// Nobody sends what a rank has for itself, so the last chunks appear nowhere.
TEST(StepsFile, AnAllToAllNeedNotNameWhatStaysWithTheLastRank) {
  std::string text = "step,from,to,chunk,action\n";
  for (int from = 0; from < 3; ++from) {
    for (int to = 0; to < 3; ++to) {
      for (int piece = 0; piece < 2 && from != to; ++piece)
        text += fmt::format("0,{},{},{},copy\n", from, to, 2 * (3 * from + to) + piece);
    }
  }
  EXPECT_EQ(parse_steps(CollectiveKind::all_to_all, text, "mine.csv").chunks, 18);
  EXPECT_NE(error_of("step,from,to,chunk,action\n0,0,99999,1,copy\n", CollectiveKind::all_to_all), "");
}

TEST(StepsFile, ErrorsNameTheLineOrTheStep) {
  EXPECT_EQ(error_of("a,b\n").substr(0, 11), "mine.csv:1:");
  EXPECT_EQ(error_of("step,from,to,chunk,action\n0,0,1,0,add\n").substr(0, 11), "mine.csv:2:");
  EXPECT_EQ(error_of("step,from,to,chunk,action\n0,0,1,0,copy\n"),
            "mine.csv: is no all_reduce: step 0: rank 1 overwrites chunk 0 and loses rank 1's share of it");
  EXPECT_EQ(error_of("step,from,to,chunk,action\n0,0,1,0,reduce\n1,1,3,0,copy\n"),
            "mine.csv: names rank 3, but rank 2 neither sends nor receives\n"
            "  ranks are numbered from 0 without a gap");
  EXPECT_EQ(error_of(kPair, CollectiveKind::all_gather).substr(0, 28), "mine.csv: is no all_gather: ");
}

}  // namespace
}  // namespace overture::setup
