#include "overture/formats/chakra/records.h"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <protozero/varint.hpp>
#include <zlib.h>

#include "overture/base/error.h"

namespace overture::chakra {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;
// Protobuf itself takes no message of 2 GiB or more.
constexpr std::uint64_t kLongestRecord = (std::uint64_t{1} << 31) - 1;

}  // namespace

void RecordReader::Closer::operator()(gzFile_s* file) const { gzclose_r(file); }

RecordReader::RecordReader(std::string path) : path_(std::move(path)), file_(gzopen(path_.c_str(), "rb")) {
  if (!file_) throw UserError({.file = path_}, std::string("cannot be opened: ") + std::strerror(errno));
  gzbuffer(file_.get(), 1U << 16);
  buffer_.resize(std::size_t{1} << 14);  // most traces of one rank are small
}

void RecordReader::fail(std::string_view what) const {
  throw UserError({.file = path_}, fmt::format("at byte {}: {}", record_at_, what),
                  "a Chakra trace is a file of protobuf records, plain or gzipped");
}

// At least `wanted` bytes in the buffer; false at the end of the file.
bool RecordReader::fill(std::size_t wanted) {
  while (end_ - begin_ < wanted) {
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    // The length is only a claim, so the buffer grows as the bytes come.
    if (end_ == buffer_.size()) buffer_.resize(buffer_.size() < kBuffer ? kBuffer : 2 * buffer_.size());
    const int read = gzread(file_.get(), buffer_.data() + end_, static_cast<unsigned>(buffer_.size() - end_));
    if (read < 0) {
      int code = 0;
      const char* text = gzerror(file_.get(), &code);
      fail(code == Z_ERRNO ? std::strerror(errno) : text);
    }
    if (read == 0) return false;
    end_ += static_cast<std::size_t>(read);
  }
  return true;
}

bool RecordReader::length(std::uint64_t& length) {
  length = 0;
  for (unsigned shift = 0; shift < 35; shift += 7) {
    if (!fill(1)) {
      if (shift == 0) return false;
      fail("the file ends inside a record's length");
    }
    const auto byte = static_cast<unsigned char>(buffer_[begin_]);
    ++begin_;
    ++consumed_;
    length |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return true;
  }
  fail("a record's length does not end");
}

bool RecordReader::next(std::string_view& record) {
  record_at_ = consumed_;
  std::uint64_t size = 0;
  if (!length(size)) {
    int code = 0;
    const char* text = gzerror(file_.get(), &code);
    if (code != Z_OK && code != Z_STREAM_END) fail(text);
    return false;
  }
  if (size > kLongestRecord) fail(fmt::format("a record claims {} bytes", size));
  if (!fill(size))
    fail(fmt::format("a record of {} bytes is cut short, {} of them are there", size, end_ - begin_));
  record = {buffer_.data() + begin_, static_cast<std::size_t>(size)};
  begin_ += size;
  consumed_ += size;
  return true;
}

void append_record(std::string& file, std::string_view record) {
  protozero::write_varint(std::back_inserter(file), record.size());
  file += record;
}

}  // namespace overture::chakra
