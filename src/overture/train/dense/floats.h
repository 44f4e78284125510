// Floats: numbers on a cache line of their own, so that a matrix product never depends on where its operands
// happen to lie.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

namespace overture::train {

template <class T>
struct CacheLines {
  using value_type = T;

  CacheLines() = default;
  template <class U>
  CacheLines(const CacheLines<U>& /*other*/) {}  // NOLINT(google-explicit-constructor): containers rebind

  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{64}));
  }
  void deallocate(T* memory, std::size_t /*count*/) { ::operator delete (memory, std::align_val_t{64}); }
  bool operator==(const CacheLines&) const = default;
};

using Floats = std::vector<float, CacheLines<float>>;

}  // namespace overture::train
