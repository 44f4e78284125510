// FileLock: nobody else, in this process or another, uses the same file at the same time. The lock ends with
// the object, and with the process however that ends. For a folder of results, see hold_folder().
#pragma once

#include <filesystem>
#include <utility>

namespace overture {

class FileLock {
 public:
  FileLock() = default;
  // Locks `file`, which is made if it is not there. Throws UserError when somebody else has it. Where a file
  // system knows no locks, there is none.
  explicit FileLock(const std::filesystem::path& file);
  ~FileLock();
  FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

 private:
  int descriptor_ = -1;
};

}  // namespace overture
