// `overture generate dataset` and `overture convert` as a user runs them.
#include "program.h"
#include <gtest/gtest.h>

namespace overture::testing {
namespace {

namespace fs = std::filesystem;

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

void succeed(const TemporaryFolder& folder, const Words& arguments) {
  const Outcome outcome = run_overture(arguments, {.folder = folder.path()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text();
}

const Words kGenerate{"generate", "dataset", "--like", "kaggle", "--scale", "0.001", "--samples"};

Words generate(const std::string& samples, const std::string& out, const Words& more = {}) {
  Words words = kGenerate;
  words.insert(words.end(), {samples, "--out", out});
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Data, IsTheSameByAnyNumberOfThreadsAndInParts) {
  const TemporaryFolder folder;
  succeed(folder, generate("2k", "one.jsonl", {"--threads", "1"}));
  succeed(folder, generate("2k", "two.jsonl", {"--threads", "2"}));
  succeed(folder, generate("500", "part.jsonl", {"--first", "1500"}));
  const std::string whole = read_text(folder.path() / "one.jsonl");
  EXPECT_EQ(read_text(folder.path() / "two.jsonl"), whole);
  EXPECT_TRUE(whole.ends_with(read_text(folder.path() / "part.jsonl")));
  succeed(folder, generate("2k", "other.jsonl", {"--seed", "2"}));
  EXPECT_NE(read_text(folder.path() / "other.jsonl"), whole);
}

TEST(Data, ComesBackFromEveryFormatThatIsWritten) {
  const TemporaryFolder folder;
  succeed(folder, generate("1k", "a.ovd"));
  const std::string original = read_text(folder.path() / "a.ovd");
  succeed(folder, {"convert", "a.ovd", "parts/"});
  for (const std::string name : {"a.tsv", "a.jsonl", "a.bin", "parts"}) {
    if (name != "parts") succeed(folder, {"convert", "a.ovd", name});
    succeed(folder, {"convert", name, "b.ovd", "--tables", "parts/emb_table_info.txt"});
    EXPECT_EQ(read_text(folder.path() / "b.ovd"), original) << name;
  }
}

TEST(Data, ValuesBetweenCommasAreRecognisedAndToldWhatToDo) {
  const TemporaryFolder folder;
  folder.write("clicks.csv", "label,I1,C1\n1,2,05db9164\n");
  const Outcome outcome = run_overture({"convert", "clicks.csv", "a.ovd"}, {.folder = folder.path()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("has commas between its values"), std::string::npos) << outcome.text();
}

TEST(Data, PassesOverAsManyBadRowsAsAllowed) {
  const TemporaryFolder folder;
  succeed(folder, generate("100", "a.tsv"));
  folder.write("bad.tsv", read_text(folder.path() / "a.tsv") + "what is this\n");
  const Words convert{"convert", "bad.tsv", "b.ovd", "--max-ind-range", "1k"};
  const Outcome refused = run_overture(convert, {.folder = folder.path()});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("bad.tsv:101"), std::string::npos) << refused.text();
  EXPECT_FALSE(fs::exists(folder.path() / "b.ovd"));
  Words allowed = convert;
  allowed.insert(allowed.end(), {"--max-bad-rows", "1"});
  const Outcome passed = run_overture(allowed, {.folder = folder.path()});
  EXPECT_EQ(passed.exit_code, 0) << passed.text();
  EXPECT_NE(passed.err.find("bad.tsv:101"), std::string::npos) << passed.text();
  EXPECT_NE(passed.out.find("100"), std::string::npos) << passed.text();
}

TEST(Data, LeavesNothingBehindWhenInterrupted) {
  const TemporaryFolder folder;
  Words command{"timeout", "--foreground", "--preserve-status", "-s", "INT", "2", overture_binary().string()};
  const Words arguments = generate("1G", "big.ovd");
  command.insert(command.end(), arguments.begin(), arguments.end());
  const Outcome outcome = run(command, {.folder = folder.path()});
  EXPECT_EQ(outcome.exit_code, 130) << outcome.text();
  EXPECT_EQ(files_in(folder.path()), 0U);
}

TEST(Data, BadInputGetsOneMessageAndExitCodeTwo) {
  const TemporaryFolder folder;
  folder.write("text.txt", "hello\n");
  folder.write("cut.ovd", "OVERDATA");
  folder.write("a.tsv", "1\t2\n");
  for (const Words& arguments :
       {Words{"convert"}, Words{"convert", "missing", "x.ovd"}, Words{"convert", "text.txt", "x.ovd"},
        Words{"convert", "cut.ovd", "x.jsonl"}, Words{"convert", "a.tsv", "x.ovd"},
        Words{"convert", "a.tsv", "x.npz", "--max-ind-range", "10"},
        Words{"convert", "a.tsv", "x.ovd", "--from", "critoe"},
        Words{"convert", "a.tsv", "x.ovd", "--tables", "kagle"},
        Words{"convert", "a.tsv", "x.ovd", "--max-ind-range", "-5"}, generate("1x", "x.ovd"),
        generate("10", "missing/x.ovd"), generate("10", "x.ovd", {"--skew", "steep"}),
        generate("10", "x.ovd", {"--drift", "7"}), generate("10", "x.ovd", {"--pooling", "0"})}) {
    const Outcome outcome = run_overture(arguments, {.folder = folder.path()});
    EXPECT_EQ(outcome.exit_code, 2) << outcome.text();
    EXPECT_TRUE(outcome.err.starts_with("error: ")) << outcome.text();
    EXPECT_FALSE(fs::exists(folder.path() / "x.ovd"));
  }
  EXPECT_EQ(files_in(folder.path()), 3U);
}

}  // namespace
}  // namespace overture::testing
