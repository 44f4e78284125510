#include "overture/cli/command.h"

#include <algorithm>
#include <cstdio>

#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/base/text.h"
#include "overture/cli/arguments.h"
#include "overture/cli/astra_arguments.h"
#include "overture/cli/captured_output.h"
#include "overture/cli/help.h"
#include "overture/cli/testing.h"
#include "overture/cli/train_flags.h"

namespace overture::cli {
namespace {

// A command of every kind of option, which says what it got.
struct Given {
  int count = 3;
  std::string file;
  std::vector<std::string> changes;
  bool all = false;
};

std::function<void(Command&)> one_command(Given& given) {
  return [&given](Command& root) {
    Command command =
        root.add("pack", "Pack a file, with a description that is long enough for a second line of help");
    command.positional("file", given.file, "File to pack")
        .option("-n,--count N", given.count, "How often")
        .option("-s,--set KEY=VALUE", given.changes, "Change one key; may be repeated")
        .flag("--all", given.all, "All of it")
        .examples("  overture pack a.txt")
        .runs([&given] {
          std::printf("%d %s %zu\n", given.count, given.file.c_str(), given.changes.size());
          return given.all ? kUnfinished : 0;
        });
  };
}

TEST(Command, CountsMayHaveLetters) {
  Given given;
  EXPECT_EQ(run_words({"pack", "a.txt", "-n", "20k", "-s", "a=1", "-s", "b=2"}, one_command(given)).code, 0);
  EXPECT_EQ(given.count, 20'000);
  EXPECT_EQ(given.changes, (Words{"a=1", "b=2"}));
}

TEST(Command, TheExitCodeIsTheCommands) {
  Given given;
  EXPECT_EQ(run_words({"pack", "a.txt", "--all"}, one_command(given)).code, kUnfinished);
}

TEST(Command, WhatIsWrongOnTheCommandLineIsExitCodeTwo) {
  for (const Words& words :
       {Words{"pack"}, Words{"pak", "a"}, Words{"pack", "a", "--al"}, Words{"pack", "a", "b"},
        Words{"pack", "a", "-n", "many"}, Words{"pack", "a", "-n"}}) {
    Given given;
    const Ran ran = run_words(words, one_command(given));
    EXPECT_EQ(ran.code, 2) << words.back();
    const std::string& said = ran.err;
    EXPECT_EQ(said.rfind("error: ", 0), 0u) << said;
    EXPECT_NE(said.find("--help"), std::string::npos) << said;
  }
}

TEST(Command, AMisspeltFlagHasASuggestion) {
  Given given;
  EXPECT_TRUE(has(refused({"pack", "a", "--cuont", "4"}, one_command(given)), "did you mean \"--count\"?"));
}

TEST(Command, HelpIsAFewLinesOfEightyColumnsWithTheNamesOfValues) {
  Given given;
  const Ran ran = run_words({"pack", "--help"}, one_command(given));
  EXPECT_EQ(ran.code, 0);
  for (const std::string& line : split(ran.out, '\n')) EXPECT_LE(line.size(), 80u) << line;
  EXPECT_NE(ran.out.find("-n, --count N"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("-s, --set KEY=VALUE"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("(default: 3)"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("Usage: overture pack [OPTIONS] file"), std::string::npos) << ran.out;
  EXPECT_EQ(run_words({"help", "pack"}, one_command(given)).out, ran.out);
}

TEST(Command, FlagsThatDoNothingAreListedByNameOnly) {
  const CommandText text{.name = "train",
                         .description = "Train",
                         .footer = "",
                         .options = {{.names = "--s3",
                                      .help = "Bagpipe's; does nothing: results stay",
                                      .value = "",
                                      .initial = "",
                                      .is_flag = true}},
                         .commands = {}};
  const std::string help = help_text(text, "overture train");
  EXPECT_NE(help.find("they have no effect and say why:\n  --s3\n"), std::string::npos) << help;
  EXPECT_EQ(help.find("results stay"), std::string::npos) << help;
}

TEST(Arguments, AWrongNumberNamesItsOption) {
  EXPECT_EQ(parse_count("1.5M", "--samples"), 1'500'000);
  EXPECT_NE(user_error([] { parse_count("many", "--samples"); }).find("--samples"), std::string::npos);
  EXPECT_DOUBLE_EQ(parse_real("2.5", "--scale"), 2.5);
  for (const char* text : {"", "2.5x", "nan", "inf", "1 2"})
    EXPECT_NE(user_error([&] { parse_real(text, "--scale"); }), "") << text;
}

TEST(CapturedOutput, KeepsWhatIsPrintedUntilItIsAskedFor) {
  CapturedOutput output;
  std::printf("kept");
  EXPECT_EQ(output.finish(), "kept");
}

TEST(AstraArguments, UnambiguousPrefixesAreWrittenOut) {
  EXPECT_EQ(expand_astra_prefixes({"overture", "astra", "--num-p", "2", "--run=a"}),
            (Words{"overture", "astra", "--num-passes", "2", "--run-name=a"}));
  EXPECT_EQ(expand_astra_prefixes({"overture", "astra", "--link", "2"}),
            (Words{"overture", "astra", "--link", "2"}))
      << "two options begin so";
  EXPECT_EQ(expand_astra_prefixes({"overture", "flows", "--num-p", "2"}),
            (Words{"overture", "flows", "--num-p", "2"}));
}

TEST(AstraArguments, AProgramOfAstrasNameIsItsCommand) {
  EXPECT_EQ(as_called({"bin/AnalyticalAstra", "--help"}), (Words{"bin/AnalyticalAstra", "astra", "--help"}));
  EXPECT_EQ(as_called({"overture", "flows"}), (Words{"overture", "flows"}));
  EXPECT_EQ(as_called({}), Words{});
}

TEST(TrainFlags, BecomeKeysOfTheSetup) {
  TrainFlags flags;
  const auto add = [&](Command& root) {
    Command command = root.add("train", "Train");
    add_train_flags(command, flags);
    command.runs([] { return 0; });
  };
  ASSERT_EQ(run_words({"train", "--mini-batch-size", "256", "--optimizer", "rwsadagrad", "--filter-range",
                       "2-4", "--s3", "--arch-interaction-itself"},
                      add)
                .code,
            0);
  const Words keys = flags.assignments();
  for (const char* key : {"batch_size=256", "optimizer.kind=adagrad", "model.channels=14-16-18",
                          "model.kind=fgcnn", "model.interaction_itself=true"})
    EXPECT_TRUE(std::ranges::count(keys, key) == 1) << key;
  ASSERT_EQ(flags.notes().size(), 1u);
  EXPECT_EQ(flags.notes().front().rfind("--s3 does nothing: ", 0), 0u);
}

TEST(TrainFlags, RefuseWhatWeDoNotHave) {
  TrainFlags flags;
  flags.device = "cuda";
  EXPECT_NE(user_error([&] { flags.assignments(); }).find("--device"), std::string::npos);
  flags.device = "cpu";
  flags.filter_range = "5-2";
  EXPECT_NE(user_error([&] { flags.assignments(); }).find("--filter-range"), std::string::npos);
}

}  // namespace
}  // namespace overture::cli
