#include "overture/base/memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <sys/resource.h>

#include "overture/base/error.h"

namespace overture {
namespace {

constexpr Bytes kEverything{std::numeric_limits<std::int64_t>::max()};

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

// Of data: private memory that can be written. Address space alone, as of mapped files, costs nothing.
void limit_memory(Bytes most) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they reserve terabytes
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min({limit.rlim_cur, limit.rlim_max, static_cast<rlim_t>(most.count())});
  setrlimit(RLIMIT_DATA, &limit);
#else
  (void)most;
#endif
}

Bytes memory_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kEverything;
  return Bytes{
      static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_cur, static_cast<rlim_t>(kEverything.count())))};
}

void require_memory(Bytes needed, std::string_view what) {
  if (needed <= memory_limit()) return;
  throw UserError(fmt::format("{} needs about {} of memory, more than the {} that this run may take", what,
                              to_string(needed), to_string(memory_limit())),
                  "use something smaller, or more memory with --max-memory");
}

}  // namespace overture
