// Writes one gzip file piece by piece. The bytes depend on what was written and on nothing else: no name, no
// time. It is not a reader.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "overture/base/whole_file.h"

namespace overture::report {

class GzipFile {
 public:
  // As a WholeFile: a crash leaves the old file or none, never half of one. Throws UserError when the folder
  // does not exist or may not be written.
  explicit GzipFile(std::filesystem::path path);
  ~GzipFile();
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;

  // Throws UserError when the disk is full; the same goes for close(), since most of it is written late.
  void write(std::string_view text);
  // After this, the file is at its path and nothing more may be written.
  void close();

 private:
  struct Stream;  // zlib's

  void put(std::string_view text, bool ends);

  WholeFile whole_;
  std::unique_ptr<Stream> stream_;  // null once closed
};

}  // namespace overture::report
