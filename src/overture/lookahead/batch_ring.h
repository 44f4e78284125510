// BatchRing: the batches that have been read but not yet planned, by number, in buffers that are used again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "overture/lookahead/window_batch.h"

namespace overture::lookahead {

class BatchRing {
 public:
  BatchRing() : batches_(1) {}

  std::int32_t end() const { return end_; }  // the number of the next batch to come

  // Needs `number` to be that of a batch in the ring.
  WindowBatch& operator[](std::int32_t number) { return batches_[place(number)]; }
  const WindowBatch& operator[](std::int32_t number) const { return batches_[place(number)]; }

  // A new, empty batch with the number end() had before.
  WindowBatch& push();
  // Takes the oldest batch away.
  void pop();

 private:
  std::size_t place(std::int32_t number) const {
    return static_cast<std::size_t>(number) & (batches_.size() - 1);
  }
  void grow();

  std::vector<WindowBatch> batches_;  // a power of two
  std::vector<WindowBatch> spare_;    // the next to be used, so that no more memory is touched than needed
  std::int32_t begin_ = 0;
  std::int32_t end_ = 0;
};

}  // namespace overture::lookahead
