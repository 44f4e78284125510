#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/cli/astra_arguments.h"
#include "overture/cli/commands.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;

// A link is renewed; anything else of that name is somebody's.
void clear(const fs::path& link) {
  const fs::file_status status = fs::symlink_status(link);
  if (!fs::exists(status)) return;
  if (!fs::is_symlink(status))
    throw UserError({.file = link.string()}, "is there and is no link",
                    "move it away, or choose another folder");
  fs::remove(link);
}

int install(const std::string& folder) {
  const fs::path link = fs::path(folder) / kAstraProgram;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw UserError({.file = folder}, "cannot be made: " + error.message());
  clear(link);
  fs::create_symlink(fs::read_symlink("/proc/self/exe"), link, error);
  if (error) throw UserError({.file = link.string()}, "cannot be made: " + error.message());
  fmt::print("{} runs `overture astra`\n", link.string());
  fmt::print("in a script of ASTRA-sim: BINARY=\"{}\"\n", fs::absolute(link).lexically_normal().string());
  return 0;
}

}  // namespace

void add_install_astra(Command& root) {
  auto folder = std::make_shared<std::string>();
  Command command =
      root.add("install-astra", "Put a program named AnalyticalAstra into a folder, for ASTRA-sim's scripts");
  command.positional("folder", *folder, "Folder for the link; it is made if it does not exist")
      .examples("  overture install-astra bin\n  bin/AnalyticalAstra --help")
      .runs([folder] { return install(*folder); });
}

}  // namespace overture::cli
