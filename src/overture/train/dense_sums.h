// DenseSums: how trainers add up their dense gradients, in an order that is always the same: each adds up its
// share of the parameters, in the order of ranks. What it then makes of its share goes to all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "overture/train/peer_inbox.h"
#include "overture/train/step_part.h"

namespace overture::train {

class DenseSums {
 public:
  DenseSums(const Parties& parties, int rank) : inbox_(parties, rank) {}

  void take(rpc::Message message) { inbox_.take(std::move(message)); }

  // Starts with this trainer's own gradients of a batch, which must stay until its share is added up.
  void begin(std::int64_t batch, std::span<float> gradients, Outbox& out);
  // False when it must wait: for a message, or for share().
  bool advance();
  // This trainer's share of the gradients that begin() was given, own_share(), are now the sums.
  bool summed() const { return stage_ == Stage::summed; }
  Block own_share() const { return block_of(std::ssize(gradients_), inbox_.rank(), inbox_.trainers()); }
  // After that, sends this trainer's share of `numbers`, as many as there are gradients, and takes in the
  // others' shares of theirs. `numbers` must stay until done().
  void share(std::span<float> numbers, Outbox& out);
  bool done() const { return stage_ == Stage::done; }

 private:
  enum class Stage : std::uint8_t { gradients, summed, shares, done };

  template <class T>
  std::span<T> share_of(int rank, std::span<T> all) const;
  bool add_up();
  bool collect();

  PeerInbox inbox_;
  Stage stage_ = Stage::done;
  std::int64_t batch_ = 0;
  std::span<float> gradients_;
  std::span<float> numbers_;
  std::vector<float> sum_;
};

}  // namespace overture::train
