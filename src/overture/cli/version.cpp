#include "overture/base/version.h"

#include <fmt/format.h>

#include "overture/cli/commands.h"

namespace overture::cli {

void add_version(Command& root) {
  Command version = root.add("version", "Print the version of this program");
  version.examples("  overture version").runs([] {
    fmt::print("{}\n", version_text());
    return 0;
  });
  // The words after it are taken for a command with --help before anything is parsed.
  Command help = root.add("help", "Print the help of a command; the same as --help");
  help.examples("  overture help\n  overture help flows\n  overture help generate dataset").runs([] {
    return 0;
  });
}

}  // namespace overture::cli
