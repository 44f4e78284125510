// Things by index that come and go: allocates only while it grows, and a thing keeps its memory for the next
// user.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace overture::network::packet {

template <class T>
class Pool {
 public:
  // A thing in whatever state its last user left it.
  std::uint32_t take() {
    if (free_.empty()) {
      items_.emplace_back();
      return static_cast<std::uint32_t>(items_.size() - 1);
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    return index;
  }
  void give_back(std::uint32_t index) { free_.push_back(index); }

  T& operator[](std::uint32_t index) { return items_[index]; }
  const T& operator[](std::uint32_t index) const { return items_[index]; }
  std::size_t size() const { return items_.size(); }
  std::size_t memory() const {
    return items_.capacity() * sizeof(T) + free_.capacity() * sizeof(std::uint32_t);
  }

 private:
  std::vector<T> items_;
  std::vector<std::uint32_t> free_;
};

}  // namespace overture::network::packet
