#include "overture/cli/output.h"

#include <fmt/format.h>

#include "overture/base/files.h"
#include "overture/base/interrupt.h"
#include "overture/base/printable.h"
#include "overture/base/text.h"
#include "overture/report/html.h"
#include "overture/report/results_folder.h"

namespace overture::cli {

void add_output(Command& command, Output& output, std::string_view usual, std::string_view names) {
  command
      .option(fmt::format("{} FOLDER", names), output.folder,
              usual.empty() ? "Folder for the results"
                            : fmt::format("Folder for the results (default: {})", usual))
      .flag("--overwrite", output.overwrite, "Replace another run in the folder")
      .flag("--no-report", output.no_report, "Do not make report.html");
}

void claim(const Output& output, const std::filesystem::path& folder, const std::string& kind,
           const std::optional<std::string>& setup_yaml) {
  report::claim_results_folder(folder,
                               {.kind = kind, .setup_yaml = setup_yaml, .overwrite = output.overwrite});
}

void finish_run(const Output& output, const Json& summary, const Digest& digest,
                const std::string& setup_yaml, const std::filesystem::path& folder) {
  json_result(report::write_summary(summary, digest, setup_yaml, folder));
  if (!output.no_report) report::write_html(folder);
}

int exit_code(bool complete) {
  if (Interrupt::requested()) return kInterrupted;
  return complete ? 0 : kUnfinished;
}

void print_why(const std::string& why) {
  if (!why.empty()) fmt::print("why: {}\n", wrap(why, 80, 5));
}

void print_note(const std::string& note) {
  if (!note.empty()) fmt::print("note: {}\n", wrap(note, 80, 6));
}

void print_where(const std::filesystem::path& folder, const Output& output, std::string_view contents) {
  fmt::print("results: {}{}\n", printable(folder.string()),
             contents.empty() ? "" : fmt::format(" ({})", contents));
  if (!output.no_report) fmt::print("report: {}\n", printable((folder / "report.html").string()));
}

void write_or_print(const std::string& file, const std::string& text) {
  if (file.empty()) {
    fmt::print("{}", text);
  } else {
    write_file(file, text);
  }
}

}  // namespace overture::cli
