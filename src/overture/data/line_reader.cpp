#include "overture/data/line_reader.h"

#include <cstring>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::data {
namespace {

constexpr std::size_t kLineBuffer = 1 << 20;  // also the longest line; Criteo's have some 300 bytes

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

LineReader::LineReader(std::unique_ptr<ByteSource> source, std::string name)
    : source_(std::move(source)), name_(std::move(name)), buffer_(kLineBuffer) {}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = begin_;
  while (true) {
    const char* start = buffer_.data() + begin_;
    const void* found = std::memchr(buffer_.data() + searched, '\n', end_ - searched);
    if (found != nullptr) {
      const auto length = static_cast<std::size_t>(static_cast<const char*>(found) - start);
      line = without_return({start, length});
      begin_ += length + 1;
      break;
    }
    const std::size_t pending = end_ - begin_;
    if (!refill()) {
      if (pending == 0) return false;
      line = without_return({buffer_.data() + begin_, pending});
      begin_ = end_;
      break;
    }
    searched = begin_ + pending;
  }
  ++line_number_;
  return true;
}

bool LineReader::refill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size()) {
    throw UserError(
        {.file = name_},
        fmt::format("line {} is longer than 1 MiB: not a text with one sample a line", line_number_ + 1));
  }
  const std::size_t got = source_->read(buffer_.data() + end_, buffer_.size() - end_);
  end_ += got;
  return got > 0;
}

}  // namespace overture::data
