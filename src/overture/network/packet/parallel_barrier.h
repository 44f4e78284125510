// Where the threads of a run meet after every window. A window takes microseconds, so one that comes early
// spins for about as long before it goes to sleep.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace overture::network::packet {

class Barrier {
 public:
  explicit Barrier(int threads)
      : threads_(static_cast<std::uint32_t>(threads)),
        spins_(static_cast<unsigned>(threads) <= std::thread::hardware_concurrency() ? kSpins : 0) {}

  // Returns when all have called it. What a thread did before is seen by all after.
  void meet() {
    const std::uint32_t round = round_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      round_.notify_all();
      return;
    }
    for (int i = 0; i < spins_; ++i) {
      if (round_.load(std::memory_order_acquire) != round) return;
      relax();
    }
    while (round_.load(std::memory_order_acquire) == round) round_.wait(round, std::memory_order_acquire);
  }

 private:
  static void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  static constexpr int kSpins = 2'000;  // about 50 us

  std::uint32_t threads_;
  int spins_;
  alignas(64) std::atomic<std::uint32_t> arrived_ = 0;
  alignas(64) std::atomic<std::uint32_t> round_ = 0;
};

}  // namespace overture::network::packet
