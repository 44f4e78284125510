#include <memory>
#include <string>

#include <fmt/format.h>

#include "overture/cli/commands.h"
#include "overture/study/opera_dlrm_run.h"

namespace overture::cli {
namespace {

struct Options {
  std::string cell;
};

int run(const Options& options) {
  const study::Cell cell = study::parse_cell(options.cell);
  fmt::print("{}", study::to_json(cell, study::run_cell(cell)));
  return 0;
}

}  // namespace

void add_study(Command& root) {
  auto options = std::make_shared<Options>();
  Command study = root.add("study", "Studies of networks for training, as one command each");
  Command command = study.add("opera-dlrm", "Opera against a fat tree for DLRM training, 16 to 1,024 nodes");
  command.option("--cell", options->cell, "Run this one cell only").runs([options] { return run(*options); });
}

}  // namespace overture::cli
