#include "overture/data/pushed_batches.h"

#include <utility>

namespace overture::data {

bool PushedBatches::next(Batch& batch) {
  std::unique_lock lock(mutex_);
  if (batches_.empty() && !ended_) {
    wants_ = true;
    lock.unlock();
    wanted_();
    lock.lock();
    changed_.wait(lock, [&] { return !batches_.empty() || ended_; });
  }
  if (batches_.empty()) return false;
  batch = std::move(batches_.front());
  batches_.pop_front();
  return true;
}

bool PushedBatches::wants() const {
  const std::lock_guard lock(mutex_);
  return wants_ && !ended_;
}

void PushedBatches::push(Batch batch) {
  {
    const std::lock_guard lock(mutex_);
    batches_.push_back(std::move(batch));
    wants_ = false;
  }
  changed_.notify_all();
}

void PushedBatches::end() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    wants_ = false;
  }
  changed_.notify_all();
}

}  // namespace overture::data
