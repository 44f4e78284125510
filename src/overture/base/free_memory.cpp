#include "overture/base/free_memory.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace overture {
namespace {

std::optional<Bytes> of_machine() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  while (file >> word) {
    std::int64_t kib = 0;
    if (word == "MemAvailable:" && file >> kib) return Bytes{kib * 1024};
  }
  return std::nullopt;
}

std::optional<std::int64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::int64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;  // not there, or "max"
}

std::optional<Bytes> of_control_group() {
  const auto most = number_in("/sys/fs/cgroup/memory.max");
  const auto used = number_in("/sys/fs/cgroup/memory.current");
  if (!most || !used) return std::nullopt;
  return Bytes{std::max<std::int64_t>(*most - *used, 0)};
}

}  // namespace

std::optional<Bytes> free_memory() {
  const std::optional<Bytes> machine = of_machine();
  const std::optional<Bytes> group = of_control_group();
  if (machine && group) return std::min(*machine, *group);
  return machine ? machine : group;
}

}  // namespace overture
