// Whole numbers as bytes: seven bits each, the low ones first, as in protobuf; small numbers take one byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace overture {

class VarintWriter {
 public:
  explicit VarintWriter(std::string& bytes) : bytes_(bytes) {}

  void operator()(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  // Small numbers of either sign are short.
  void sign(std::int64_t value) {
    (*this)(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
  }
  void text(std::string_view text) {
    (*this)(text.size());
    bytes_ += text;
  }

 private:
  std::string& bytes_;
};

// After the first number that is missing or too large, all are 0 and ok() is false.
class VarintReader {
 public:
  explicit VarintReader(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool empty() const { return bytes_.empty(); }
  bool complete() const { return ok_ && bytes_.empty(); }

  std::uint64_t operator()(std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
    std::uint64_t value = 0;
    for (int shift = 0; ok_; shift += 7) {
      ok_ = !bytes_.empty() && shift < 64;
      if (!ok_) break;
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    ok_ = ok_ && value <= most;
    return ok_ ? value : 0;
  }
  template <class Number>
  Number as() {
    return static_cast<Number>((*this)(static_cast<std::uint64_t>(std::numeric_limits<Number>::max())));
  }
  std::int64_t sign() {
    const std::uint64_t value = (*this)();
    return static_cast<std::int64_t>(value >> 1 ^ (0 - (value & 1)));
  }
  // How many items follow; each takes a byte at least, so a damaged count cannot ask for memory without end.
  std::size_t count() { return (*this)(bytes_.size()); }
  std::string text() {
    const std::size_t size = count();
    if (!ok_) return {};
    const std::string result(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return result;
  }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

}  // namespace overture
