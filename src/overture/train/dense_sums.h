// DenseSums: how trainers add up their dense gradients, in an order that is always the same: each adds up its
// share of the parameters, in the order of ranks, and sends the sums to all.
#pragma once

#include <cstdint>
#include <span>

#include "overture/train/peer_inbox.h"

namespace overture::train {

class DenseSums {
 public:
  DenseSums(const Parties& parties, int rank) : inbox_(parties, rank) {}

  void take(rpc::Message message) { inbox_.take(std::move(message)); }

  // Starts with this trainer's own gradients of a batch, which must stay until done().
  void begin(std::int64_t batch, std::span<float> gradients, Outbox& out);
  // False when it must wait.
  bool advance(Outbox& out);
  // Its next piece of work is to add up its share; otherwise, to take the sums.
  bool summing() const { return stage_ == Stage::gradients; }
  // The gradients that begin() was given are now the sums.
  bool done() const { return stage_ == Stage::done; }

 private:
  enum class Stage : std::uint8_t { gradients, sums, done };

  std::span<float> share(int rank) const;
  bool add_up(Outbox& out);
  bool collect();

  PeerInbox inbox_;
  Stage stage_ = Stage::done;
  std::int64_t batch_ = 0;
  std::span<float> gradients_;
};

}  // namespace overture::train
