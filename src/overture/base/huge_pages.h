// HugePages: an allocator for large arrays that are read at random or in large strides: on huge pages a place
// costs one cache miss, on ordinary ones also a walk through the page tables, which takes as long again.
// Small arrays come from the heap, each on a cache line of its own.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#include <sys/mman.h>

namespace overture {

template <class T>
class HugePages {
 public:
  using value_type = T;

  HugePages() = default;
  template <class U>
  HugePages(const HugePages<U>& /*other*/) {}  // NOLINT(google-explicit-constructor): containers rebind

  T* allocate(std::size_t count) {
    const std::size_t size = rounded(count);
    if (size < kPage) return static_cast<T*>(::operator new(size, kLine));
    void* const memory = std::aligned_alloc(kPage, size);
    if (memory == nullptr) throw std::bad_alloc();
    madvise(memory, size, MADV_HUGEPAGE);  // a hint: without huge pages it is only slower
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (rounded(count) < kPage) {
      ::operator delete(memory, kLine);
    } else {
      std::free(memory);
    }
  }

  bool operator==(const HugePages&) const = default;

 private:
  static constexpr std::size_t kPage = std::size_t{2} << 20;
  static constexpr std::align_val_t kLine{64};
  static constexpr std::size_t kLeast = kPage / 4;  // what is smaller would waste most of a page

  static std::size_t rounded(std::size_t count) {
    const std::size_t size = count * sizeof(T);
    return size < kLeast ? size : (size + kPage - 1) / kPage * kPage;
  }
};

template <class T>
using HugeVector = std::vector<T, HugePages<T>>;

}  // namespace overture
