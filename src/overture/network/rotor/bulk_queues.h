// What waits at hosts for a circuit: per host and final destination, how many packets of its own and how many
// of others that stopped here on their way. Packets are counts in runs of one message; none exists as an
// object.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "overture/base/pool.h"

namespace overture::network::rotor {

// Whose packets: others', parked here after their first hop, or the host's own.
enum class Waiting : std::uint8_t { relayed, own };

struct BulkMessage {
  int from = 0;
  int to = 0;
  std::int64_t packets_left = 0;  // not yet delivered
};

class BulkQueues {
 public:
  explicit BulkQueues(int hosts);

  // A message of `packets` packets, which then wait at `from`. Its index is used again after remove().
  std::uint32_t add(int from, int to, std::int64_t packets);
  void remove(std::uint32_t message);
  BulkMessage& message(std::uint32_t id) { return messages_[id]; }

  // Packets waiting at `host`, indexed by destination. The planner may borrow from these numbers while it
  // plans, if it gives back.
  std::span<int> counts(Waiting kind, int host) { return row(queues_of(kind).counts, host); }
  // Destinations for which `host` has packets of its own, in no particular order.
  const std::vector<int>& destinations(int host) const {
    return destinations_[static_cast<std::size_t>(host)];
  }
  // Packets that wait at `host`, for all destinations.
  std::int64_t waiting(int host) const { return waiting_[static_cast<std::size_t>(host)]; }
  bool empty(int host) const { return waiting(host) == 0; }

  void push_back(Waiting kind, int host, int to, std::uint32_t message, std::int64_t packets);
  void push_front(Waiting kind, int host, int to, std::uint32_t message);
  // Takes a packet from the front of a queue that is not empty; returns its message.
  std::uint32_t pop(Waiting kind, int host, int to);
  // Takes up to `packets` from the front, and appends them to `out` as runs.
  struct Taken {
    std::uint32_t message;
    int packets;
  };
  void take(Waiting kind, int host, int to, int packets, std::vector<Taken>& out);

  // For what will soon be taken.
  [[gnu::always_inline]] void prefetch(Waiting kind, int host, int to) {
    const Queues& queues = queues_of(kind);
    const std::size_t at = index(host, to);
    __builtin_prefetch(&queues.lists[at]);
    __builtin_prefetch(&queues.counts[at]);
    if (kind == Waiting::own) __builtin_prefetch(&place_[at]);
  }
  [[gnu::always_inline]] void prefetch_run(Waiting kind, int host, int to) {
    const std::uint32_t first = queues_of(kind).lists[index(host, to)].first;
    if (first != kNone) __builtin_prefetch(&runs_[first]);
  }

  // Puts a packet of `message` that `host` could not send back to where it came from.
  void give_back(int host, std::uint32_t message) {
    const BulkMessage& m = messages_[message];
    push_front(m.from == host ? Waiting::own : Waiting::relayed, host, m.to, message);
  }

  // What others parked at `host` for `to` is lost there: their sources have it to send again. Returns how
  // many packets.
  std::int64_t return_to_sources(int host, int to);

  std::size_t memory() const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Run {
    std::uint32_t message;
    std::uint32_t next;
    std::int64_t packets;
  };
  struct List {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };
  struct Queues {
    std::vector<int> counts;  // [host][destination]
    std::vector<List> lists;
  };

  Queues& queues_of(Waiting kind) { return kind == Waiting::own ? own_ : relayed_; }
  std::span<int> row(std::vector<int>& numbers, int host) const {
    const auto hosts = static_cast<std::size_t>(hosts_);
    return std::span(numbers).subspan(static_cast<std::size_t>(host) * hosts, hosts);
  }
  std::size_t index(int host, int to) const {
    return static_cast<std::size_t>(host) * static_cast<std::size_t>(hosts_) + static_cast<std::size_t>(to);
  }
  void count_in(Waiting kind, int host, int to, std::int64_t packets);
  void count_out(Waiting kind, int host, int to, int packets);

  int hosts_;
  Queues relayed_;
  Queues own_;
  std::vector<std::vector<int>> destinations_;
  std::vector<std::int32_t> place_;  // [host][destination]: where in destinations_
  std::vector<std::int64_t> waiting_;
  Pool<Run> runs_;
  Pool<BulkMessage> messages_;
};

}  // namespace overture::network::rotor
