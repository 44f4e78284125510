// Mpi: parties that are processes which mpirun or srun started. One thread owns all calls of MPI, so that
// messages move while a party computes; it sleeps when nothing is to be done, since MPI itself would keep a
// core busy. Small messages are one message of MPI; large ones a header and their payload, in parts below
// MPI's limit, straight from and into the buffers of the messages.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "overture/rpc/doorbell.h"
#include "overture/rpc/transport.h"

namespace overture::rpc {

class Mpi final : public Transport {
 public:
  // Gives every rank an address, from what every rank said of itself. Called once, by all in the same way.
  using Assign = std::function<std::vector<Address>(const std::vector<int>& said)>;

  // Of a large message at a time, below what MPI can count. Each that comes is a sign of life, also over a
  // slow link.
  static constexpr std::size_t kPartBytes = std::size_t{4} << 20;

  // Starts MPI. `says` is what the others learn of this process. Throws what `assign` throws, after all
  // processes have come so far. All have the same `part_bytes`.
  Mpi(int says, Assign assign, std::size_t part_bytes = kPartBytes);
  // Waits until all others are done, too. A process can have one of these in its life.
  ~Mpi() override;
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;

  Address self() const { return self_; }
  int size() const { return size_; }

  void send(Message message) override;
  Received receive() override;
  void fail(const std::string& why) override;

 private:
  struct Wire;  // what only the thread touches
  class Service;

  void run(int says, const Assign& assign);

  std::size_t part_bytes_;
  int size_ = 0;
  Address self_{};

  std::mutex mutex_;
  std::condition_variable arrived_;
  Doorbell bell_;  // of the thread
  std::deque<Message> outgoing_;
  std::deque<Message> inbox_;
  std::optional<Gone> gone_;
  std::exception_ptr failure_;  // of starting
  bool started_ = false;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace overture::rpc
