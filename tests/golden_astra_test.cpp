// Every simulation case that ASTRA-sim 1.0 left behind, run through the program and compared cell by cell as
// text.
#include <algorithm>
#include <map>

#include "program.h"
#include <gtest/gtest.h>

namespace overture::testing {
namespace {

namespace fs = std::filesystem;

const fs::path kCases = fs::path(OVERTURE_TESTS_FOLDER) / "golden/astra-sim-1";
constexpr std::string_view kPathFlag = "--path=";

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kCases)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Name and text of every file.
std::map<std::string, std::string> files_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    files[entry.path().filename().string()] = read_text(entry.path());
  }
  return files;
}

// The commands of cmd.txt, one per line, writing to `results`.
std::vector<Words> commands(const fs::path& folder, const fs::path& results) {
  std::vector<Words> commands;
  for (const std::string& line : join_continued_lines(lines_of(read_text(folder / "cmd.txt")))) {
    Words words{"astra"};
    for (const std::string& word : split_words(line)) {
      words.push_back(word.starts_with(kPathFlag) ? std::string(kPathFlag) + results.string() + '/' : word);
    }
    if (words.size() > 1) commands.push_back(words);
  }
  return commands;
}

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.emplace_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

void expect_equal_csv(const std::string& file, const std::string& expected, const std::string& ours) {
  if (expected == ours) return;
  const auto expected_lines = lines_of(expected);
  const auto our_lines = lines_of(ours);
  EXPECT_EQ(expected_lines.size(), our_lines.size()) << file << ": rows";
  for (std::size_t row = 0; row < std::min(expected_lines.size(), our_lines.size()); ++row) {
    const auto expected_cells = cells_of(expected_lines[row]);
    const auto our_cells = cells_of(our_lines[row]);
    EXPECT_EQ(expected_cells.size(), our_cells.size()) << file << ", row " << row << ": columns";
    for (std::size_t column = 0; column < std::min(expected_cells.size(), our_cells.size()); ++column) {
      EXPECT_EQ(expected_cells[column], our_cells[column])
          << file << ", row " << row << ", column " << column;
    }
  }
  EXPECT_EQ(expected, ours) << file << ": differs in more than its cells";
}

class GoldenAstra : public ::testing::TestWithParam<std::string> {
 protected:
  struct Run {
    std::string out;
    std::map<std::string, std::string> files;
  };

  // Always writes to the same place, which the program prints.
  Run run_case(const Words& more_flags = {}) {
    const fs::path results = scratch_.path() / "results";
    fs::remove_all(results);
    Run result;
    for (Words command : commands(folder_, results)) {
      command.insert(command.end(), more_flags.begin(), more_flags.end());
      const Outcome outcome = run_overture(command, {.folder = folder_});
      EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
      EXPECT_EQ(outcome.err, "");
      result.out += outcome.out;
    }
    result.files = files_of(results);
    return result;
  }

  void expect_golden(const Run& result) {
    const auto golden = files_of(folder_ / "expected");
    for (const auto& [name, text] : golden) {
      ASSERT_TRUE(result.files.contains(name)) << name;
      expect_equal_csv(name, text, result.files.at(name));
    }
    EXPECT_EQ(result.files.size(), golden.size());
  }

  const fs::path folder_ = kCases / GetParam();
  const TemporaryFolder scratch_;
};

TEST_P(GoldenAstra, IsReproduced) { expect_golden(run_case()); }

TEST_P(GoldenAstra, IsReproducedWithEveryNpuSimulated) { expect_golden(run_case({"--simulate-all-npus"})); }

TEST_P(GoldenAstra, RunsTwiceAlike) {
  const Run first = run_case();
  const Run second = run_case();
  EXPECT_EQ(first.out, second.out);
  EXPECT_EQ(first.files, second.files);
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenAstra, ::testing::ValuesIn(case_names()), [](const auto& tested) {
  std::string name = tested.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace overture::testing
