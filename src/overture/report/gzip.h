// Writes one gzip file piece by piece. The bytes depend on what was written and on nothing else: no name, no
// time. It is not a reader.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "overture/base/whole_file.h"

struct gzFile_s;

namespace overture::report {

class GzipFile {
 public:
  // As a WholeFile: a crash leaves the old file or none, never half of one. Throws UserError when the folder
  // does not exist or may not be written.
  explicit GzipFile(std::filesystem::path path);

  // Throws UserError when the disk is full; the same goes for close(), since most of it is written late.
  void write(std::string_view text);
  // After this, the file is at its path and nothing more may be written.
  void close();

 private:
  struct Closer {
    void operator()(gzFile_s* file) const;
  };

  [[noreturn]] void fail();

  std::filesystem::path path_;
  WholeFile whole_;
  std::unique_ptr<gzFile_s, Closer> file_;  // null once closed
};

}  // namespace overture::report
