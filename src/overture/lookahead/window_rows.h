// WindowRows: the rows of all batches that have been read and not yet planned, in the order of the batches.
// Each keeps its place, a number, for as long as it is there; places go round through 2^32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "overture/lookahead/huge_pages.h"
#include "overture/lookahead/plan.h"
#include "overture/lookahead/row.h"

namespace overture::lookahead {

// The use of one row in one batch; half a cache line, since the planner's memory is mostly these. Which row
// it is, the window knows.
struct alignas(32) WindowRow {
  Trainers users = 0;
  Trainers next_users = 0;           // who uses the row in the batch after
  std::uint32_t known = 0;           // number of what the window knows of the row
  std::uint32_t count = 0;           // lookups
  std::int32_t other_use = kNever;   // until the batch has entered the window, the batch that used the row
                                     // before; then, the next one in the window that does
  std::uint32_t previous_place = 0;  // the place of its use before
};
static_assert(sizeof(WindowRow) == 32);

class WindowRows {
 public:
  WindowRows() : pages_(1) {}

  std::uint32_t begin() const { return begin_; }
  std::uint32_t end() const { return end_; }  // the place of the next row

  // Needs a place from begin() to before end().
  WindowRow& operator[](std::uint32_t place) { return pages_[page(place)][place % kPageRows]; }
  const WindowRow& operator[](std::uint32_t place) const { return pages_[page(place)][place % kPageRows]; }

  void push(const WindowRow& row) {
    if (end_ % kPageRows == 0) add_page();
    (*this)[end_++] = row;
  }
  // Takes away all before `place`.
  void pop_until(std::uint32_t place);

 private:
  static constexpr std::uint32_t kPageRows = 1 << 16;  // 2 MiB: a huge page

  struct FreePage {
    void operator()(WindowRow* page) const { HugePages<WindowRow>().deallocate(page, kPageRows); }
  };
  using Page = std::unique_ptr<WindowRow[], FreePage>;  // untouched until rows are pushed

  std::size_t page(std::uint32_t place) const { return place / kPageRows & mask_; }
  void add_page();
  void grow();

  std::vector<Page> pages_;  // a ring; a power of two
  std::size_t mask_ = 0;
  std::vector<Page> spare_;  // used before memory is asked for
  std::uint32_t begin_ = 0;
  std::uint32_t end_ = 0;
};

}  // namespace overture::lookahead
