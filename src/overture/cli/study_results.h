// How every study ends: its report, figures and tables in the folder, a summary.json like those of all other
// commands, and the page that shows them.
#pragma once

#include <string>

#include "overture/base/hash.h"
#include "overture/base/json.h"
#include "overture/cli/output.h"
#include "overture/study/study_report.h"

namespace overture::cli {

// `numbers` follow the head of summary.json; `asked` is what the user asked for, as YAML. Throws UserError.
void write_study(const study::StudyReport& report, const Json& numbers, const Digest& digest,
                 const std::string& asked, const Output& output);

}  // namespace overture::cli
