// Doorbell: wakes a thread of this process or of another one on the same machine that sleeps until something
// is to be done. A ring is never lost: who waits next returns at once.
#pragma once

#include <chrono>
#include <cstdint>

namespace overture::rpc {

class Doorbell {
 public:
  Doorbell();
  ~Doorbell();
  Doorbell(const Doorbell&) = delete;
  Doorbell& operator=(const Doorbell&) = delete;

  // For whoever waits here.
  void ring() const;
  // For whoever waits at the bell of that process; false when it cannot be reached from here.
  bool ring(std::int64_t process) const;
  // Until somebody rings, or so long; whether somebody did.
  bool wait(std::chrono::microseconds most) const;

 private:
  int inside_ = -1;
  int outside_ = -1;
};

}  // namespace overture::rpc
