// A file that grows while a run goes on, and that other programs may follow.
#pragma once

#include <filesystem>
#include <string>

#include "overture/embedding/block_file.h"

namespace overture::train {

class AppendedFile {
 public:
  // Starts with `text`, in place of what is there. Throws UserError when it cannot be written, as write()
  // does.
  AppendedFile(const std::filesystem::path& path, const std::string& text);

  // Reaches the file before this returns.
  void write(const std::string& text);

 private:
  std::filesystem::path path_;
  embedding::File file_;
};

}  // namespace overture::train
