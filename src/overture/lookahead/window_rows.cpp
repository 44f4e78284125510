#include "overture/lookahead/window_rows.h"

#include <utility>

#include "overture/base/check.h"

namespace overture::lookahead {

void WindowRows::pop_until(std::uint32_t place) {
  for (; begin_ / kPageRows != place / kPageRows; begin_ += kPageRows) {
    spare_.push_back(std::exchange(pages_[page(begin_)], nullptr));
  }
  begin_ = place;
}

void WindowRows::add_page() {
  if (pages_[page(end_)] != nullptr) grow();
  Page& page_at_end = pages_[page(end_)];
  if (spare_.empty()) {
    page_at_end.reset(HugePages<WindowRow>().allocate(kPageRows));
  } else {
    page_at_end = std::move(spare_.back());
    spare_.pop_back();
  }
}

// Pages keep their rows, so that a reference to one stays good.
void WindowRows::grow() {
  check(pages_.size() < (std::size_t{1} << 32) / kPageRows, "a window has fewer than 2^32 rows");
  std::vector<Page> old(pages_.size() * 2);
  old.swap(pages_);
  mask_ = pages_.size() - 1;
  const std::uint32_t first = begin_ / kPageRows;
  for (std::uint32_t i = 0; i < old.size(); ++i) {
    pages_[(first + i) & mask_] = std::move(old[(first + i) & (old.size() - 1)]);
  }
}

}  // namespace overture::lookahead
