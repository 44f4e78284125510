// How numbers and arrays of them become the bytes of a message, and are read back without a copy. Arrays
// start at multiples of eight bytes. Both ends have the same byte order; a cluster of mixed ones is not
// meant. What comes from a peer is not trusted: a length that the message does not have is a BadMessage.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "overture/base/check.h"
#include "overture/rpc/message.h"

namespace overture::rpc {

template <class T>
concept Plain = std::is_trivially_copyable_v<T>;

// A peer has sent what nobody who follows the protocol sends.
class BadMessage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
inline void require(bool holds, const char* what) {
  if (!holds) throw BadMessage(what);
}

constexpr std::size_t kAlignment = 8;
constexpr std::size_t kMostBytes = std::size_t{1} << 40;
constexpr std::size_t aligned(std::size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

class WireWriter {
 public:
  explicit WireWriter(Buffer& buffer) : buffer_(buffer) { buffer_.clear(); }

  template <Plain T>
  void put(const T& value) {
    std::memcpy(grow(sizeof(T)), &value, sizeof(T));
  }
  template <Plain T>
  void put(std::span<const T> values) {
    check(values.size_bytes() < kMostBytes, "an array fits into a message");
    std::copy(values.begin(), values.end(), room<T>(values.size()));
  }
  void put(const std::string& text) { put(std::span<const char>(text)); }

  // Room for an array that the caller fills before the next call.
  template <Plain T>
  T* room(std::size_t count) {
    put(static_cast<std::uint64_t>(count));
    return reinterpret_cast<T*>(grow(count * sizeof(T)));
  }

 private:
  std::byte* grow(std::size_t size) {
    const std::size_t at = buffer_.size();
    buffer_.resize(at + aligned(size));
    return buffer_.data() + at;
  }

  Buffer& buffer_;
};

// Throws BadMessage when the buffer holds less than is asked for.
class WireReader {
 public:
  // The buffer must outlive what is read.
  explicit WireReader(const Buffer& buffer) : buffer_(buffer) {}

  template <Plain T>
  T get() {
    T value;
    std::memcpy(&value, take(sizeof(T)), sizeof(T));
    return value;
  }
  template <Plain T>
  std::span<const T> array() {
    const auto count = get<std::uint64_t>();
    require(count <= left() / sizeof(T), "an array is longer than its message");
    return {reinterpret_cast<const T*>(take(static_cast<std::size_t>(count) * sizeof(T))),
            static_cast<std::size_t>(count)};
  }
  std::string text() {
    const auto characters = array<char>();
    return {characters.begin(), characters.end()};
  }

 private:
  std::size_t left() const { return buffer_.size() - at_; }
  const std::byte* take(std::size_t size) {
    require(size <= left() && aligned(size) <= left(), "a message is shorter than its kind promises");
    const std::byte* const data = buffer_.data() + at_;
    at_ += aligned(size);
    return data;
  }

  const Buffer& buffer_;
  std::size_t at_ = 0;
};

}  // namespace overture::rpc
