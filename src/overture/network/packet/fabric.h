// Links, queues and switches: carries packets from host to host and tells the transport when one arrives.
// Knows nothing of connections. One event per packet and link.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "overture/base/hash.h"
#include "overture/base/random.h"
#include "overture/network/packet/calendar.h"
#include "overture/network/packet/config.h"
#include "overture/network/packet/link.h"
#include "overture/network/packet/packet.h"
#include "overture/network/packet/packet_faults.h"
#include "overture/network/packet/parallel_partition.h"
#include "overture/network/packet/routes.h"
#include "overture/network/packet/transport.h"

namespace overture::network::packet {

struct FabricCounts {
  std::uint64_t hops = 0;   // arrivals of a packet at the end of a link
  std::uint64_t drops = 0;  // by full queues
  std::uint64_t marks = 0;  // by queues above their threshold
  std::uint64_t trims = 0;  // by full queues of NDP
};

class Fabric {
 public:
  // `topology` outlives the fabric. With a partition, it is one part of the network: what its nodes send and
  // receive.
  Fabric(const topology::Topology& topology, const PacketConfig& config, const Partition& partition = {},
         int part = 0);
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  // Before the first packet. Without them, the loop has not a line for faults.
  void set_faults(PacketFaults& faults) { faults_ = &faults; }

  std::int64_t now() const { return now_; }
  Routes& routes() { return routes_; }
  // Is the node in this part?
  bool is_here(int node) const { return part_of(node) == part_; }
  int part_of(int node) const {
    return partition_.of.empty() ? 0 : partition_.of[static_cast<std::size_t>(node)];
  }

  // Puts a packet into the queue of its first link, at host `from`. A packet that is dropped later is told to
  // nobody, as in life.
  void send(int from, Packet packet) {
    const auto port = static_cast<std::uint32_t>(packet.route & port_mask_);
    packet.route >>= routes_.bits();
    enqueue(first_link_[static_cast<std::size_t>(from)] + port - 1, packet, kNone);
  }

  // How long a packet of `size` bytes takes from host `from` to host `to` when nothing is in its way.
  std::int64_t travel_time(int from, int to, std::uint64_t route, std::int64_t size) const;

  // For a transport that trims. Hosts too serve control packets first: a packet goes out of a host's link
  // when the link is free, and the transport keeps what waits.
  std::uint32_t host_link(int host, int port) const {
    return first_link_[static_cast<std::size_t>(host)] + static_cast<std::uint32_t>(port);
  }
  bool is_free(std::uint32_t link) const { return links_[link].free_at <= now_ && !waiting_[link].armed; }
  void send_now(std::uint32_t link, const Packet& packet) { commit(link, links_[link], packet, now_); }
  void send_control(std::uint32_t link, Packet& packet) { enqueue_control(link, packet); }
  // The link spends the time of a packet that nobody has to see, from `when` on, which may be past.
  void spend(std::uint32_t link, std::int64_t when, std::int64_t time) {
    std::int64_t& free_at = links_[link].free_at;
    free_at = std::max(free_at, when) + time;
  }
  // Calls the transport's link_free(link) once the link is.
  void wake_when_free(std::uint32_t link) {
    if (!waiting_[link].armed) arm(link);
  }
  // Calls the transport's host_timer(host) at `when`; at most one is pending per host.
  void set_host_timer(int host, std::int64_t when) {
    calendar_.push(2 * link_count() + static_cast<std::uint32_t>(host), when, now_);
  }
  std::int64_t sending_time(std::uint32_t link, std::int64_t size) const {
    return serialisation(links_[link], more_[link], size);
  }

  // The `info` of packets other than data that queues dropped since it was last cleared: what it names is
  // free again.
  std::vector<std::uint32_t>& orphans() { return orphans_; }
  // Packets with kTellLoss that queues dropped since it was last cleared.
  std::vector<Packet>& lost() { return lost_; }
  // Calls the transport's timer(id) at `when`.
  void set_timer(std::uint32_t id, std::int64_t when) { calendar_.push_far(id | kTimer, when); }

  // Runs events in order until none is due by `limit` or the transport wants a pause(). The transport has
  // receive(packet), timer(id), destination(packet), prefetch(packet) and pause(); one with kTrims also
  // link_free(link), host_timer(host) and stale(packet).
  template <FabricTransport Transport>
  void run(Transport& transport, std::int64_t limit);

  // Takes out the packets that left for another part by `end`, up to which all events have run: calls
  // letter(part, link, packet) for each, in order for each link.
  template <class Letter>
  void hand_over(std::int64_t end, Letter letter);
  // A packet that another part handed over.
  void take_over(std::uint32_t id, const Packet& packet);

  // When the next event falls due, or a packet leaves for another part.
  std::int64_t next_time() const { return std::min(calendar_.next_time(), next_leaving_); }
  // Differs if any event does; that of all parts is the sum of theirs.
  std::uint64_t digest() const { return digest_; }

  const FabricCounts& counts() const { return counts_; }
  const std::vector<FabricLink>& links() const { return links_; }
  const std::vector<LinkMore>& more() const { return more_; }
  const std::vector<WaitingData>& waiting() const { return waiting_; }
  // Bytes of memory in links, rings and calendar.
  std::size_t memory() const;

 private:
  static constexpr std::uint32_t kTimer = std::uint32_t{1} << 31;

  struct SharedBuffer {
    std::int64_t limit = 0;
    std::int64_t at_most = 0;  // bytes: what was queued when it was last counted, and all that came since
    std::uint32_t first_link = 0;
    std::uint32_t links = 0;
    double alpha = 0;  // a port's share of what is free; 0: all of it

    bool takes(std::int64_t size, std::int64_t in_port) const {
      const std::int64_t left = limit - at_most - size;
      return left >= 0 &&
             (alpha == 0 || static_cast<double>(in_port + size) <= alpha * static_cast<double>(left + size));
    }
  };

  void build_link(std::uint32_t id, const topology::Link& link, const QueueConfig& queue);
  void allocate_ring(std::uint32_t id);
  void share_buffers();

  // `from` is the link that it came on, or kNone. Packets go from function to function by value, and what
  // needs an address gets a copy: then they stay in registers. In memory, changing a field and copying the
  // whole makes the processor wait for the store: a third of this loop.
  void enqueue(std::uint32_t id, Packet packet, std::uint32_t from) {
    FabricLink& link = links_[id];
    const std::int64_t wait = std::max<std::int64_t>(link.free_at - now_, 0);
    if (wait > link.attention) [[unlikely]] {
      Packet admitted = packet;
      if (!admit(id, admitted, wait, from)) return;
      packet.flags = admitted.flags;
    }
    commit(id, link, packet, now_ + wait);
  }
  // The packet starts to leave at `start`, when the link is free.
  void commit(std::uint32_t id, FabricLink& link, Packet packet, std::int64_t start) {
    if (by_history_) [[unlikely]]
      return commit_with_history(id, packet, start);
    const std::int64_t sending = serialisation(link, more_[id], packet.size);
    link.free_at = start + sending;
    link.bytes += packet.size;
    packet.arrival = link.free_at + link.delay;
    if (link.tail - link.head > link.mask) [[unlikely]]
      grow(id);
    if (link.empty()) {
      if (link.to < 0) [[unlikely]] {
        leaves(id);
      } else {
        calendar_.push_first(id, packet.arrival, link.delay + sending);
      }
    }
    link.at(link.tail++) = packet;
  }
  // Does what comes now cause the packet to leave? It does not if the link is busy until now and it is known
  // for longer that this comes: then the packet waits, and leaves because the one before has left.
  bool finds_free(std::uint32_t id, FabricLink& link, std::int64_t start) const {
    if (start != now_) return false;
    if (link.free_at != now_) [[likely]]
      return true;
    return known_for_ <= serialisation(link, more_[id], link.at(link.tail - 1).size);
  }
  // The link ends in another part; nothing else is on its way there.
  void leaves(std::uint32_t id) {
    leaving_.push_back(id);
    next_leaving_ = std::min(next_leaving_, links_[id].free_at);
  }
  Packet take(FabricLink& link, std::uint32_t id) {
    const Packet packet = link.front();
    ++link.head;
    if (!link.empty()) announce(id, link, link.front(), packet.arrival);
    return packet;
  }
  // The same, by history.
  Packet take_with_history(FabricLink& link, std::uint32_t id) {
    const Packet packet = link.front();
    ++link.head;
    const std::int64_t sending = serialisation(link, more_[id], packet.size);
    known_for_ = link.delay + sending;
    if (!link.empty()) announce_caused(id, link, link.front(), sending);
    return packet;
  }
  // As in ns-3, of packets that began to leave at the same time that one goes first whose cause is older: the
  // arrival of the packet, or else that the one before began to leave. Of equally old causes, the one that
  // came first, which is known: arrivals have come in that order, and those before arrive in it just now.
  void announce_caused(std::uint32_t id, const FabricLink& link, const Packet& packet, std::int64_t before) {
    const std::uint64_t order =
        (packet.flags & kFirst) != 0 ? more_[id].orders[link.head & link.mask] : calendar_.caused_by(before);
    const std::int64_t sending = serialisation(link, more_[id], packet.size);
    calendar_.push_caused(id, packet.arrival, link.delay + sending, order);
  }
  // The next arrival at the end of a link, and when the last one was. It is known since the packet began to
  // leave. Of packets that began to leave at the same time, that goes first whose event came first then:
  // where wires are longer than packets, one that found its link free, for it was known longer that this one
  // would come than that the one before would have left; then the second of its train, and so on. Nearly
  // always ns-3 has the same order, and it follows from times alone, in whichever part they were.
  void announce(std::uint32_t id, const FabricLink& link, const Packet& packet, std::int64_t last) {
    const std::int64_t sending = serialisation(link, more_[id], packet.size);
    if (packet.arrival - sending == last) {
      calendar_.push_next(id, packet.arrival, link.delay + sending);
    } else {
      calendar_.push_first(id, packet.arrival, link.delay + sending);
    }
  }
  template <bool kFaults, bool kHistory, FabricTransport Transport>
  void run_events(Transport& transport, std::int64_t limit);
  template <bool kFaults, bool kHistory, FabricTransport Transport>
  void arrive(Transport& transport, std::uint32_t id);
  template <FabricTransport Transport>
  void serve(Transport& transport, std::uint32_t id);
  template <bool kFaults, bool kHistory, FabricTransport Transport>
  void dispatch(Transport& transport, std::uint32_t what);
  template <FabricTransport Transport>
  void prefetch(Transport& transport);

  // In queue.cpp: what a queue does with a packet that has to wait longer than `attention`. False: dropped.
  bool admit(std::uint32_t id, Packet& packet, std::int64_t wait, std::uint32_t from);
  bool full(std::uint32_t id, const Packet& packet, std::int64_t wait, std::uint32_t from);
  bool pool_full(SharedBuffer& pool, std::int64_t size, std::int64_t in_port);
  void mark(std::uint32_t id, Packet& packet, std::int64_t wait);
  void forget(const Packet& packet);
  void commit_with_history(std::uint32_t id, Packet packet, std::int64_t start);
  void keep_order(std::uint32_t id, const FabricLink& link);
  std::int64_t queued(std::uint32_t id, std::int64_t known);
  std::int64_t known_since(const Packet& packet, std::uint32_t from) const;
  void grow(std::uint32_t id);

  // In trim.cpp: NDP's queue. Events of a link: its number is an arrival, that and link_count() the time at
  // which it is free for data that waits.
  std::uint32_t link_count() const { return static_cast<std::uint32_t>(links_.size()); }
  void build_trimming(const topology::Graph& graph, const TrimConfig& trim);
  void arm(std::uint32_t id) {
    waiting_[id].armed = true;
    calendar_.push(link_count() + id, links_[id].free_at, now_);
  }
  // Control packets have priority and leave in order, so that their future is known as a FIFO's is: after
  // what is being sent and the control packets before.
  void enqueue_control(std::uint32_t id, Packet& packet) {
    FabricLink& link = links_[id];
    const std::int64_t wait = std::max<std::int64_t>(link.free_at - now_, 0);
    if (wait > link.attention && control_full(id, packet)) [[unlikely]]
      return;
    commit(id, link, packet, now_ + wait);
  }
  void enqueue_trimming(std::uint32_t id, Packet& packet);
  void trim(std::uint32_t id, Packet& packet);
  bool control_full(std::uint32_t id, const Packet& packet);
  void start_data(std::uint32_t id, Packet& packet);
  void start_waiting(std::uint32_t id);

  std::int64_t now_ = 0;
  bool by_history_ = false;     // simultaneous arrivals: by what led to them, not by times alone
  std::int64_t known_for_ = 0;  // the event that runs, ps
  std::uint64_t digest_ = 0;
  std::uint64_t port_mask_ = 0;
  std::vector<FabricLink> links_;
  Calendar calendar_;
  FabricCounts counts_;
  std::vector<LinkMore> more_;
  std::vector<std::uint32_t> first_link_;  // per node
  std::vector<SharedBuffer> pools_;
  std::vector<std::uint32_t> orphans_;
  std::vector<Packet> lost_;
  Partition partition_;
  int part_;
  std::vector<std::uint32_t> leaving_;  // links with packets for other parts
  std::int64_t next_leaving_ = std::numeric_limits<std::int64_t>::max();
  std::vector<WaitingData> waiting_;  // per link, with NDP
  std::uint32_t host_links_ = 0;      // links before this one leave a host
  std::int64_t counted_sending_ = 0;  // bytes: a packet, if limits count the one that is being sent
  std::int64_t data_limit_ = 0;       // bytes
  std::int64_t control_limit_ = 0;
  std::uint64_t trim_below_ = 0;  // a random number below this trims the packet that comes
  std::uint16_t header_ = 0;      // bytes that trimming leaves
  RandomStream coins_;
  MarkAt mark_at_;
  Routes routes_;
  PacketFaults* faults_ = nullptr;  // the engine's
};

template <bool kFaults, bool kHistory, FabricTransport Transport>
inline void Fabric::arrive(Transport& transport, std::uint32_t id) {
  FabricLink& link = links_[id];
  Packet packet = kHistory ? take_with_history(link, id) : take(link, id);
  ++counts_.hops;
  if constexpr (kFaults) {
    if (!faults_->survives(id, packet, start_of(packet, link, more_[id]), now_)) {
      if constexpr (!Transport::kTrims) forget(packet);
      return;
    }
  }
  if constexpr (Transport::kTrims) {
    if (packet.route == 0 && transport.stale(packet)) [[unlikely]]
      return;
  }
  auto port = static_cast<std::uint32_t>(packet.route & port_mask_);
  if (port == 0) [[unlikely]] {
    const int destination = transport.destination(packet);
    if (destination == link.to) return transport.receive(Packet(packet));
    packet.route = routes_.packet_word(link.to, destination);
    port = static_cast<std::uint32_t>(packet.route & port_mask_);
  }
  if constexpr (kFaults) {
    packet.route = faults_->route(link.to, transport.destination(packet), packet, now_);
    port = static_cast<std::uint32_t>(packet.route & port_mask_);
  }
  packet.route >>= routes_.bits();
  if constexpr (Transport::kTrims) {
    if (packet.kind == Kind::data) return enqueue_trimming(link.next_port + port, packet);
    enqueue_control(link.next_port + port, packet);
  } else {
    enqueue(link.next_port + port, packet, id);
  }
}

// A link that data waits for is free, unless control packets came in between.
template <FabricTransport Transport>
inline void Fabric::serve(Transport& transport, std::uint32_t id) {
  if (links_[id].free_at > now_) return arm(id);
  waiting_[id].armed = false;
  if (id < host_links_) return transport.link_free(id);
  start_waiting(id);
}

template <bool kFaults, bool kHistory, FabricTransport Transport>
inline void Fabric::dispatch(Transport& transport, std::uint32_t what) {
  if constexpr (Transport::kTrims) {
    const std::uint32_t links = link_count();
    if (what >= links && what < kTimer) {
      if (what < 2 * links) return serve(transport, what - links);
      return transport.host_timer(static_cast<int>(what - 2 * links));
    }
  }
  if (what < kTimer) {
    arrive<kFaults, kHistory>(transport, what);
  } else {
    if constexpr (kHistory) known_for_ = std::numeric_limits<std::int64_t>::max();
    transport.timer(what & ~kTimer);
  }
}

// What the next events will touch is fetched while this one runs: first the link, then its packet, then where
// that goes: the next link and the end of its ring, or the flow. Always inlined: g++ 12 takes a function that
// only prefetches for one that does nothing, and drops the call.
template <FabricTransport Transport>
[[gnu::always_inline]] inline void Fabric::prefetch(Transport& transport) {
  const auto link_ahead = [this](std::size_t places) __attribute__((always_inline))->FabricLink* {
    const std::uint32_t what = calendar_.ahead(places);
    return what < (Transport::kTrims ? link_count() : kTimer) ? &links_[what] : nullptr;
  };
  const auto next_link = [this](FabricLink& link) {
    return &links_[link.next_port + (link.front().route & port_mask_)];
  };
  if (FabricLink* const link = link_ahead(7)) __builtin_prefetch(link);
  if (FabricLink* const link = link_ahead(5)) __builtin_prefetch(&link->front());
  if (FabricLink* const link = link_ahead(3)) {
    if (link->front().route == 0) {
      transport.prefetch(link->front());
    } else {
      __builtin_prefetch(next_link(*link));
    }
  }
  if (FabricLink* const link = link_ahead(1); link != nullptr && link->front().route != 0) {
    const FabricLink* const next = next_link(*link);
    __builtin_prefetch(&next->ring[next->tail & next->mask], 1);
  }
}

template <class Letter>
void Fabric::hand_over(std::int64_t end, Letter letter) {
  next_leaving_ = std::numeric_limits<std::int64_t>::max();
  std::erase_if(leaving_, [&](std::uint32_t id) {
    FabricLink& link = links_[id];
    // What has not left yet may still be marked, and counts as queued.
    for (; !link.empty() && link.front().arrival - link.delay <= end; ++link.head) {
      letter(part_of(~link.to), id, link.front());
    }
    if (!link.empty()) next_leaving_ = std::min(next_leaving_, link.front().arrival - link.delay);
    return link.empty();
  });
}

template <FabricTransport Transport>
void Fabric::run(Transport& transport, std::int64_t limit) {
  if constexpr (!Transport::kTrims) {
    if (by_history_ && faults_ == nullptr) return run_events<false, true>(transport, limit);
    if (by_history_) return run_events<true, true>(transport, limit);
  }
  if (faults_ == nullptr) return run_events<false, false>(transport, limit);
  run_events<true, false>(transport, limit);
}

template <bool kFaults, bool kHistory, FabricTransport Transport>
void Fabric::run_events(Transport& transport, std::int64_t limit) {
  for (;;) {
    if (!calendar_.due(limit) && !calendar_.load(limit)) return;
    const Calendar::Entry event = calendar_.pop();
    prefetch(transport);
    now_ = event.when;
    digest_ += digest_step(static_cast<std::uint64_t>(event.when) ^ (std::uint64_t{event.what} << 32));
    dispatch<kFaults, kHistory>(transport, event.what);
    if (transport.pause()) [[unlikely]]
      return;
  }
}

}  // namespace overture::network::packet
