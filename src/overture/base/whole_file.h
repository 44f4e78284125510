// WholeFile: the one way in which files are written that must be whole or not there: beside the target, then
// synced, closed and renamed, and the folder synced. A crash, a power cut or a full disk leaves the old file
// or none, never half of one. A link is followed. What is no file, a device or a pipe, is written to as it
// stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace overture {

class WholeFile {
 public:
  // Throws UserError when the folder does not exist or may not be written.
  explicit WholeFile(std::filesystem::path path);
  // Without close() nothing remains.
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  // Throws UserError when the disk is full; the same goes for close().
  void write(const void* data, std::size_t size);
  void write(std::string_view text) { write(text.data(), text.size()); }
  // Over what stands at the front already; not in a pipe.
  void write_front(const void* data, std::size_t size);
  // After this the file is at its path, on the disk, and nothing more may be written.
  void close();

  std::int64_t size() const { return size_; }
  // For a library that writes by itself, instead of write().
  int descriptor() const { return descriptor_; }

 private:
  [[noreturn]] void fail(int why);
  void write_at(std::int64_t place, const char* data, std::size_t size);
  void flush();

  void remove_partial();

  std::filesystem::path path_;
  std::filesystem::path partial_;  // path_ itself where nothing may take its place
  int descriptor_ = -1;            // negative once closed
  std::int64_t size_ = 0;
  std::string pending_;  // the last of size_
};

// Lets the disk have what was renamed or removed in `folder`.
void sync_folder(const std::filesystem::path& folder);

}  // namespace overture
