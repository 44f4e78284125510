// A file that grows while a run goes on, and that other programs may follow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace overture::train {

class AppendedFile {
 public:
  // Starts with `text`, in place of what is there. Throws UserError when it cannot be written, as the others
  // do.
  AppendedFile(const std::filesystem::path& path, const std::string& text);
  ~AppendedFile();
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;

  // Reaches the file before this returns, so that a killed program has written it.
  void write(const std::string& text) { replace_end(0, text); }
  // The same over the last so many bytes.
  void replace_end(std::size_t bytes, const std::string& text);

 private:
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

}  // namespace overture::train
