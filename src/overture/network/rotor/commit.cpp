#include "overture/network/rotor/commit.h"

namespace overture::network::rotor {

Committer::Committer(Duration slot, Duration turn_time, int turns, BulkQueues& queues)
    : slot_(static_cast<double>(slot.count())),
      turn_time_(static_cast<double>(turn_time.count())),
      turns_(turns),
      queues_(queues) {}

// A counting sort by turn, then by time within a turn, allocations of equal time in their order.
void Committer::order(std::span<const Allocation> allocations) {
  const auto each = [&](auto&& visit) {
    for (std::uint32_t a = 0; a < allocations.size(); ++a) {
      const double pace = slot_ / allocations[a].packets;
      const double per_turn = 1 / turn_time_;
      for (int i = 0; i < allocations[a].packets; ++i) {
        const double when = i * pace;
        const auto turn = static_cast<std::size_t>(when * per_turn);
        if (turn >= static_cast<std::size_t>(turns_)) break;
        visit(turn, Due{.when = when, .allocation = a});
      }
    }
  };
  first_.assign(static_cast<std::size_t>(turns_) + 2, 0);
  each([&](std::size_t turn, const Due&) { ++first_[turn + 2]; });
  for (std::size_t turn = 2; turn < first_.size(); ++turn) first_[turn] += first_[turn - 1];
  due_.resize(first_.back());
  each([&](std::size_t turn, const Due& due) { due_[first_[turn + 1]++] = due; });
  for (int turn = 0; turn < turns_; ++turn) {
    const auto begin = due_.begin() + first_[static_cast<std::size_t>(turn)];
    const auto end = due_.begin() + first_[static_cast<std::size_t>(turn) + 1];
    for (auto i = begin; i != end; ++i) {
      for (auto j = i; j != begin && j->when < (j - 1)->when; --j) std::swap(*j, *(j - 1));
    }
  }
}

// Direct traffic and second hops have their queues to themselves and are taken at once. Offers that several
// hosts accepted share a queue, packet by packet.
void Committer::take(int host, std::span<const Allocation> allocations) {
  taken_.clear();
  sources_.clear();
  // All at once, in two steps: in a large network, nearly each is far from the cache.
  for (const Allocation& a : allocations) queues_.prefetch(a.kind, host, a.to);
  for (const Allocation& a : allocations) queues_.prefetch_run(a.kind, host, a.to);
  for (const Allocation& a : allocations) {
    Source& source = sources_.emplace_back();
    source.next = taken_.size();
    if (a.via == a.to) queues_.take(a.kind, host, a.to, a.packets, taken_);
    source.end = taken_.size();
  }
}

// Finds the allocation's next packet; false: its queue is empty.
bool Committer::next_packet(int host, const Allocation& allocation, Source& source, std::uint32_t& runs) {
  std::uint32_t message = 0;
  if (allocation.via == allocation.to) {
    if (source.next == source.end) return false;
    BulkQueues::Taken& taken = taken_[source.next];
    message = taken.message;
    if (--taken.packets == 0) ++source.next;
  } else {
    if (queues_.counts(allocation.kind, host)[static_cast<std::size_t>(allocation.to)] == 0) return false;
    message = queues_.pop(allocation.kind, host, allocation.to);
  }
  if (source.run == kNoRun || source.message != message) source.run = runs++;
  source.message = message;
  return true;
}

void Committer::give_back(int host) {
  for (auto source = sources_.rbegin(); source != sources_.rend(); ++source) {
    for (std::size_t i = source->end; i > source->next; --i) {
      for (int n = 0; n < taken_[i - 1].packets; ++n) queues_.give_back(host, taken_[i - 1].message);
    }
  }
}

std::uint32_t Committer::commit(int host, std::span<const Allocation> allocations,
                                std::vector<Committed>& out) {
  order(allocations);
  take(host, allocations);
  std::uint32_t runs = 0;
  std::size_t next = 0;
  for (int turn = 0; turn < turns_; ++turn) {
    const std::size_t due = first_[static_cast<std::size_t>(turn) + 1];
    while (next < due) {
      const std::uint32_t a = due_[next++].allocation;
      Source& source = sources_[a];
      if (!next_packet(host, allocations[a], source, runs)) continue;
      out.push_back({.message = source.message,
                     .via = allocations[a].via,
                     .turn = turn,
                     .relayed = allocations[a].via != allocations[a].to,
                     .run = source.run});
      break;
    }
  }
  give_back(host);
  return runs;
}

}  // namespace overture::network::rotor
