// What one rank does in one phase of a collective: whom it sends to and hears from, message by message, as
// its algorithm (algorithms.h) says; no clock, no network, no callbacks. Every message is described on
// demand, so a phase over a million ranks costs nothing to set up. Trees are in tree.h.
#pragma once

#include "overture/base/units.h"
#include "overture/system/algorithms.h"
#include "overture/system/collective.h"
#include "overture/system/config.h"

namespace overture::system {

// The k-th message a rank sends, and the one it waits for at the same time, as steps along the dimension.
struct Exchange {
  int to;    // offset of the receiver's coordinate
  int from;  // offset of the sender's
  Bytes size;
};

// What the endpoint does with the k-th packet before it can be sent.
struct Preparation {
  bool own_data;   // the rank's own data, not something that just arrived
  bool reduce;     // add it to what is there
  bool send_back;  // and bring it back to the network side
};

class Schedule {
 public:
  // `direction` is +1 or -1: which way round the dimension. Needs at least two ranks, and an algorithm that
  // keeps a window of messages under way.
  Schedule(CollectiveKind kind, Algorithm algorithm, int ranks, Bytes data, int direction);

  // Direct in a group that ASTRA-sim 2 knows by name: all but the first packets of a phase are reduced alike.
  void in_named_group();

  // How many messages a rank sends, and so receives.
  std::int64_t messages() const { return phase_.messages; }
  // How many may be under way at once.
  int window() const { return phase_.window; }
  // Sends from this one on wait until this many messages have arrived; 0 means no such barrier.
  std::int64_t middle() const { return phase_.middle; }

  // `coordinate` is the rank's own.
  Exchange exchange(std::int64_t k, int coordinate) const;
  // Under which number the receiver waits for the k-th message of the rank with this coordinate: the same,
  // unless ranks count their peers in the same order.
  std::int64_t number_at_receiver(std::int64_t k, int coordinate) const {
    return algorithm_->number_at_receiver(phase_, k, coordinate);
  }
  Bytes size(std::int64_t k) const { return algorithm_->size(phase_, k); }
  Preparation preparation(std::int64_t k) const;

 private:
  const WindowAlgorithm* algorithm_;
  WindowPhase phase_;
};

// What a phase leaves each rank with: the next phase's data.
Bytes output_size(CollectiveKind kind, AlgorithmKind algorithm, int ranks, Bytes data);

// ASTRA-sim's local reduction: one write and two reads of a 500 TB/s memory, each cut to whole nanoseconds.
Duration reduction_time(Bytes size);

}  // namespace overture::system
