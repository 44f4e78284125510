#include "overture/base/disk.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace overture {
namespace {

namespace fs = std::filesystem;

bool told(const std::error_code& error) {
  if (error) errno = error.value();
  return !error;
}

class MachineDisk : public Disk {
 public:
  int create(const fs::path& path) override {
    return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  }
  std::int64_t write(int file, std::int64_t place, const char* data, std::size_t size) override {
    const ssize_t written = ::pwrite(file, data, size, place);
    if (written >= 0 || errno != ESPIPE) return written;
    return ::write(file, data, size);  // a pipe or terminal has no places, and we write in their order
  }
  bool sync(int file) override { return ::fsync(file) == 0; }
  bool close(int file) override { return ::close(file) == 0; }
  bool rename(const fs::path& from, const fs::path& to) override {
    return std::rename(from.c_str(), to.c_str()) == 0;
  }
  bool replace_folder(const fs::path& from, const fs::path& to) override {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) {
      sync_folder(to.parent_path());  // or a crash may keep the old folder at `to`, and that it was emptied
      return remove(from);
    }
    return remove(to) && rename(from, to);  // there is none, or the file system cannot exchange
  }
  bool remove(const fs::path& path) override {
    std::error_code error;
    fs::remove_all(path, error);
    return told(error);
  }
  bool make_folder(const fs::path& path) override {
    std::error_code error;
    if (path.empty() || fs::is_directory(path, error)) return true;
    if (!make_folder(path.parent_path())) return false;
    if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) return false;
    if (!fs::is_directory(path, error)) return told(std::make_error_code(std::errc::not_a_directory));
    sync_folder(path.parent_path());  // or a crash takes the folder and all that was written to it
    return true;
  }
  bool sync_folder(const fs::path& folder) override {
    const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return false;
    const bool synced = ::fsync(descriptor) == 0;
    ::close(descriptor);
    return synced;
  }
};

std::atomic<Disk*>& in_use() {
  static std::atomic<Disk*> current = &machine_disk();
  return current;
}

}  // namespace

Disk& machine_disk() {
  static MachineDisk machine;
  return machine;
}

Disk& disk() { return *in_use().load(std::memory_order_relaxed); }

DiskInstead::DiskInstead(Disk& other) { in_use() = &other; }
DiskInstead::~DiskInstead() { in_use() = &machine_disk(); }

}  // namespace overture
