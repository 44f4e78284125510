// Runs many points while the user looks on: a progress line, Ctrl-C, and what failed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "overture/study/sweep.h"

namespace overture::cli {

// Runs those of `mine` that are not finished, and prints each message of those that failed once. Returns the
// exit code of the first failure, or 0. `folder` is where progress is told.
int run_watched(const std::string& kind, const std::filesystem::path& folder, const study::SweepJob& job,
                const std::vector<std::size_t>& mine);

}  // namespace overture::cli
