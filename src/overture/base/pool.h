// Things by number that come and go: one that is under way takes the place that was given back last, or a new
// one at the end. Allocates only while it grows, and a thing keeps its memory for the next user.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace overture {

template <class T>
class Pool {
 public:
  // A thing in whatever state its last user left it.
  std::uint32_t take() {
    if (free_.empty()) {
      items_.emplace_back();
      return static_cast<std::uint32_t>(items_.size() - 1);
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    return number;
  }
  std::uint32_t keep(T thing) {
    const std::uint32_t number = take();
    items_[number] = std::move(thing);
    return number;
  }
  void give_back(std::uint32_t number) { free_.push_back(number); }
  T release(std::uint32_t number) {
    give_back(number);
    return std::move(items_[number]);
  }

  T& operator[](std::uint32_t number) { return items_[number]; }
  const T& operator[](std::uint32_t number) const { return items_[number]; }
  // All places, those that are free among them.
  std::size_t size() const { return items_.size(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  std::size_t in_use() const { return items_.size() - free_.size(); }
  std::size_t memory() const {
    return items_.capacity() * sizeof(T) + free_.capacity() * sizeof(std::uint32_t);
  }

 private:
  std::vector<T> items_;
  std::vector<std::uint32_t> free_;
};

}  // namespace overture
