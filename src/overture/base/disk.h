// Disk: what we ask of a file system when we write. One seam, so that a test can put a disk in place of the
// machine's that is full, writes less than asked, fails to sync, or keeps of the last moments what a power
// cut would leave. Reading goes past it: what is read was written before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace overture {

// As the calls of POSIX: a negative number or false is a failure, which errno tells.
class Disk {
 public:
  virtual ~Disk() = default;

  // A new or emptied file, to be written.
  virtual int create(const std::filesystem::path& path) = 0;
  // How much was written, which may be less than asked. A pipe or terminal ignores the place.
  virtual std::int64_t write(int file, std::int64_t place, const char* data, std::size_t size) = 0;
  virtual bool sync(int file) = 0;
  virtual bool close(int file) = 0;
  // A file or folder, within one folder; takes the place of a file that is there.
  virtual bool rename(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
  // A folder takes the place of another, which is then gone. Where the file system can, at no moment is there
  // none.
  virtual bool replace_folder(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
  // A file, or a folder and all that is in it. What is not there is no failure.
  virtual bool remove(const std::filesystem::path& path) = 0;
  // With those above it.
  virtual bool make_folder(const std::filesystem::path& path) = 0;
  // Lets the disk have what came, went and was renamed in a folder.
  virtual bool sync_folder(const std::filesystem::path& folder) = 0;
};

// The one that everything writes to: the machine's.
Disk& disk();
// The machine's own, whatever disk() is.
Disk& machine_disk();

// For tests: while it lives, disk() is another, for all threads. At most one lives.
class DiskInstead {
 public:
  // `other` outlives it.
  explicit DiskInstead(Disk& other);
  ~DiskInstead();
  DiskInstead(const DiskInstead&) = delete;
  DiskInstead& operator=(const DiskInstead&) = delete;
};

}  // namespace overture
