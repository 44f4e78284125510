// Workers: some threads that share out numbered blocks of work. Which thread does a block is left to chance,
// so a block must write only what is its own, and blocks must not depend on the number of threads; then
// neither does the result. Threads that wait, sleep: the machine may be shared.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "overture/base/work.h"

namespace overture::embedding {

class Workers {
 public:
  // The caller of run() works too: `threads` 1 starts none.
  // Throws UserError when so many cannot be started.
  explicit Workers(int threads = 1);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Who calls run() tells `marks` what it has done; it may be null, and outlives the workers otherwise.
  void watch(Marks* marks) { marks_ = marks; }
  void done(Work work, const WorkNumbers& numbers, std::int64_t step = Marks::kThisStep) {
    if (marks_ != nullptr) marks_->done(work, numbers, step);
  }

  int threads() const { return static_cast<int>(threads_.size()) + 1; }

  // Calls work(block) for every block from 0, and returns when all are done. `work` must not throw. Not to be
  // called from two threads at once, nor from within `work`.
  void run(std::int64_t blocks, const std::function<void(std::int64_t)>& work);

  // In blocks of `grain`: work(from, to).
  void ranges(std::int64_t count, std::int64_t grain,
              const std::function<void(std::int64_t, std::int64_t)>& work) {
    run((count + grain - 1) / grain, [&](std::int64_t block) {
      const std::int64_t from = block * grain;
      work(from, from + grain < count ? from + grain : count);
    });
  }

 private:
  void serve();
  void stop();
  void do_blocks();

  Marks* marks_ = nullptr;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable begin_;
  std::condition_variable end_;
  const std::function<void(std::int64_t)>* work_ = nullptr;
  std::int64_t blocks_ = 0;
  std::atomic<std::int64_t> next_{0};
  std::uint64_t round_ = 0;
  int busy_ = 0;
  bool stop_ = false;
};

}  // namespace overture::embedding
