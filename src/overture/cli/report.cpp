#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "overture/cli/commands.h"
#include "overture/report/html.h"

namespace overture::cli {

void add_report(Command& root) {
  auto folder = std::make_shared<std::string>();
  Command command = root.add("report", "Make report.html of a results folder, anew");
  command.positional("folder", *folder, "Results folder of any command")
      .examples("  overture report results/dlrm-torus")
      .runs([folder] {
        report::write_html(*folder);
        fmt::print("report: {}\n", (std::filesystem::path(*folder) / "report.html").string());
        return 0;
      });
}

}  // namespace overture::cli
