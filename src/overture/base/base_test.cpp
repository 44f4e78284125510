#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "overture/base/action.h"
#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/json.h"
#include "overture/base/random.h"
#include "overture/base/result.h"
#include "overture/base/table.h"

namespace overture {
namespace {

TEST(UserError, SaysWhereWhatAndWhatWouldWork) {
  const UserError error({.file = "a.yaml", .line = 3, .key = "network.kind"}, "unknown topology \"fat-tre\"",
                        suggest("fat-tre", {"fat_tree", "opera", "torus"}));
  EXPECT_STREQ(error.what(),
               "a.yaml:3: network.kind: unknown topology \"fat-tre\"\n"
               "  did you mean \"fat_tree\"? known: fat_tree, opera, torus");
}

TEST(Suggest, NamesNoNearestWordWhenNoneIsNear) {
  EXPECT_EQ(suggest("zzzzzzzz", {"ring", "torus"}), "known: ring, torus");
}

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> good = 3;
  const Result<int> bad = Error{"cut short"};
  EXPECT_EQ(good.value(), 3);
  EXPECT_EQ(bad.error(), "cut short");
  EXPECT_DEATH((void)bad.value(), "only when it has one");
}

TEST(Action, CallsWhatItWasMadeFromAfterBeingCopied) {
  int calls = 0;
  Action action = [&calls] { ++calls; };
  Action copy = action;
  action();
  copy();
  EXPECT_EQ(calls, 2);
  EXPECT_FALSE(Action{});
}

TEST(RandomStreams, SameSeedAndNameGiveTheSameNumbers) {
  const RandomStreams streams(7);
  auto a = streams.make("ecmp");
  auto b = streams.make("ecmp");
  auto other = streams.make("loss");
  const auto first = a();
  EXPECT_EQ(first, b());
  EXPECT_NE(first, other());
  EXPECT_EQ(first, RandomStreams(7).make("ecmp")());
  EXPECT_NE(first, RandomStreams(8).make("ecmp")());
}

TEST(RandomStreams, BelowAndUnitStayInRange) {
  auto stream = RandomStreams(1).make("range");
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    seen.insert(stream.below(5));
    const double u = stream.unit();
    EXPECT_TRUE(u >= 0 && u < 1);
  }
  EXPECT_EQ(seen, (std::set<std::uint64_t>{0, 1, 2, 3, 4}));
}

TEST(Table, AlignsNumbersRightAndWordsLeft) {
  Table table({"case", "time"});
  table.add({"torus", "9.5 us"});
  table.add({"a", "172.7 us"});
  EXPECT_EQ(table.text(),
            "case       time\n"
            "-----  --------\n"
            "torus    9.5 us\n"
            "a      172.7 us\n");
}

TEST(Files, WriteThenReadGivesTheSameBytes) {
  const auto path = std::filesystem::path(testing::TempDir()) / "overture files test.txt";
  write_file(path, "a\0b");
  EXPECT_EQ(read_file(path), std::string("a"));
  write_file(path, "second");
  EXPECT_EQ(read_file(path), "second");
  std::filesystem::remove(path);
}

TEST(Files, MissingFileAndMissingFolderAreTheUsersToMend) {
  EXPECT_THROW(read_file("/no/such/file"), UserError);
  EXPECT_THROW(read_file("/"), UserError);
  EXPECT_THROW(read_file("/dev/zero"), UserError) << "it never ends";
  EXPECT_THROW(write_file("/no/such/folder/x", "y"), UserError);
}

TEST(Json, DeepNestingIsNoJsonAndNoCrash) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_FALSE(parse_json(nested(150)).is_discarded());
  EXPECT_TRUE(parse_json(nested(100'000)).is_discarded());
  EXPECT_THROW(parse_json_or_throw(nested(100'000)), UserError);
  EXPECT_FALSE(parse_json("\"" + std::string(1000, '[') + "\\\"[[\"").is_discarded()) << "brackets in a text";
}

}  // namespace
}  // namespace overture
