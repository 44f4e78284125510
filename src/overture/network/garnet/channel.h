// A link between two neighbours with what stands at both ends: the sender's view of the virtual channels,
// flits and credits on their way, and the receiver's buffers. Everything is counted in cycles.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "overture/base/check.h"

namespace overture::network::garnet {

using Cycle = std::int64_t;
constexpr int kNone = -1;

// First in, first out, in one block that doubles when full.
template <class T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& front() { return slots_[first_]; }
  void push(const T& value) {
    if (size_ == slots_.size()) grow();
    slots_[(first_ + size_++) & (slots_.size() - 1)] = value;
  }
  void pop() {
    first_ = (first_ + 1) & (slots_.size() - 1);
    --size_;
  }

 private:
  void grow() {
    std::vector<T> larger(std::max<std::size_t>(4, 2 * slots_.size()));
    for (std::size_t i = 0; i < size_; ++i) larger[i] = slots_[(first_ + i) & (slots_.size() - 1)];
    slots_.swap(larger);
    first_ = 0;
  }

  std::vector<T> slots_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

struct Flit {
  Cycle when = 0;  // the receiver may use it from then on
  std::int32_t message = 0;
  std::uint16_t vc = 0;  // counted through all vnets
  bool head = false;
  bool tail = false;
};

struct Credit {
  Cycle when = 0;
  std::uint16_t vc = 0;
  bool frees = false;  // the packet has left: the virtual channel is idle again
};

// What a flit meets between two neighbours. A link that is narrower than a flit takes `parts` cycles for
// each, and has a bridge at either end, which takes `bridge` cycles; so has its credit link.
struct GarnetWire {
  int latency = 1;
  int parts = 1;
  int bridge = 2;
  int width = 0;     // bits
  int pipeline = 0;  // of the receiving router, beyond its first cycle

  int credit_parts = 0;  // cycles that its credit link takes for a credit; 0: as many as for a flit

  bool serialised() const { return parts > 1; }
  // What a credit meets on its way back.
  GarnetWire back() const {
    GarnetWire wire = *this;
    if (credit_parts > 0) wire.parts = credit_parts;
    return wire;
  }
};

// A virtual channel as its receiver sees it: at most one packet, and of it what has arrived and not gone on.
struct Buffer {
  std::int32_t message = kNone;
  std::int32_t out = kNone;     // channel that the packet leaves by
  std::int32_t vnet = 0;        // there
  std::int32_t out_vc = kNone;  // there; none until its head goes
  std::int32_t held = 0;
  std::int32_t sent = 0;
  std::int32_t flits = kNone;  // of the packet, known when its tail has come
};

struct Channel {
  // Neighbours: a router's number, or a rank's for its network interface.
  int from = 0;
  int to = 0;
  bool from_rank = false;
  bool to_rank = false;
  int out_port = 0;  // its number among the sender's outputs
  int in_port = 0;   // ... and among the receiver's inputs
  GarnetWire wire;
  int first_vc = 0;  // the virtual channels that it has, of those of all vnets

  // The sender's side.
  std::vector<std::int32_t> credits;
  std::vector<std::uint64_t> idle;  // a bit each
  int grant_pointer = 0;            // input port that is asked first

  // Under way.
  Ring<Flit> flits;
  Ring<Credit> returned;
  Cycle data_free = 0;  // when the narrow link has taken what it was given
  Cycle credit_free = 0;

  // The receiver's side.
  std::vector<Buffer> buffers;
  std::vector<std::uint16_t> occupied;  // by age
  int scan_pointer = 0;                 // virtual channel that is asked first

  int lowest_idle(int first, int count) const;
  bool is_idle(int vc) const { return (idle[at(vc) / 64] >> (at(vc) % 64) & 1) != 0; }
  void set_idle(int vc) { idle[at(vc) / 64] |= std::uint64_t{1} << (at(vc) % 64); }
  void set_busy(int vc) { idle[at(vc) / 64] &= ~(std::uint64_t{1} << (at(vc) % 64)); }
  std::size_t at(int vc) const { return static_cast<std::size_t>(vc - first_vc); }
};

// When what is handed over in the cycle after `now` can be used at the other end.
inline Cycle arrival(Cycle now, const GarnetWire& wire, Cycle& free) {
  if (!wire.serialised()) return now + 1 + wire.latency;
  free = std::max(now + 1 + wire.bridge, free) + wire.parts;
  return free - 1 + wire.bridge + wire.latency;
}

inline int Channel::lowest_idle(int first, int count) const {
  // Whole words at a time; a vnet's channels may start anywhere in one.
  for (std::size_t i = at(first), end = at(first) + static_cast<std::size_t>(count); i < end;) {
    const std::uint64_t word = idle[i / 64] >> (i % 64);
    if (word != 0) {
      const std::size_t found = i + static_cast<std::size_t>(std::countr_zero(word));
      return found < end ? static_cast<int>(found) + first_vc : kNone;
    }
    i += 64 - i % 64;
  }
  return kNone;
}

}  // namespace overture::network::garnet
