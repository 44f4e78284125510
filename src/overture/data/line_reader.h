// LineReader: the lines of a text of any length, seen where they lie in a buffer of fixed size.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "overture/data/byte_source.h"

namespace overture::data {

class LineReader {
 public:
  // `name` is what errors call the text.
  LineReader(std::unique_ptr<ByteSource> source, std::string name);

  // The next line without its end ("\n" or "\r\n"), valid until the next call. False at the end. Throws
  // UserError for a line that no dataset has: then it is not a text.
  bool next(std::string_view& line);

  std::int64_t line_number() const { return line_number_; }  // of the last line, from 1
  const std::string& name() const { return name_; }
  Position position() const { return source_->position(); }

 private:
  bool refill();

  std::unique_ptr<ByteSource> source_;
  std::string name_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::int64_t line_number_ = 0;
};

}  // namespace overture::data
