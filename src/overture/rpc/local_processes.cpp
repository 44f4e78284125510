#include "overture/rpc/local_processes.h"

#include <cstddef>
#include <fstream>
#include <functional>
#include <string>

#include <unistd.h>

namespace overture::rpc {
namespace {

// One that has ended stays as a zombie until whoever started it has looked.
bool runs(std::int64_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  if (!std::getline(file, text)) return false;
  const std::size_t name_end = text.rfind(')');
  return name_end != std::string::npos && name_end + 2 < text.size() && text[name_end + 2] != 'Z' &&
         text[name_end + 2] != 'X';
}

}  // namespace

ProcessPlace ProcessPlace::here() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return {.machine = static_cast<std::int64_t>(std::hash<std::string>{}(name)), .process = getpid()};
}

LocalProcesses::LocalProcesses(const std::vector<ProcessPlace>& places) {
  const ProcessPlace own = ProcessPlace::here();
  for (const ProcessPlace& place : places) {
    const bool visible = place.machine == own.machine && place.process != own.process && runs(place.process);
    watched_.push_back(visible ? place.process : 0);
  }
}

std::optional<int> LocalProcesses::ended() const {
  for (std::size_t rank = 0; rank < watched_.size(); ++rank) {
    if (watched_[rank] != 0 && !runs(watched_[rank])) return static_cast<int>(rank);
  }
  return std::nullopt;
}

}  // namespace overture::rpc
