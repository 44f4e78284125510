// The numbers of several runs side by side, for the terminal: which differ, and by how much.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace overture::report {

// The folders' names, with as much of their paths as tells them apart.
std::vector<std::string> run_labels(const std::vector<std::filesystem::path>& folders);

struct ComparedRun {
  std::string label;
  std::string setup_yaml;
};

struct ComparedNumber {
  std::string what;                  // "iteration"
  std::vector<std::string> values;   // one per run, with units; "-" where a run does not have it
  std::vector<std::string> changes;  // against the first run: "+18.7 %"; empty for the first
  bool same = true;
};

struct Comparison {
  std::vector<ComparedRun> runs;
  std::vector<ComparedNumber> numbers;  // that two runs at least have, in the order of summary.json
};

// Reads the summary.json of each folder. Throws UserError when one is missing or malformed.
Comparison compare_runs(const std::vector<std::filesystem::path>& folders);

}  // namespace overture::report
