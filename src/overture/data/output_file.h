// OutputFile: writes beside the target and renames at the end, so that a crash or a full disk leaves the old
// file or none, never half of one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace overture::data {

class OutputFile {
 public:
  // Throws UserError when the folder does not exist or may not be written.
  explicit OutputFile(std::filesystem::path path);
  // Without close() nothing remains.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Throws UserError when the disk is full; the same goes for close().
  void write(const void* data, std::size_t size);
  void write(std::string_view text) { write(text.data(), text.size()); }
  // Over what stands at the front already.
  void write_front(const void* data, std::size_t size);
  // After this the file is at its path, on the disk, and nothing more may be written.
  void close();

  std::int64_t size() const { return size_; }

 private:
  [[noreturn]] void fail(int why);
  void write_at(std::int64_t place, const char* data, std::size_t size);
  void flush();

  std::filesystem::path path_;
  std::filesystem::path partial_;
  int descriptor_ = -1;  // negative once closed
  std::int64_t size_ = 0;
  std::string pending_;  // the last of size_
};

}  // namespace overture::data
