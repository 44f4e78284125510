#include "overture/system/phase_run.h"

#include <algorithm>

#include "overture/base/check.h"
#include "overture/system/tree_run.h"
#include "overture/system/window_run.h"

namespace overture::system {
namespace {

constexpr Bytes kHandshake{8192};  // ASTRA-sim's rendezvous message

int participant_count(const PhaseContext& context, const Phase& phase) {
  switch (context.scope) {
    case Scope::rank_0: return 1;
    case Scope::group: return phase.dimension.size;
    case Scope::all: return context.all_ranks;
  }
  return 0;
}

}  // namespace

std::unique_ptr<PhaseRun> PhaseRun::make(PhaseContext& context, const Phase& phase,
                                         std::function<void()> finished) {
  if (phase.algorithm.kind == AlgorithmKind::double_binary_tree) {
    check(context.scope != Scope::rank_0, "a tree needs its whole group");
    return std::make_unique<TreeRun>(context, phase, std::move(finished));
  }
  return std::make_unique<WindowRun>(context, phase, std::move(finished));
}

PhaseRun::PhaseRun(PhaseContext& context, const Phase& phase, std::function<void()> finished)
    : phase_(phase),
      context_(context),
      participants_(participant_count(context, phase)),
      finished_(std::move(finished)) {
  endpoints_.reserve(static_cast<std::size_t>(participants_));
  for (int p = 0; p < participants_; ++p) endpoints_.push_back(&context.endpoint(rank(p)));
}

Rank PhaseRun::rank(int participant) const {
  return context_.scope == Scope::group ? Rank{participant * phase_.dimension.stride} : Rank{participant};
}

int PhaseRun::participant(Rank rank) const {
  return context_.scope == Scope::group ? index(rank) / phase_.dimension.stride : index(rank);
}

void PhaseRun::post_send(int sender, Rank to, std::int32_t number, Bytes size) {
  if (sender == 0) context_.sent(to, size);
  if (context_.scope == Scope::rank_0) return;  // the peer that receives it is not simulated
  const int receiver = participant(to);
  if (context_.rendezvous && early_clear_.erase(key(receiver, number)) == 0) return;  // not cleared yet
  transmit(rank(sender), receiver, number, size);
}

void PhaseRun::post_receive(int receiver, Rank from, std::int32_t number, Bytes size) {
  if (receiver == 0) posted_at_.resize(std::max(posted_at_.size(), static_cast<std::size_t>(number) + 1));
  if (receiver == 0) posted_at_[static_cast<std::size_t>(number)] = clock().now();
  if (context_.rendezvous && receiver == 0) context_.sent(from, kHandshake);
  if (context_.scope == Scope::rank_0) {
    post_mirrored_receive(from, number, size);
    return;
  }
  if (context_.rendezvous) {
    context_.network.send({rank(receiver), from, kHandshake},
                          [this, receiver, number] { cleared(receiver, number); });
  }
  if (early_data_.erase(key(receiver, number)) > 0) {
    context_.events.after(Duration{}, [this, receiver, number] { accept(receiver, number); });
  }
}

// The peer is at the same point as rank 0: it sends what rank 0 waits for now, or when rank 0's handshake
// arrives.
void PhaseRun::post_mirrored_receive(Rank from, std::int32_t number, Bytes size) {
  if (!context_.rendezvous) {
    context_.network.send({from, Rank{0}, size}, [this, number] { accept(0, number); });
    return;
  }
  context_.network.send({Rank{0}, from, kHandshake}, [this, from, number] {
    context_.network.send({from, Rank{0}, message_size(number)}, [this, number] { accept(0, number); });
  });
}

void PhaseRun::transmit(Rank from, int receiver, std::int32_t number, Bytes size) {
  context_.network.send({from, rank(receiver), size},
                        [this, receiver, number] { delivered(receiver, number); });
}

void PhaseRun::delivered(int receiver, std::int32_t number) {
  if (receive_posted(receiver, number)) {
    accept(receiver, number);
  } else {
    early_data_.insert(key(receiver, number));
  }
}

// The receiver's handshake has reached the sender of message `number`.
void PhaseRun::cleared(int receiver, std::int32_t number) {
  if (!send_posted(receiver, number)) {
    early_clear_.insert(key(receiver, number));
    return;
  }
  transmit(sender_of(receiver, number), receiver, number, message_size(number));
}

void PhaseRun::accept(int receiver, std::int32_t number) {
  if (receiver == 0) {
    waited_ += clock().now() - posted_at_[static_cast<std::size_t>(number)];
    ++messages_;
  }
  arrived(receiver, number);
}

// Where all ranks do the same they finish in step, and what follows comes at once, as in ASTRA-sim. Where they differ,
// it comes after all else that was due at this moment: which rank is the last to finish, and so how many are simulated,
// must not decide ties.
void PhaseRun::participant_finished() {
  if (++finished_count_ < participants_) return;
  if (context_.uniform) {
    finished_();
  } else {
    context_.events.after(Duration{}, [this] { finished_(); });
  }
}

}  // namespace overture::system
