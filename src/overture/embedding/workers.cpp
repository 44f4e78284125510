#include "overture/embedding/workers.h"

#include <string>
#include <system_error>

#include "overture/base/error.h"

namespace overture::embedding {

Workers::Workers(int threads) {
  try {
    for (int i = 1; i < threads; ++i) threads_.emplace_back([this] { serve(); });
  } catch (const std::system_error& error) {
    const std::size_t started = threads_.size() + 1;
    stop();
    throw UserError({.key = "threads"}, "only " + std::to_string(started) + " of " + std::to_string(threads) +
                                            " threads can be started: " + error.what());
  }
}

Workers::~Workers() { stop(); }

void Workers::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  begin_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::run(std::int64_t blocks, const std::function<void(std::int64_t)>& work) {
  if (threads_.empty() || blocks <= 1) {
    for (std::int64_t block = 0; block < blocks; ++block) work(block);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    blocks_ = blocks;
    next_ = 0;
    busy_ = static_cast<int>(threads_.size());
    ++round_;
  }
  begin_.notify_all();
  do_blocks();
  std::unique_lock lock(mutex_);
  end_.wait(lock, [this] { return busy_ == 0; });
}

void Workers::do_blocks() {
  for (std::int64_t block = next_++; block < blocks_; block = next_++) (*work_)(block);
}

void Workers::serve() {
  for (std::uint64_t done = 0;;) {
    {
      std::unique_lock lock(mutex_);
      begin_.wait(lock, [&] { return stop_ || round_ != done; });
      if (stop_) return;
      done = round_;
    }
    do_blocks();
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) end_.notify_one();
  }
}

}  // namespace overture::embedding
