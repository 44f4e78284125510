// How numbers and arrays of them become the bytes of a message, and are read back without a copy. Arrays
// start at multiples of eight bytes. Both ends have the same byte order; a cluster of mixed ones is not
// meant.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

#include "overture/base/check.h"
#include "overture/rpc/message.h"

namespace overture::rpc {

template <class T>
concept Plain = std::is_trivially_copyable_v<T>;

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
    const auto count = static_cast<std::size_t>(get<std::uint64_t>());
    return {reinterpret_cast<const T*>(take(count * sizeof(T))), count};
  }
  std::string text() {
    const auto characters = array<char>();
    return {characters.begin(), characters.end()};
  }

 private:
  const std::byte* take(std::size_t size) {
    check(aligned(size) <= buffer_.size() - at_, "a message holds what its kind promises");
    const std::byte* const data = buffer_.data() + at_;
    at_ += aligned(size);
    return data;
  }

  const Buffer& buffer_;
  std::size_t at_ = 0;
};

}  // namespace overture::rpc
