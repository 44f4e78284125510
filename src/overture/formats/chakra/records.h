// The framing of a Chakra file: records of `varint length` and so many bytes, one after the other, the whole
// perhaps gzipped. Reads as a stream, so a file of any size takes a buffer of a megabyte.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct gzFile_s;

namespace overture::chakra {

class RecordReader {
 public:
  // Throws UserError when the file cannot be opened.
  explicit RecordReader(std::string path);

  // The next record, valid until the next call; false at the end. Throws UserError for a file that is cut
  // short or damaged, with the byte at which it goes wrong.
  bool next(std::string_view& record);
  // Where the record began, in bytes of the unpacked file.
  std::uint64_t offset() const { return record_at_; }

 private:
  struct Closer {
    void operator()(gzFile_s* file) const;
  };

  bool length(std::uint64_t& length);
  bool fill(std::size_t wanted);
  [[noreturn]] void fail(std::string_view what) const;

  std::string path_;
  std::unique_ptr<gzFile_s, Closer> file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t consumed_ = 0;  // bytes before begin_
  std::uint64_t record_at_ = 0;
};

// A whole file in the same framing.
void append_record(std::string& file, std::string_view record);

}  // namespace overture::chakra
