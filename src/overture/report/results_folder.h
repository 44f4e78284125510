// What the results of all commands have in common: a folder, and a summary.json that starts with the same
// keys, so that pages, sweeps and comparisons need not know which command wrote it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "overture/base/hash.h"
#include "overture/base/json.h"

namespace overture::report {

// Larger matrices of traffic are not written: nobody could read them.
inline constexpr int kMostTrafficRanks = 256;
// Links that are shown over time one by one, the busiest.
inline constexpr std::size_t kWatchedLinks = 64;

struct RunFacts {
  std::string kind;  // the command, such as "flows"
  std::string name;
  std::optional<std::uint64_t> seed{};  // of every random choice; none, and null in the file: there are none
  std::string why{};                    // where the time went, and what would help; may be empty
};

// name, overture, kind, seed and why, in this order; numbers come after them.
Json summary_head(const RunFacts& facts);

// As summary.json is written. What is not UTF-8 is replaced.
std::string summary_text(const Json& summary);

// Ends `summary` with digest and setup_yaml and writes setup.yaml and summary.json, this last: where it
// stands, the folder is complete. Returns the text of summary.json. Throws UserError.
std::string write_summary(const Json& summary, const Digest& digest, const std::string& setup_yaml,
                          const std::filesystem::path& folder);

// Throws UserError when it cannot be made.
void make_results_folder(const std::filesystem::path& folder);

// What a command is about to write into a folder.
struct FolderClaim {
  std::string kind;
  std::optional<std::string> setup_yaml;  // none: a run of any setup may be replaced
  bool overwrite = false;
};

// Makes the folder. Throws UserError when it holds a run of another kind or of another setup, unless that may
// be overwritten: then what that run left is removed. Before the run, so that nobody waits for nothing.
void claim_results_folder(const std::filesystem::path& folder, const FolderClaim& claim);

}  // namespace overture::report
