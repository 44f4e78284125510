#include "overture/lookahead/batch_ring.h"

#include <limits>
#include <utility>

#include "overture/base/check.h"

namespace overture::lookahead {

WindowBatch& BatchRing::push() {
  check(end_ < std::numeric_limits<std::int32_t>::max(), "a stream has fewer than 2^31 batches");
  if (static_cast<std::size_t>(end_ - begin_) == batches_.size()) grow();
  WindowBatch& batch = batches_[place(end_++)];
  if (!spare_.empty()) {
    batch = std::move(spare_.back());
    spare_.pop_back();
  }
  batch.clear();
  return batch;
}

void BatchRing::pop() {
  check(begin_ < end_, "an empty ring gives nothing away");
  spare_.push_back(std::exchange(batches_[place(begin_)], {}));
  ++begin_;
}

void BatchRing::grow() {
  std::vector<WindowBatch> old(batches_.size() * 2);
  old.swap(batches_);
  for (std::int32_t number = begin_; number < end_; ++number) {
    batches_[place(number)] = std::move(old[static_cast<std::size_t>(number) & (old.size() - 1)]);
  }
}

}  // namespace overture::lookahead
