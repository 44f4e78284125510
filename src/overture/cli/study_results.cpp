#include "overture/cli/study_results.h"

#include <nlohmann/json.hpp>

#include "overture/base/interrupt.h"
#include "overture/report/results_folder.h"

namespace overture::cli {

void write_study(const study::StudyReport& report, const Json& numbers, const Digest& digest,
                 const std::string& asked, const Output& output) {
  const std::filesystem::path folder = output.folder;
  report::make_results_folder(folder);
  study::write_study_report(report, folder);
  Json summary = report::summary_head(
      {.kind = "study " + report.study, .name = report.study, .seed = 1, .why = report.headline});
  summary.update(numbers);
  summary["complete"] = !Interrupt::requested();
  if (!report.claims.empty()) summary["score"] = study::score(report.claims);
  finish_run(output, summary, digest, asked, folder);
}

}  // namespace overture::cli
