// The machines of a training run, as `overture launch` reads them: lines of "host role [count]".
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace overture::setup {

// A host stands as often as it has processes.
struct HostsFile {
  std::string oracle;
  std::vector<std::string> trainers;
  std::vector<std::string> servers;
};

// Throws UserError with the line.
HostsFile parse_hosts(std::string_view text, const std::string& file);
HostsFile read_hosts(const std::filesystem::path& file);

}  // namespace overture::setup
