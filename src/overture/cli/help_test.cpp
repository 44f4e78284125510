// What the program says of its commands: help, the completion script and the manual page.
#include "overture/cli/help.h"

#include <gtest/gtest.h>

#include "overture/base/text.h"
#include "overture/cli/commands.h"
#include "overture/cli/testing.h"

namespace overture::cli {
namespace {

CommandText::Option option(const std::string& names, const std::string& value, const std::string& help) {
  return {.names = names, .help = help, .value = value, .initial = ""};
}
CommandText command(std::vector<CommandText::Option> options, std::vector<CommandText> commands = {}) {
  return {.name = "pack",
          .description = "Pack files",
          .footer = "",
          .options = std::move(options),
          .commands = std::move(commands)};
}

TEST(Help, AnOptionShowsItsNamesItsValueAndItsMeaningInOneColumn) {
  EXPECT_EQ(
      help_text(command({option("-n,--count", "N", "How often")}), "overture pack"),
      "Pack files\n\nUsage: overture pack [OPTIONS]\n\nOptions:\n  -n, --count N           How often\n");
}

TEST(Help, ALongNameHasItsMeaningBelow) {
  const std::string help =
      help_text(command({option("--a-very-long-name", "FILE.csv", "Where")}), "overture pack");
  EXPECT_TRUE(has(help, "  --a-very-long-name FILE.csv\n                          Where\n")) << help;
}

TEST(Help, DefaultsAndDutiesFollowTheMeaning) {
  CommandText::Option count = option("--count", "N", "How often");
  count.initial = "3";
  CommandText::Option out = option("--out", "FILE", "Where to");
  out.required = true;
  CommandText::Option empty = option("--name", "TEXT", "Its name");
  empty.initial = "\"\"";
  CommandText::Option flag = option("--all", "", "All of it");
  flag.is_flag = true;
  flag.initial = "false";
  const std::string help = help_text(command({count, out, empty, flag}), "overture pack");
  EXPECT_TRUE(has(help, "How often (default: 3)\n")) << help;
  EXPECT_TRUE(has(help, "Where to (required)\n")) << help;
  EXPECT_TRUE(has(help, "Its name\n")) << help;
  EXPECT_TRUE(has(help, "  --all                   All of it\n")) << help;
}

TEST(Help, ArgumentsStandInTheUsageInBracketsIfTheyMayBeLeftOut) {
  CommandText::Option file = option("file", "FILE", "What");
  file.is_positional = true;
  file.required = true;
  CommandText::Option key = option("key", "TEXT", "Which");
  key.is_positional = true;
  const std::string help = help_text(command({file, key}), "overture pack");
  EXPECT_TRUE(has(help, "Usage: overture pack [OPTIONS] file [key]\n")) << help;
  EXPECT_TRUE(has(help, "\nArguments:\n  file                    What\n  key                     Which\n"))
      << help;
  EXPECT_FALSE(has(help, "\nOptions:\n")) << help;
}

TEST(Help, AGroupShowsItsCommands) {
  const std::string help = help_text(command({}, {command({})}), "overture");
  EXPECT_TRUE(has(help, "Usage: overture COMMAND\n")) << help;
  EXPECT_TRUE(has(help, "\nCommands:\n  pack                    Pack files\n")) << help;
}

TEST(Help, CommandsOfOneSubjectStandTogether) {
  CommandText pack = command({});
  pack.subject = "File";
  CommandText train = pack;
  train.name = "train";
  train.subject = "Training";
  const std::string help = help_text(command({}, {pack, pack, train}), "overture");
  const std::string packs = "  pack                    Pack files\n  pack                    Pack files\n";
  EXPECT_TRUE(has(help, "\nFile commands:\n" + packs + "\nTraining commands:\n  train  ")) << help;
}

TEST(Help, ACommandBelongsToTheSubjectBeforeIt) {
  const std::string help = printed({"--help"}, [](Command& root) {
    root.subject("Result");
    add_runs(root);
    root.subject("Shell");
    add_version(root);
  });
  EXPECT_TRUE(has(help, "\nResult commands:\n  runs ")) << help;
  EXPECT_TRUE(has(help, "\nShell commands:\n  version ")) << help;
}

TEST(Help, NoLineIsLongerThanATerminal) {
  std::string words;
  for (int i = 0; i < 60; ++i) words += "word" + std::to_string(i) + " ";
  CommandText text = command({option("--o", "N", words)});
  text.description = words;
  for (const std::string& line : split(help_text(text, "overture pack"), '\n'))
    EXPECT_LE(line.size(), 80u) << line;
}

// All commands of the program, as main has them but for those that only add others.
void add_many(Command& root) {
  add_flows(root);
  add_generate(root);
  add_train(root);
  add_runs(root);
  add_completion(root);
  add_manual(root);
  add_version(root);
}

TEST(Completion, OffersCommandsAndTheirOptions) {
  const std::string script = printed({"completion", "bash"}, add_many);
  EXPECT_TRUE(has(script, "'/flows') words='")) << script;
  EXPECT_TRUE(has(script, "'/generate') words='workload dataset tasks chakra infragraph topology "));
  EXPECT_TRUE(has(script, "'/generate/topology/opera') words='"));
  EXPECT_TRUE(has(script, " --flows "));
  EXPECT_TRUE(has(script, "-s --set"));
  EXPECT_FALSE(has(script, "%CASES%"));
  EXPECT_FALSE(has(script, "%PATHS%"));
  EXPECT_EQ(printed({"completion"}, add_many), script) << "bash is the usual shell";
  EXPECT_EQ(printed({"completion", "zsh"}, add_many), script) << "zsh reads bash's";
}

TEST(Completion, AnotherShellIsRefused) {
  EXPECT_EQ(refused({"completion", "fish"}, add_many),
            "shell: no completion for \"fish\"\n  known: bash, zsh\n");
}

TEST(Completion, IsAScriptThatBashTakes) {
  const TestFolder folder;
  const std::string file = folder.write("completion", printed({"completion"}, add_many)).string();
  EXPECT_EQ(std::system(("bash -n " + file).c_str()), 0);
  const std::string complete =
      "bash -c 'source " + file +
      "; COMP_WORDS=(overture generate topology op); COMP_CWORD=3; _overture; test \"$COMPREPLY\" = opera'";
  EXPECT_EQ(std::system(complete.c_str()), 0);
}

TEST(Manual, HasEveryCommandWithItsOptions) {
  const std::string page = printed({"manual"}, add_many);
  EXPECT_EQ(page.rfind(".TH OVERTURE 1", 0), 0u);
  EXPECT_TRUE(has(page, "\n.SS overture generate topology opera\n")) << page;
  EXPECT_TRUE(has(page, "\\fB\\-s,\\-\\-set\\fR\n")) << page;
  EXPECT_TRUE(has(page, ".SH EXIT STATUS\n"));
}

// A line of roff that starts with a dot or an apostrophe is a command to it.
TEST(Manual, NoLineOfTextIsACommandOfRoff) {
  for (const std::string& line : split(printed({"manual"}, add_many), '\n')) {
    if (line.empty() || (line[0] != '.' && line[0] != '\'')) continue;
    const std::string word = line.substr(0, line.find(' '));
    const bool known = word == ".TH" || word == ".SH" || word == ".SS" || word == ".TP" || word == ".PP" ||
                       word == ".nf" || word == ".fi";
    EXPECT_TRUE(known) << line;
  }
}

TEST(Version, IsPrintedByTheCommandAndByTheFlag) {
  const std::string version = printed({"version"}, add_many);
  EXPECT_EQ(version.back(), '\n');
  EXPECT_EQ(printed({"--version"}, add_many), version);
}

TEST(HelpCommand, IsTheHelpOfWhatFollows) {
  EXPECT_EQ(printed({"help", "generate", "topology", "opera"}, add_many),
            printed({"generate", "topology", "opera", "--help"}, add_many));
  EXPECT_EQ(printed({"help"}, add_many), printed({"--help"}, add_many));
}

TEST(Help, AGroupWithoutACommandNamesThem) {
  EXPECT_EQ(refused({"generate", "topology"}, add_many),
            "overture generate topology needs one of its commands\n  known: opera\n  see overture generate "
            "topology "
            "--help\n");
  EXPECT_EQ(
      refused({"generate", "topology", "oprea"}, add_many),
      "unknown command \"oprea\"\n  did you mean \"opera\"? known: opera\n  see overture generate topology "
      "--help\n");
}

}  // namespace
}  // namespace overture::cli
