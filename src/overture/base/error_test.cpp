#include "overture/base/error.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/base/testing.h"

namespace overture {
namespace {

using Words = std::vector<std::string>;

TEST(Where, PartsThatMakeNoSenseStayAway) {
  EXPECT_EQ(Where{}.text(), "");
  EXPECT_EQ((Where{.file = "a.yaml"}).text(), "a.yaml");
  EXPECT_EQ((Where{.file = "a.yaml", .line = 3}).text(), "a.yaml:3");
  EXPECT_EQ((Where{.line = 3}).text(), "line 3");
  EXPECT_EQ((Where{.key = "seed"}).text(), "seed");
  EXPECT_EQ((Where{.file = "a.yaml", .line = 3, .key = "seed"}).text(), "a.yaml:3: seed");
  EXPECT_EQ((Where{.file = "a.yaml", .key = "seed"}).text(), "a.yaml: seed");
}

TEST(UserErrorText, TheHintStandsOnALineOfItsOwn) {
  EXPECT_STREQ(UserError("is wrong").what(), "is wrong");
  EXPECT_STREQ(UserError("is wrong", "mend it").what(), "is wrong\n  mend it");
  EXPECT_STREQ(UserError({.file = "a"}, "is wrong", "mend it").what(), "a: is wrong\n  mend it");
}

TEST(UserErrorText, WordsOfAUserStayOnOneLineAndAreNotEndless) {
  EXPECT_STREQ(UserError("\"a\nb\x1b[31m\" is wrong").what(), "\"a?b?[31m\" is wrong");
  EXPECT_EQ(std::string(UserError(std::string(1000, 'x')).what()), std::string(400, 'x') + "...");
  EXPECT_EQ(std::string(UserError({.file = std::string(500, 'f')}, "is wrong").what()),
            std::string(400, 'f') + "...: is wrong");
}

TEST(UserErrorAt, AddsWhereItCameAboutAndKeepsTheHint) {
  EXPECT_STREQ(at({.file = "a.yaml"}, UserError("is wrong")).what(), "a.yaml: is wrong");
  EXPECT_STREQ(at({.file = "a.yaml"}, UserError({.key = "k"}, "is wrong", "mend it")).what(),
               "a.yaml: k: is wrong\n  mend it");
}

TEST(UserErrorAt, AThrowerWhoKnewThePlaceIsNotToldAgain) {
  const UserError inner({.file = "a.yaml", .key = "cache.data"}, "is wrong", "mend it");
  EXPECT_STREQ(at({.file = "a.yaml", .key = "cache"}, inner).what(),
               "a.yaml: cache.data: is wrong\n  mend it");
  EXPECT_STREQ(at({.file = "a.yaml"}, inner).what(), "a.yaml: cache.data: is wrong\n  mend it");
  EXPECT_STREQ(at({.file = "b.yaml"}, inner).what(), "b.yaml: a.yaml: cache.data: is wrong\n  mend it");
  EXPECT_STREQ(at({.file = "a"}, UserError("a graph is wrong")).what(), "a: a graph is wrong");
}

// The textbook's table, without tricks.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
      } else {
        d[i][j] =
            std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1] ? 1U : 0U)});
      }
    }
  }
  return d[a.size()][b.size()];
}

TEST(Suggest, NamesTheNearestWordIfItIsNearEnough) {
  RandomStream random = RandomStreams(11).make("suggest");
  const auto word = [&](std::uint64_t longest) {
    std::string text;
    for (auto n = 1 + random.below(longest); n > 0; --n) text += static_cast<char>('a' + random.below(4));
    return text;
  };
  for (int round = 0; round < 500; ++round) {
    Words known;
    for (auto n = 1 + random.below(6); n > 0; --n) known.push_back(word(9));
    const std::string given = word(9);
    std::size_t nearest = distance(given, known[0]);
    for (const std::string& one : known) nearest = std::min(nearest, distance(given, one));
    const std::string hint = suggest(given, known);
    const bool named = hint.rfind("did you mean \"", 0) == 0;
    if (named) {
      const std::string chosen = hint.substr(14, hint.find('"', 14) - 14);
      EXPECT_EQ(distance(given, chosen), nearest) << given << ": " << hint;
      EXPECT_LE(nearest, std::max<std::size_t>(2, chosen.size() / 3)) << given << ": " << hint;
    } else {
      EXPECT_GT(nearest, 2u) << given << ": " << hint;
    }
    EXPECT_NE(hint.find("known: " + known[0]), std::string::npos);
  }
}

TEST(Suggest, LongListsAreNotShownAndLongWordsNotCompared) {
  Words many;
  for (int i = 0; i < 25; ++i) many.push_back("word" + std::to_string(10 + i));
  EXPECT_EQ(suggest("word1O", many), "did you mean \"word10\"?");
  EXPECT_EQ(suggest("nothing like it", many), "");
  many.pop_back();
  EXPECT_EQ(suggest("nothing like it", many).rfind("known: word10, word11", 0), 0u) << "24 are not many";
  EXPECT_EQ(suggest(std::string(101, 'a'), {"a"}), "known: a");
  EXPECT_EQ(suggest("anything", {}), "");
}

}  // namespace
}  // namespace overture
