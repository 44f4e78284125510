// All runs below a folder, for people who look for one: what it was, when, what came out of it, and whether
// it is still under way. Reads only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace overture::serve {

enum class RunState : std::uint8_t { finished, running, interrupted };
std::string_view name(RunState state);

struct RunEntry {
  std::string path;  // below the folder, with slashes; "." is the folder itself
  std::string name;
  std::string kind;       // the command: "flows", "train"
  std::string when;       // "2024-05-31 14:02:11", local time, of its last change
  std::int64_t time = 0;  // the same, in seconds since 1970
  std::string headline;   // "makespan 2.76 ms"
  std::string why;
  RunState state = RunState::finished;
  std::string progress;  // of one under way: "flows 120 of 992"
  std::vector<std::string> tags;
  bool report = false;  // has a report.html
  bool part = false;    // a point of a sweep or a cell of a study, which itself is in the list
};

// Newest first. Looks a few folders deep, not into hidden ones nor through links; folders that hold no run
// are left out, those that cannot be read too.
std::vector<RunEntry> list_runs(const std::filesystem::path& folder);

// As a JSON array; for the page.
std::string runs_json(const std::vector<RunEntry>& runs);

// Words that people gave a run; a file of its folder holds them, one a line.
std::vector<std::string> read_tags(const std::filesystem::path& run);
// Throws UserError when the folder holds no run or the file cannot be written.
void write_tags(const std::filesystem::path& run, const std::vector<std::string>& tags);

}  // namespace overture::serve
