// How every study ends: its report, figures and tables in the folder, a summary.json like those of all other
// commands, and the page that shows them.
#pragma once

#include <filesystem>
#include <string>

#include "overture/base/hash.h"
#include "overture/base/json.h"
#include "overture/report/results_folder.h"
#include "overture/study/study_report.h"

namespace overture::cli {

// `numbers` follow the head of summary.json; `asked` is what the user asked for, as YAML. summary.json is the
// last but for the page: where it stands, the folder is complete. Throws UserError.
void write_study(const study::StudyReport& report, const Json& numbers, const Digest& digest,
                 const std::string& asked, const std::filesystem::path& folder);

// Headline, folder and page, for the end of the terminal's output; `contents` says what is in the folder.
void print_study_end(const study::StudyReport& report, const std::filesystem::path& folder,
                     const char* contents);

}  // namespace overture::cli
