#include "overture/base/memory.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>

#include "overture/base/error.h"
#include "overture/base/text.h"

namespace overture {
namespace {

constexpr Bytes kEverything{std::numeric_limits<std::int64_t>::max()};

namespace fs = std::filesystem;

// The number behind a word in a file of such pairs; 0 if it is not there.
std::int64_t number_behind(const fs::path& file, std::string_view word) {
  std::ifstream in(file);
  std::int64_t number = 0;
  for (std::string found; in >> found;) {
    if (found == word && in >> number) return number;
  }
  return 0;
}

std::optional<std::int64_t> number_in(const fs::path& file) {
  std::ifstream in(file);
  std::int64_t number = 0;
  if (in >> number) return number;
  return std::nullopt;  // not there, or "max"
}

// How the two versions of control groups name their files.
struct GroupFiles {
  const char* most;
  const char* used;
  std::array<std::string_view, 2>
      cache;  // words of memory.stat: files' pages, which others get when they need them
};
constexpr GroupFiles kFirst{
    "memory.limit_in_bytes", "memory.usage_in_bytes", {"total_inactive_file", "total_active_file"}};
constexpr GroupFiles kSecond{"memory.max", "memory.current", {"inactive_file", "active_file"}};

std::optional<Bytes> free_in_group(const fs::path& folder, const GroupFiles& files) {
  const auto most = number_in(folder / files.most);
  const auto used = number_in(folder / files.used);
  if (!most || !used) return std::nullopt;
  std::int64_t kept = *used;
  for (const std::string_view word : files.cache) kept -= number_behind(folder / "memory.stat", word);
  return Bytes{std::max<std::int64_t>(*most - std::max<std::int64_t>(kept, 0), 0)};
}

// A group's limit holds for all groups below it. In a container, folders of groups around it may be missing.
void take_groups(const fs::path& mounted, fs::path group, const GroupFiles& files,
                 std::optional<Bytes>& least) {
  for (;; group = group.parent_path()) {
    if (const auto free = free_in_group(mounted / group.relative_path(), files))
      least = std::min(least.value_or(*free), *free);
    if (group.relative_path().empty()) return;
  }
}

}  // namespace

std::optional<Bytes> free_memory(const fs::path& system) {
  std::optional<Bytes> least;
  if (const std::int64_t kib = number_behind(system / "proc/meminfo", "MemAvailable:"); kib > 0)
    least = Bytes{kib * 1024};
  std::ifstream groups(system / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "4:memory:/job", or "0::/job"
    const std::vector<std::string> parts = split(line, ':');
    if (parts.size() < 3 || !parts[2].starts_with('/')) continue;
    if (parts[1] == "memory") take_groups(system / "sys/fs/cgroup/memory", parts[2], kFirst, least);
    if (parts[1].empty()) take_groups(system / "sys/fs/cgroup", parts[2], kSecond, least);
  }
  return least;
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
  Bytes least = kEverything;
  for (const auto resource : {RLIMIT_DATA, RLIMIT_AS}) {  // the second is the shell's: ulimit -v
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur > static_cast<rlim_t>(kEverything.count()))
      continue;
    least = std::min(least, Bytes{static_cast<std::int64_t>(limit.rlim_cur)});
  }
  return least;
}

void require_memory(Bytes needed, std::string_view what) {
  if (needed <= memory_limit()) return;
  throw UserError(fmt::format("{} needs about {} of memory, more than the {} that this run may take", what,
                              to_string(needed), to_string(memory_limit())),
                  "use something smaller, or more memory with --max-memory");
}

}  // namespace overture
