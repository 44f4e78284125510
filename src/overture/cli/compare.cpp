#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/hash.h"
#include "overture/base/json.h"
#include "overture/base/table.h"
#include "overture/base/text.h"
#include "overture/cli/commands.h"
#include "overture/cli/output.h"
#include "overture/report/csv_grid.h"
#include "overture/report/html.h"
#include "overture/report/page_compare.h"
#include "overture/report/results_folder.h"
#include "overture/setup/value.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;

struct CompareOptions {
  std::vector<std::string> folders;
  Output output;
};

// Every scalar of a setup under its key: "network.dimensions.0.size".
void flatten(const setup::Value& value, const std::string& key, std::map<std::string, std::string>& out) {
  const std::string prefix = key.empty() ? "" : key + ".";
  if (value.kind == setup::Value::Kind::scalar) out[key] = value.text;
  for (std::size_t i = 0; i < value.items.size(); ++i)
    flatten(value.items[i], prefix + std::to_string(i), out);
  for (const auto& entry : value.keys) flatten(entry.value, prefix + entry.key, out);
}

std::string text_or_dash(const std::map<std::string, std::string>& keys, const std::string& key) {
  const auto found = keys.find(key);
  return found == keys.end() ? "-" : found->second;
}

// The keys in which the setups differ, one row each.
void add_setup_rows(Table& table, const report::Comparison& comparison) {
  std::vector<std::map<std::string, std::string>> setups;
  std::map<std::string, bool> differs;
  for (const auto& run : comparison.runs) {
    if (run.setup_yaml.empty()) return;
    flatten(setup::parse_yaml(run.setup_yaml, run.label + "/setup.yaml"), "", setups.emplace_back());
  }
  for (const auto& setup : setups) {
    for (const auto& [key, text] : setup) {
      for (const auto& other : setups) differs[key] = differs[key] || text_or_dash(other, key) != text;
    }
  }
  for (const auto& [key, different] : differs) {
    if (!different) continue;
    std::vector<std::string> row{key};
    for (const auto& setup : setups) row.push_back(text_or_dash(setup, key));
    table.add(row);
  }
}

// Two runs and what changed, or many runs with the change behind each value.
Table number_table(const report::Comparison& comparison) {
  std::vector<std::string> head{"what"};
  for (const auto& run : comparison.runs) head.push_back(run.label);
  const bool two = comparison.runs.size() == 2;
  if (two) head.emplace_back("change");
  Table table(head);
  for (const report::ComparedNumber& number : comparison.numbers) {
    if (number.same) continue;
    std::vector<std::string> row{number.what};
    for (std::size_t i = 0; i < number.values.size(); ++i) {
      const bool shown = !two && !number.changes[i].empty();
      row.push_back(shown ? fmt::format("{}  {:>8}", number.values[i], number.changes[i]) : number.values[i]);
    }
    if (two) row.push_back(number.changes[1]);
    table.add(row);
  }
  return table;
}

void print(const report::Comparison& comparison) {
  const Table numbers = number_table(comparison);
  fmt::print("{}", !numbers.empty()             ? numbers.text(80)
                   : comparison.numbers.empty() ? "The runs have no number in common.\n"
                                                : "All numbers are the same.\n");
  std::string same;
  for (const auto& number : comparison.numbers) {
    if (number.same) same += (same.empty() ? "" : ", ") + number.what + " " + number.values[0];
  }
  if (!same.empty()) fmt::print("\nsame in all: {}\n", wrap(same, 80, 13));
  std::vector<std::string> head{"setup"};
  for (const auto& run : comparison.runs) head.push_back(run.label);
  Table setups(head);
  add_setup_rows(setups, comparison);
  if (!setups.empty()) fmt::print("\n{}", setups.text(80));
}

std::string csv(const report::Comparison& comparison) {
  std::string text = "what";
  for (const auto& run : comparison.runs) text += "," + report::csv_cell(run.label);
  for (const auto& run : comparison.runs) text += "," + report::csv_cell("change of " + run.label);
  text += "\n";
  for (const report::ComparedNumber& number : comparison.numbers) {
    text += report::csv_cell(number.what);
    for (const std::string& value : number.values) text += "," + report::csv_cell(value);
    for (const std::string& change : number.changes) text += "," + report::csv_cell(change);
    text += "\n";
  }
  return text;
}

// What the commands are about, else the first number that is not the same.
std::string why(const report::Comparison& comparison) {
  const std::array<std::string_view, 4> main{"held-out AUC", "iteration", "makespan", "loss"};
  const report::ComparedNumber* equal = nullptr;  // the main number, if it is the same
  const report::ComparedNumber* told = nullptr;
  for (const report::ComparedNumber& number : comparison.numbers) {
    const bool is_main = std::ranges::find(main, number.what) != main.end();
    if (number.same && is_main && equal == nullptr) equal = &number;
    if (number.same || number.changes.back().empty()) continue;
    if (told == nullptr || is_main) told = &number;
    if (is_main) break;
  }
  if (told == nullptr)
    return comparison.numbers.empty() ? "the runs have no number in common" : "all numbers are the same";
  if (equal != nullptr)
    return fmt::format("{} is {} in all; what differs is what it took to get there", equal->what,
                       equal->values.front());
  return fmt::format("{} goes from {} in {} to {} in {} ({})", told->what, told->values.front(),
                     comparison.runs.front().label, told->values.back(), comparison.runs.back().label,
                     told->changes.back());
}

void write_results(const report::Comparison& comparison, const std::vector<fs::path>& folders,
                   const fs::path& out) {
  auto summary = report::summary_head(
      {.kind = "compare", .name = fmt::format("{} runs compared", folders.size()), .why = why(comparison)});
  auto& runs = summary["runs"] = Json::array();
  std::string setup = "runs:\n";
  for (const fs::path& folder : folders) {
    runs.push_back(folder.string());
    setup += fmt::format("  - \"{}\"\n", folder.string());
  }
  const std::string table = csv(comparison);
  write_file(out / "compare.csv", table);
  Digest digest;
  digest.add(table);
  json_result(report::write_summary(summary, digest, setup, out));
}

int run(const CompareOptions& options) {
  if (options.folders.size() < 2) {
    throw UserError({.key = "folders"}, "a comparison needs two results folders at least",
                    "overture compare results/a results/b");
  }
  const std::vector<fs::path> folders(options.folders.begin(), options.folders.end());
  const report::Comparison comparison = report::compare_runs(folders);
  const fs::path out = options.output.folder_or("results/compare");
  claim(options.output, out, "compare");
  write_results(comparison, folders, out);
  if (!options.output.no_report) report::write_page(folders, out / "report.html");
  print(comparison);
  fmt::print("\n");
  print_why(why(comparison));
  print_where(out, options.output);
  return 0;
}

}  // namespace

void add_compare(Command& root) {
  auto options = std::make_shared<CompareOptions>();
  Command command = root.add("compare", "Compare two or more runs: a table and one report");
  add_output(command, options->output, "results/compare");
  command
      .positional("folders", options->folders,
                  "Results folders; the first is what the others are compared with")
      .examples(
          "  overture compare results/torus results/switch\n"
          "  overture compare results/demo/torus-3d results/demo/torus-2d \\\n"
          "    -o results/tori")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
