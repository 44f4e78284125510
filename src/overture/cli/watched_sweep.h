// Runs many points while the user looks on: a progress line, Ctrl-C, and what failed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "overture/study/sweep.h"

namespace overture::cli {

// One of several parts of a job, as a Slurm array has them.
struct JobPart {
  std::size_t number = 0;  // from 0
  std::size_t of = 1;
};
// "2/8": the second of eight. Throws UserError.
JobPart parse_part(const std::string& text);
// Numbers of the points that a part has, of so many: every `of`-th; all of them if it is the only part.
std::vector<std::size_t> points_of(const JobPart& part, std::size_t points);

// Runs those of `mine` that are not finished, and prints each message of those that failed once. Returns the
// exit code of the first failure, or 0. `folder` is where progress is told.
int run_watched(const std::string& kind, const std::filesystem::path& folder, const study::SweepJob& job,
                const std::vector<std::size_t>& mine);

}  // namespace overture::cli
