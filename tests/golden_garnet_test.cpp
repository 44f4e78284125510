// Every run that ASTRA-sim over Garnet left behind, through the program. Cell by cell where the original's
// numbers do not depend on how its heap orders equal credits, and everywhere with --garnet-order original.
#include <algorithm>
#include <map>

#include "program.h"
#include <gtest/gtest.h>

namespace overture::testing {
namespace {

namespace fs = std::filesystem;

const fs::path kCases = fs::path(OVERTURE_TESTS_FOLDER) / "golden/garnet";

struct GarnetCase {
  std::string name;
  std::string finish;
  std::string clean_finish;
  bool exact = false;
};
void PrintTo(const GarnetCase& one, std::ostream* out) { *out << one.name; }

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.emplace_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

std::vector<GarnetCase> cases() {
  std::vector<GarnetCase> cases;
  for (const std::string& line : lines_of(read_text(kCases / "cases.csv"))) {
    const auto cells = cells_of(line);
    if (cells.size() < 4 || cells[0] == "case") continue;
    cases.push_back({cells[0], cells[1], cells[2], cells[3] == "yes"});
  }
  return cases;
}

// Name and text of every CSV.
std::map<std::string, std::string> tables_of(const fs::path& folder) {
  std::map<std::string, std::string> tables;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".csv")
      tables[entry.path().filename().string()] = read_text(entry.path());
  return tables;
}

// The original prints -nan where a dimension was never used.
std::string cell(const std::string& text) { return text == "-nan" ? "nan" : text; }

void expect_equal_cells(const std::string& file, const std::string& expected, const std::string& ours) {
  const auto expected_lines = lines_of(expected);
  const auto our_lines = lines_of(ours);
  ASSERT_EQ(expected_lines.size(), our_lines.size()) << file;
  for (std::size_t row = 0; row < expected_lines.size(); ++row) {
    const auto expected_cells = cells_of(expected_lines[row]);
    const auto our_cells = cells_of(our_lines[row]);
    ASSERT_EQ(expected_cells.size(), our_cells.size()) << file << ", row " << row;
    for (std::size_t i = 0; i < our_cells.size(); ++i)
      EXPECT_EQ(cell(expected_cells[i]), cell(our_cells[i])) << file << ", row " << row << ", column " << i;
  }
}

class GoldenGarnet : public ::testing::TestWithParam<GarnetCase> {
 protected:
  Outcome run_case(const Words& more_flags = {}) {
    const fs::path folder = kCases / GetParam().name;
    Words words{"astra"};
    for (const std::string& line : join_continued_lines(lines_of(read_text(folder / "cmd.txt")))) {
      for (const std::string& word : split_words(line))
        words.push_back(word.starts_with("--path=") ? "--path=" + scratch_.path().string() + '/' : word);
    }
    words.insert(words.end(), more_flags.begin(), more_flags.end());
    const Outcome outcome = run_overture(words, {.folder = folder});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
    return outcome;
  }

  void expect_every_cell() {
    const auto expected = tables_of(kCases / GetParam().name / "expected");
    const auto ours = tables_of(scratch_.path());
    EXPECT_EQ(ours.size(), expected.size()) << "Garnet writes no tables of its own";
    for (const auto& [name, text] : expected) {
      ASSERT_TRUE(ours.contains(name)) << name;
      expect_equal_cells(name, text, ours.at(name));
    }
  }

  void expect_finish(const Outcome& outcome, const std::string& cycles) {
    EXPECT_NE(outcome.out.find("all passes finished at time: " + cycles + "\n"), std::string::npos)
        << outcome.out;
  }

  const TemporaryFolder scratch_;
};

TEST_P(GoldenGarnet, IsReproduced) {
  expect_finish(run_case(), GetParam().clean_finish);
  if (GetParam().exact) expect_every_cell();
}

TEST_P(GoldenGarnet, IsReproducedFlitByFlit) {
  expect_finish(run_case({"--simulate-all-npus"}), GetParam().clean_finish);
  if (GetParam().exact) expect_every_cell();
}

// "key value" lines.
std::map<std::string, std::string> totals_of(const std::string& name) {
  std::map<std::string, std::string> totals;
  for (const std::string& line : lines_of(read_text(kCases / name / "expected/network_stats.txt"))) {
    const std::size_t blank = line.find(' ');
    if (blank != std::string::npos) totals[line.substr(0, blank)] = line.substr(blank + 1);
  }
  return totals;
}

TEST_P(GoldenGarnet, IsReproducedInTheOriginalsOrderWithWhatItCarries) {
  const Outcome outcome = run_case({"--garnet-order=original"});
  expect_finish(outcome, GetParam().finish);
  expect_every_cell();
  auto totals = totals_of(GetParam().name);
  EXPECT_NE(outcome.out.find(
                "packets: " + totals["packets_received::total"] + " of " + totals["flits_received::total"] +
                " flits, on the way for " + totals["average_packet_network_latency"] +
                " cycles on average, their flits for " + totals["average_flit_network_latency"] + "\n"),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("cycles of busy links: " + totals["int_link_utilization"] + "\n"),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("hops between routers: " + totals["average_hops"]), std::string::npos)
      << outcome.out;
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenGarnet, ::testing::ValuesIn(cases()), [](const auto& tested) {
  std::string name = tested.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace overture::testing
