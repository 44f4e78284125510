#include "overture/base/folder_hold.h"

#include <cerrno>
#include <mutex>
#include <set>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "overture/base/error.h"

namespace overture {
namespace {

enum class Locked : std::uint8_t { yes, by_another, cannot };

// The descriptor stays open until the process ends: that is the lock.
Locked lock(const std::filesystem::path& path, int flags, FolderUse use) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0644);
  if (descriptor < 0) return Locked::cannot;
  if (::flock(descriptor, (use == FolderUse::alone ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0) return Locked::yes;
  const bool taken = errno == EWOULDBLOCK;
  ::close(descriptor);
  return taken ? Locked::by_another : Locked::cannot;
}

}  // namespace

void hold_folder(const std::filesystem::path& folder, FolderUse use) {
  static std::mutex mutex;
  static std::set<std::filesystem::path> held;
  const std::lock_guard guard(mutex);
  std::error_code error;
  const std::filesystem::path place = std::filesystem::canonical(folder, error);
  if (error || held.contains(place)) return;
  Locked locked = lock(place, O_RDONLY | O_DIRECTORY, use);
  // NFS wants a file that is open for writing, which a folder never is.
  if (locked == Locked::cannot) locked = lock(place / ".lock", O_RDWR | O_CREAT, use);
  if (locked == Locked::by_another)
    throw UserError({.file = folder.string()}, "is in use by another run",
                    "wait until it ends, or name another folder with -o");
  if (locked == Locked::yes) held.insert(place);
}

}  // namespace overture
