#include "overture/cli/study_results.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/files.h"
#include "overture/base/interrupt.h"
#include "overture/base/text.h"
#include "overture/cli/command.h"
#include "overture/report/html.h"

namespace overture::cli {

void write_study(const study::StudyReport& report, const Json& numbers, const report::Digest& digest,
                 const std::string& asked, const std::filesystem::path& folder) {
  report::make_results_folder(folder);
  study::write_study_report(report, folder);
  Json summary = report::summary_head(
      {.kind = "study " + report.study, .name = report.study, .seed = 1, .why = report.headline});
  summary.update(numbers);
  summary["complete"] = !Interrupt::requested();
  if (!report.claims.empty()) summary["score"] = study::score(report.claims);
  report::write_summary(summary, digest, asked, folder);
  report::write_html(folder);
}

void print_study_end(const study::StudyReport& report, const std::filesystem::path& folder,
                     const char* contents) {
  json_result(read_file(folder / "summary.json"));
  if (!report.headline.empty()) fmt::print("why: {}\n", wrap(report.headline, 80, 5));
  fmt::print("results: {} ({})\nreport: {}\n", folder.string(), contents, (folder / "report.html").string());
}

}  // namespace overture::cli
