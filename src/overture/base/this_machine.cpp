#include "overture/base/this_machine.h"

#include <array>
#include <fstream>
#include <thread>

#include <unistd.h>

#include "overture/base/text.h"

namespace overture {
namespace {

// The line is the same for all cores of a machine.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

}  // namespace

std::string MachineName::text() const { return processor + ", " + counted(cores, "core"); }

MachineName this_machine() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return {.processor = processor_name(),
          .cores = static_cast<int>(std::thread::hardware_concurrency()),
          .host = host.data()};
}

}  // namespace overture
