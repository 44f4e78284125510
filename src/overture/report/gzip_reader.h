// Reads a gzip file, or a plain one, as a stream of text. zlib tells the two apart.
#pragma once

#include <filesystem>
#include <memory>
#include <streambuf>
#include <vector>

struct gzFile_s;

namespace overture::report {

class GzipReader : public std::streambuf {
 public:
  // Throws UserError when the file cannot be opened. A damaged file ends early: see whole().
  explicit GzipReader(const std::filesystem::path& path);

  // Whether no error came up so far.
  bool whole() const { return whole_; }

 protected:
  int_type underflow() override;

 private:
  struct Closer {
    void operator()(gzFile_s* file) const;
  };

  std::unique_ptr<gzFile_s, Closer> file_;
  std::vector<char> buffer_;
  bool whole_ = true;
};

}  // namespace overture::report
