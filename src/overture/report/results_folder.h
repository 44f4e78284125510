// What the results of all commands have in common: a folder, and a summary.json that starts with the same
// keys, so that pages, sweeps and comparisons need not know which command wrote it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "overture/base/json.h"

namespace overture::report {

// Larger matrices of traffic are not written: nobody could read them.
inline constexpr int kMostTrafficRanks = 256;
// Links that are shown over time one by one, the busiest.
inline constexpr std::size_t kWatchedLinks = 64;

struct RunFacts {
  std::string kind;  // the command, such as "flows"
  std::string name;
  std::string version;
  std::optional<std::uint64_t> seed;  // of every random choice; none, and null in the file: there are none
  std::string why;                    // where the time went, and what would help; may be empty
};

// name, overture, kind, seed and why, in this order; numbers come after them.
Json summary_head(const RunFacts& facts);

// As summary.json is written. What is not UTF-8 is replaced.
std::string summary_text(const Json& summary);

class Digest;
// Ends `summary` with digest and setup_yaml and writes setup.yaml and summary.json, this last: where it
// stands, the folder is complete. For commands whose setup is what they were asked. Throws UserError.
void write_summary(Json summary, const Digest& digest, const std::string& setup_yaml,
                   const std::filesystem::path& folder);

// Throws UserError when it cannot be made.
void make_results_folder(const std::filesystem::path& folder);

// 64 bits that are the same for the same numbers in the same order (FNV-1a), for `digest` of summaries.
class Digest {
 public:
  void add(std::int64_t value);
  // Every bit of it.
  void add_bits(double value);
  void add(std::string_view text);
  std::uint64_t value() const { return value_; }
  std::string text() const;

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace overture::report
