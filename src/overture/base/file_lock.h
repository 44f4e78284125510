// FileLock: nobody else, in this process or another, works in the same place at the same time. The lock ends
// with the object, and with the process however that ends.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

namespace overture {

class FileLock {
 public:
  FileLock() = default;
  // Locks `file`, which is made if it is not there. Throws UserError for `place` when somebody else has it.
  // Where a file system knows no locks, there is none.
  FileLock(const std::filesystem::path& file, const std::filesystem::path& place);
  ~FileLock();
  FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

 private:
  int descriptor_ = -1;
};

// Of a folder, which must exist.
inline FileLock lock_folder(const std::filesystem::path& folder) { return {folder / ".lock", folder}; }

}  // namespace overture
