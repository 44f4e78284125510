// Files for readers that want a path: one without a disk, or a folder that a fuzzer fills again for every
// input.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "targets.h"
#include <sys/mman.h>
#include <unistd.h>

namespace overture::fuzz {

class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(memfd_create("fuzz", 0)) {
    require(descriptor_ >= 0 &&
                ::write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
            "memory can be written");
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

// In memory where the machine has such a place. Goes with the program.
class ScratchFolder {
 public:
  ScratchFolder() {
    const bool shared = std::filesystem::is_directory("/dev/shm");
    std::string pattern = std::string(shared ? "/dev/shm" : "/tmp") + "/overture-fuzz-XXXXXX";
    require(mkdtemp(pattern.data()) != nullptr, "a folder can be made");
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, std::string_view bytes) const {
    std::ofstream(path_ / name, std::ios::binary | std::ios::trunc) << bytes;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace overture::fuzz
