// WindowColumn: one thing about every use of a row in the window, in the order of the batches. Each use has
// its place, a number that it keeps for as long as it is there, the same in all columns; places go round
// through 2^32. The window knows which places are taken.
#pragma once

#include <cstddef>
#include <cstdint>

#include "overture/base/check.h"
#include "overture/base/huge_pages.h"

namespace overture::lookahead {

template <class T>
class WindowColumn {
 public:
  T& operator[](std::uint32_t place) { return values_[place & mask_]; }
  const T& operator[](std::uint32_t place) const { return values_[place & mask_]; }

  // The same, for loops that would read the two again and again.
  struct Places {
    T* values;
    std::uint32_t mask;
    T& operator[](std::uint32_t place) const { return values[place & mask]; }
  };
  Places places() { return {values_.data(), mask_}; }

  // Makes room for `more` places behind those from `begin` to before `end`, which keep their values.
  void reserve(std::uint32_t begin, std::uint32_t end, std::size_t more) {
    const std::size_t needed = end - begin + more;
    if (needed <= values_.size()) return;
    check(needed <= std::size_t{1} << 31, "a window has fewer than 2^31 rows");
    std::size_t size = values_.size();
    while (size < needed) size *= 2;
    HugeVector<T> larger(size);
    for (std::uint32_t place = begin; place != end; ++place) larger[place & (size - 1)] = (*this)[place];
    values_.swap(larger);
    mask_ = static_cast<std::uint32_t>(size - 1);
  }

 private:
  HugeVector<T> values_ = HugeVector<T>(1 << 10);  // a ring; a power of two
  std::uint32_t mask_ = (1 << 10) - 1;
};

}  // namespace overture::lookahead
