#include "overture/system/phase_run.h"

#include <algorithm>

#include "overture/base/check.h"
#include "overture/system/algorithms.h"
#include "overture/system/round_run.h"
#include "overture/system/step_run.h"
#include "overture/system/tree_run.h"
#include "overture/system/window_run.h"

namespace overture::system {
namespace {

constexpr Bytes kHandshake{8192};  // ASTRA-sim's rendezvous message

Scope scope_of(const PhaseContext& context, const Phase& phase) {
  return phase.machines > 1 ? Scope::group : context.scope;
}

int participant_count(const PhaseContext& context, const Phase& phase) {
  if (phase.group) return static_cast<int>(phase.group->ranks.size());
  switch (scope_of(context, phase)) {
    case Scope::rank_0: return 1;
    case Scope::group: return phase.dimension.size;
    case Scope::all: return context.all_ranks;
  }
  return 0;
}

}  // namespace

std::vector<std::vector<Rank>> groups_of_phase(const Phase& phase, Scope scope, int all_ranks) {
  if (phase.group) return {phase.group->ranks};
  const LogicalDimension& dimension = phase.dimension;
  std::vector<std::vector<Rank>> groups;
  for (int rank = 0; rank < all_ranks; ++rank) {
    if (dimension.coordinate(Rank{rank}) != 0) continue;
    std::vector<Rank>& group = groups.emplace_back();
    for (int c = 0; c < dimension.size; ++c) group.push_back(dimension.neighbour(Rank{rank}, c));
    if (scope != Scope::all) break;
  }
  return groups;
}

std::unique_ptr<PhaseRun> PhaseRun::make(PhaseContext& context, const Phase& phase,
                                         std::function<void()> finished) {
  const bool alone = context.scope == Scope::rank_0 && !phase.group;
  if (phase.sizes) {
    check(!alone, "sizes of pairs need all ranks of the group");
    return std::make_unique<StepRun>(context, phase, std::move(finished));
  }
  const AlgorithmKind algorithm = phase.algorithm.kind;
  if (algorithm->window) return std::make_unique<WindowRun>(context, phase, std::move(finished));
  check(!alone, "only windows can be played by rank 0 alone");
  if (algorithm->tree) return std::make_unique<TreeRun>(context, phase, std::move(finished));
  if (algorithm->rounds) return std::make_unique<RoundRun>(context, phase, std::move(finished));
  return std::make_unique<StepRun>(context, phase, std::move(finished));
}

PhaseRun::PhaseRun(PhaseContext& context, const Phase& phase, std::function<void()> finished)
    : phase_(phase),
      context_(context),
      scope_(scope_of(context, phase)),
      participants_(participant_count(context, phase)),
      finished_(std::move(finished)) {
  endpoints_.reserve(static_cast<std::size_t>(participants_));
  for (int p = 0; p < participants_; ++p) endpoints_.push_back(&context.endpoint(rank(p)));
}

Rank PhaseRun::rank(int participant) const {
  if (phase_.group) return phase_.group->ranks[static_cast<std::size_t>(participant)];
  return scope_ == Scope::group ? Rank{participant * phase_.dimension.stride} : Rank{participant};
}

int PhaseRun::participant(Rank rank) const {
  if (phase_.group) return phase_.group->coordinate.at(rank);
  return scope_ == Scope::group ? index(rank) / phase_.dimension.stride : index(rank);
}

Rank PhaseRun::neighbour(int participant, int offset) const {
  if (!phase_.group) return phase_.dimension.neighbour(rank(participant), offset);
  const int size = participants_;
  return rank(((participant + offset) % size + size) % size);
}

void PhaseRun::post_send(int sender, Rank to, std::int32_t number, Bytes size) {
  if (rank(sender) == Rank{0}) context_.sent(to, size);
  if (mirrored()) return;  // the peer that receives it is not simulated
  const int receiver = participant(to);
  if (context_.rendezvous && early_clear_.erase(key(receiver, number)) == 0) return;  // not cleared yet
  transmit(rank(sender), receiver, number, size);
}

void PhaseRun::post_receive(int receiver, Rank from, std::int32_t number, Bytes size) {
  if (receiver == 0) posted_at_.resize(std::max(posted_at_.size(), static_cast<std::size_t>(number) + 1));
  if (receiver == 0) posted_at_[static_cast<std::size_t>(number)] = clock().now();
  if (context_.rendezvous && rank(receiver) == Rank{0}) context_.sent(from, kHandshake);
  if (mirrored()) {
    post_mirrored_receive(from, number, size);
    return;
  }
  if (context_.rendezvous) {
    context_.network.send(message(rank(receiver), from, kHandshake),
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
    context_.network.send(message(from, Rank{0}, size), [this, number] { accept(0, number); });
    return;
  }
  context_.network.send(message(Rank{0}, from, kHandshake), [this, from, number] {
    context_.network.send(message(from, Rank{0}, message_size(number)),
                          [this, number] { accept(0, number); });
  });
}

void PhaseRun::transmit(Rank from, int receiver, std::int32_t number, Bytes size) {
  context_.network.send(message(from, rank(receiver), size),
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

void PhaseRun::participant_finished() {
  if (++finished_count_ == participants_) all_finished();
}

// Where all ranks do the same they finish in step, and what follows comes at once, as in ASTRA-sim. Where
// they differ, it comes after all else that was due at this moment: which rank is the last to finish, and so
// how many are simulated, must not decide ties.
void PhaseRun::all_finished() {
  if (context_.uniform) {
    finished_();
  } else {
    context_.events.after(Duration{}, [this] { finished_(); });
  }
}

}  // namespace overture::system
