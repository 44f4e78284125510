// InputFile: a file that is open for reading, by bytes and places. It unpacks nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace overture::data {

class InputFile {
 public:
  // Throws UserError when the file is missing, is a folder, or cannot be read.
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  std::size_t read_at(std::int64_t place, char* into, std::size_t most) const;
  std::int64_t size() const { return size_; }
  int descriptor() const { return descriptor_; }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

}  // namespace overture::data
