#include "overture/data/npy.h"

#include <charconv>
#include <cstring>

#include <fmt/format.h>

namespace overture::data {
namespace {

// The value behind a key of the header, which is a Python dictionary in a fixed style.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::size_t found = header.find(key);
  if (found == std::string_view::npos) return {};
  std::string_view rest = header.substr(found + key.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(": "), rest.size()));
  return rest;
}

bool parse_shape(std::string_view text, std::vector<std::int64_t>& shape) {
  if (!text.starts_with('(')) return false;
  text = text.substr(1, text.find(')') - 1);
  while (!text.empty()) {
    if (text.front() == ' ' || text.front() == ',') {
      text.remove_prefix(1);
      continue;
    }
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || number < 0) return false;
    shape.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return true;
}

template <class Number>
double number_at(const char* bytes) {
  Number number{};
  std::memcpy(&number, bytes, sizeof number);
  return static_cast<double>(number);
}

}  // namespace

NpyArray::NpyArray(std::unique_ptr<ByteSource> source, Where where)
    : source_(std::move(source)), where_(std::move(where)), buffer_(1 << 16) {
  const std::string header = read_header();
  const std::string_view descr = value_of(header, "'descr'");
  const std::string_view type = descr.substr(0, 5);  // such as '<i4'
  const bool known = type.size() == 5 && (type[1] == '<' || type[1] == '|') &&
                     std::string_view("iufb").find(type[2]) != std::string_view::npos &&
                     std::string_view("1248").find(type[3]) != std::string_view::npos &&
                     (type[2] != 'f' || type[3] >= '4') && (type[2] != 'b' || type[3] == '1');
  if (!known) {
    throw UserError(where_, fmt::format("numbers of type {} are not known here", type),
                    "known: integers, and floats of 4 and 8 bytes, little-endian");
  }
  kind_ = type[2];
  width_ = static_cast<std::size_t>(type[3] - '0');
  if (!value_of(header, "'fortran_order'").starts_with("False")) {
    throw UserError(where_, "is in Fortran's order", "save it with numpy.ascontiguousarray");
  }
  if (!parse_shape(value_of(header, "'shape'"), shape_)) throw UserError(where_, "has no readable shape");
}

// numpy/lib/format.py: magic, version, the length of the header (2 bytes, or 4 from version 2 on), the
// header.
std::string NpyArray::read_header() {
  std::string start(8, '\0');
  if (read_fully(*source_, start.data(), 8) != 8 || !start.starts_with("\x93NUMPY")) {
    throw UserError(where_, "is not an array of numpy's");
  }
  const std::size_t bytes = start[6] == 1 ? 2 : 4;
  std::uint32_t length = 0;
  constexpr std::uint32_t kLongest = 1 << 16;
  if (read_fully(*source_, reinterpret_cast<char*>(&length), bytes) != bytes || length > kLongest) {
    throw UserError(where_, "has a damaged header");
  }
  std::string header(length, '\0');
  if (read_fully(*source_, header.data(), length) != length) throw UserError(where_, "has a damaged header");
  return header;
}

void NpyArray::refill() {
  at_ = 0;
  end_ = read_fully(*source_, buffer_.data(), buffer_.size());
  end_ -= end_ % width_;
  if (end_ == 0) throw UserError(where_, "is cut short: it has fewer numbers than its shape says");
}

double NpyArray::next() {
  if (at_ == end_) refill();
  const char* bytes = buffer_.data() + at_;
  at_ += width_;
  if (kind_ == 'f') return width_ == 4 ? number_at<float>(bytes) : number_at<double>(bytes);
  const bool is_signed = kind_ == 'i';
  switch (width_) {
    case 1: return is_signed ? number_at<std::int8_t>(bytes) : number_at<std::uint8_t>(bytes);
    case 2: return is_signed ? number_at<std::int16_t>(bytes) : number_at<std::uint16_t>(bytes);
    case 4: return is_signed ? number_at<std::int32_t>(bytes) : number_at<std::uint32_t>(bytes);
    default: return is_signed ? number_at<std::int64_t>(bytes) : number_at<std::uint64_t>(bytes);
  }
}

}  // namespace overture::data
