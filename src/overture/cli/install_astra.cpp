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
    throw UserError({.file = link.string()}, "exists and is not a link",
                    "move it away, or choose another folder");
  fs::remove(link);
}

fs::path make_link(const std::string& folder, const char* name, std::string_view command) {
  const fs::path link = fs::path(folder) / name;
  std::error_code error;
  clear(link);
  fs::create_symlink(fs::read_symlink("/proc/self/exe"), link, error);
  if (error) throw UserError({.file = link.string()}, "cannot be created: " + error.message());
  fmt::print("{} runs `overture {}`\n", link.string(), command);
  return link;
}

int install(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw UserError({.file = folder}, "cannot be created: " + error.message());
  const fs::path link = make_link(folder, kAstraProgram, "astra");
  make_link(folder, kAstra2Unaware, "astra2 --backend=congestion_unaware");
  make_link(folder, kAstra2Aware, "astra2 --backend=congestion_aware");
  fmt::print("in a script of ASTRA-sim: BINARY=\"{}\"\n", fs::absolute(link).lexically_normal().string());
  return 0;
}

}  // namespace

void add_install_astra(Command& root) {
  auto folder = std::make_shared<std::string>();
  Command command =
      root.add("install-astra", "Create links with the names of ASTRA-sim's programs, for its scripts");
  command.positional("folder", *folder, "Folder for the links; it is made if it does not exist")
      .examples("  overture install-astra bin\n  bin/AnalyticalAstra --help")
      .runs([folder] { return install(*folder); });
}

}  // namespace overture::cli
