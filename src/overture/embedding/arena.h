// Arena: a large piece of memory for rows, on huge pages where the machine has them, or backed by a file when
// the rows are more than the memory holds. Starts as zeros; not copied, never moved.
#pragma once

#include <cstddef>
#include <filesystem>

#include "overture/base/file_lock.h"

namespace overture::embedding {

class Arena {
 public:
  Arena() = default;
  // Throws std::bad_alloc when there is not so much.
  explicit Arena(std::size_t size);
  // In a new file, which takes the place of one of an arena, and which nobody else may use meanwhile.
  // Throws UserError when it cannot be made, is in use, or holds something else, which then stays.
  Arena(std::size_t size, const std::filesystem::path& file);
  ~Arena();
  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&& other) noexcept;

  float* floats() const { return static_cast<float*>(data_); }
  std::size_t size() const { return size_; }

 private:
  void release();

  void* data_ = nullptr;
  std::size_t size_ = 0;
  void* mapped_ = nullptr;
  std::size_t mapped_size_ = 0;
  FileLock lock_;  // of the file
};

}  // namespace overture::embedding
