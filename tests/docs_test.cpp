// Runs the commands that the documentation shows. Of every ```sh and ```console block in README.md and docs/,
// the lines that start with `overture` (in console blocks, with `$ overture`) must succeed, one after the
// other, in a copy of examples/. A block whose info string says no-test is left alone, and so are ./up and
// other programs.
#include <algorithm>
#include <cstdlib>

#include "program.h"
#include <gtest/gtest.h>

namespace overture::testing {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = OVERTURE_SOURCE_FOLDER;

// The Markdown files, relative to the project.
std::vector<std::string> pages() {
  std::vector<std::string> pages;
  if (fs::exists(kSource / "README.md")) pages.emplace_back("README.md");
  if (!fs::exists(kSource / "docs")) return pages;
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(fs::relative(entry.path(), kSource).string());
  }
  std::sort(pages.begin(), pages.end());
  return pages;
}

struct Block {
  Words info;  // behind the fence: the language, then anything
  std::vector<std::string> lines;

  bool says(std::string_view word) const { return std::find(info.begin(), info.end(), word) != info.end(); }
  bool tested() const {
    return !info.empty() && (info[0] == "sh" || info[0] == "console") && !says("no-test");
  }
};

std::string without_indent(const std::string& line) {
  const std::size_t start = line.find_first_not_of(' ');
  return start == std::string::npos ? "" : line.substr(start);
}

std::vector<Block> fenced_blocks(std::string_view markdown) {
  std::vector<Block> blocks;
  std::string fence;  // of the block that is open
  for (const std::string& line : lines_of(markdown)) {
    const std::string text = without_indent(line);
    const std::size_t ticks = std::min(text.find_first_not_of('`'), text.size());
    if (fence.empty() && ticks >= 3) {
      fence = text.substr(0, ticks);
      blocks.push_back({.info = split_words(text.substr(ticks)), .lines = {}});
    } else if (!fence.empty() && ticks >= fence.size() && ticks == text.size()) {
      fence.clear();
    } else if (!fence.empty()) {
      blocks.back().lines.push_back(text);
    }
  }
  return blocks;
}

// What a reader would type, as far as it concerns overture.
std::vector<std::string> commands(const Block& block) {
  const std::string_view prompt = block.info[0] == "console" ? "$ " : "";
  std::vector<std::string> commands;
  for (const std::string& line : join_continued_lines(block.lines)) {
    const std::string typed = line.starts_with("$ ") ? line.substr(2) : line;
    if (!line.starts_with(prompt)) continue;  // output
    EXPECT_FALSE(typed.starts_with("cd "))
        << "this test cannot follow `" << typed << "`; write paths, or mark no-test";
    if (typed == "overture" || typed.starts_with("overture ")) commands.push_back(typed);
  }
  return commands;
}

class Docs : public ::testing::TestWithParam<std::string> {};

TEST_P(Docs, CommandsSucceed) {
  const TemporaryFolder scratch;
  const fs::path folder = scratch.path() / "examples";
  if (fs::exists(kSource / "examples")) {
    fs::copy(kSource / "examples", folder, fs::copy_options::recursive);
  } else {
    fs::create_directory(folder);
  }
  const std::string path = "PATH=" + overture_binary().parent_path().string() + ':' + std::getenv("PATH");
  for (const Block& block : fenced_blocks(read_text(kSource / GetParam()))) {
    if (!block.tested()) continue;
    for (const std::string& command : commands(block)) {
      const Outcome outcome =
          run({"bash", "-euo", "pipefail", "-c", command}, {.folder = folder, .variables = {path}});
      EXPECT_EQ(outcome.exit_code, 0) << GetParam() << " shows a command that fails:\n"
                                      << command << '\n'
                                      << outcome.text();
    }
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Docs);
INSTANTIATE_TEST_SUITE_P(Pages, Docs, ::testing::ValuesIn(pages()), [](const auto& tested) {
  std::string name = tested.param;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

// Lines of prose: not those of tables, code and addresses, which cannot be broken.
std::vector<std::string> long_lines(std::string_view markdown) {
  constexpr std::size_t kMost = 120;
  std::vector<std::string> found;
  bool fenced = false;
  for (const std::string& line : lines_of(markdown)) {
    if (without_indent(line).starts_with("```")) fenced = !fenced;
    std::size_t characters = 0;
    for (const char c : line) characters += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
    const bool one_word = without_indent(line).find(' ') == std::string::npos;
    if (!fenced && !line.starts_with('|') && !one_word && characters > kMost) found.push_back(line);
  }
  return found;
}

TEST_P(Docs, LinesAreShort) {
  for (const std::string& line : long_lines(read_text(kSource / GetParam())))
    ADD_FAILURE() << GetParam() << " has a line of more than 120 characters:\n" << line;
}

TEST(LongLines, AreThoseOfProse) {
  const std::string wide(60, 'a');
  EXPECT_EQ(long_lines(wide + " " + wide + "\n").size(), 1U);
  EXPECT_EQ(long_lines("| " + wide + wide + " |\n```\n" + wide + " " + wide + "\n```\n").size(), 0U);
}

// What the README shows is what the program prints; the README leaves some lines out. Digits of a trained
// model may differ between processors.
TEST(Readme, ShowsWhatTheDemoPrints) {
  const TemporaryFolder folder;
  const Outcome demo = run_overture({"demo"}, {.folder = folder.path()});
  ASSERT_EQ(demo.exit_code, 0) << demo.text();
  std::size_t shown = 0;
  for (const Block& block : fenced_blocks(read_text(kSource / "README.md"))) {
    if (block.lines.empty() || !block.lines.front().starts_with("The DLRM of the ASTRA-sim tutorial"))
      continue;
    for (const std::string& line : block.lines) {
      if (line.starts_with("AUC") || line.starts_with("log-loss")) continue;
      EXPECT_NE(demo.out.find(line), std::string::npos) << line;
      ++shown;
    }
  }
  EXPECT_GT(shown, 12U);
}

// The reader of Markdown itself.
TEST(FencedBlocks, GiveTheirOvertureCommands) {
  const auto blocks = fenced_blocks(
      "text\n"
      "```sh\n"
      "# a comment\n"
      "overture astra \\\n"
      "    --num-passes 2\n"
      "./up\n"
      "ls\n"
      "overture demo\n"
      "```\n"
      "- in a list:\n"
      "  ```console\n"
      "  $ overture version\n"
      "  overture 1.0\n"
      "  ```\n"
      "```sh no-test\n"
      "overture train\n"
      "```\n"
      "```cpp\n"
      "overture ();\n"
      "```\n"
      "````sh\n"
      "```\n"
      "overture --help\n"
      "````\n");
  ASSERT_EQ(blocks.size(), 5U);
  EXPECT_EQ(commands(blocks[0]), (Words{"overture astra  --num-passes 2", "overture demo"}));
  EXPECT_EQ(commands(blocks[1]), (Words{"overture version"}));
  EXPECT_FALSE(blocks[2].tested());
  EXPECT_FALSE(blocks[3].tested());
  EXPECT_EQ(commands(blocks[4]), (Words{"overture --help"}));
}

}  // namespace
}  // namespace overture::testing
