#include "overture/cli/output.h"

#include <fmt/format.h>

#include "overture/base/files.h"
#include "overture/base/printable.h"
#include "overture/report/results_folder.h"

namespace overture::cli {

void add_output(Command& command, Output& output, std::string_view usual, std::string_view names) {
  command
      .option(fmt::format("{} FOLDER", names), output.folder,
              fmt::format("Folder for the results (default: {})", usual))
      .flag("--overwrite", output.overwrite, "Replace another run in the folder")
      .flag("--no-report", output.no_report, "Do not make report.html");
}

void claim(const Output& output, const std::filesystem::path& folder, const std::string& kind,
           const std::string& setup_yaml) {
  report::claim_results_folder(folder,
                               {.kind = kind, .setup_yaml = setup_yaml, .overwrite = output.overwrite});
}

void print_where(const std::filesystem::path& folder, const Output& output) {
  fmt::print("results: {}\n", printable(folder.string()));
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
