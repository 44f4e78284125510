#include "overture/cli/launch_command.h"

#include <filesystem>

#include <fmt/format.h>

namespace overture::cli {
namespace {

namespace fs = std::filesystem;

std::string quoted(const std::string& word) {
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

}  // namespace

std::string launch_command(const LaunchOptions& options, const setup::HostsFile& hosts,
                           const std::string& role, int worker) {
  const std::size_t size = 1 + hosts.trainers.size() + hosts.servers.size();
  std::string text = fmt::format(
      "cd {} && exec {} {}", quoted(fs::current_path().string()),
      quoted(options.program.empty() ? fs::read_symlink("/proc/self/exe").string() : options.program), role);
  if (role == "oracle") {
    text += " " + quoted(options.setup);
    for (const std::string& word : options.run.words()) text += " " + quoted(word);
  }
  return text + fmt::format(
                    " --worker-id {} --world-size {} --world-size-trainers {} --master-ip {} "
                    "--master-port {} --timeout {}",
                    worker, size, hosts.trainers.size(),
                    quoted(options.master_ip.empty() ? hosts.oracle : options.master_ip), options.master_port,
                    options.timeout);
}

}  // namespace overture::cli
