// The endpoint as ASTRA-sim's shared bus: two LogGP sides, the NPU's and the network interface's ("MA"), and
// behind the NPU's side a second such pair for its memory.
#pragma once

#include <cstdint>
#include <deque>

#include "overture/base/pool.h"
#include "overture/system/endpoint.h"

namespace overture::system {

class Bus;

// One side of a LogGP bus (Alexandrov et al., 1995): it sends or receives one thing at a time.
class BusSide {
 public:
  BusSide(const SharedBus& config, Duration cycle, CycleClock& clock)
      : config_(config), cycle_(cycle), clock_(clock) {}

  void connect(BusSide& partner) { partner_ = &partner; }
  // Puts a memory behind this side: every step crosses it first. `memory` outlives the side.
  void attach_memory(Bus& memory) { memory_ = &memory; }

  // Sends `size` to the partner. It reduces it there if asked, sends it back if asked, then calls `done`.
  void request(Bytes size, bool reduce, bool send_back, Action done);

 private:
  enum class State : std::uint8_t { free, sending, receiving };
  struct Transfer {
    Bytes size;
    bool reduce = false;
    bool send_back = false;
    Action done;
  };

  void try_send();
  void send_next();
  void receive(const Transfer& transfer, Duration offset);
  void sent();
  void received();
  void reduced();
  void queue_send(std::uint32_t parked);
  void queue_reduction(std::uint32_t parked);
  void retire(std::uint32_t parked);
  void start_reduction();
  // After arriving or being reduced: back to the partner, or done. The caller calls what it returns, if
  // anything, before it sends on: new requests that this brings to the partner take the bus first.
  Action dispose(Transfer transfer);
  Duration with_gaps(Duration offset, Bytes size, Duration latency = {}, Duration overhead = {}) const;

  SharedBus config_;
  Duration cycle_;
  CycleClock& clock_;
  BusSide* partner_ = nullptr;
  Bus* memory_ = nullptr;
  State state_ = State::free;
  State previous_ = State::free;
  Time last_transfer_{};
  int consecutive_sends_ = 0;
  bool reducing_ = false;
  std::deque<Transfer> sends_;
  std::deque<Transfer> receives_;
  std::deque<Transfer> reductions_;
  Pool<Transfer> parked_;  // waiting for the memory; events carry the number
};

// Two sides that talk to each other.
class Bus {
 public:
  Bus(const SharedBus& config, Duration cycle, CycleClock& clock);
  BusSide& npu() { return npu_; }
  BusSide& far() { return far_; }

 private:
  BusSide npu_;
  BusSide far_;
};

class SharedBusEndpoint final : public Endpoint {
 public:
  SharedBusEndpoint(const SharedBus& config, Duration cycle, CycleClock& clock);
  void pass(Bytes size, const Preparation& preparation, Action passed) override;

 private:
  Bus memory_;
  Bus bus_;
};

}  // namespace overture::system
