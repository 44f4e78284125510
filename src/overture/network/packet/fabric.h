// Links, queues and switches: carries packets from host to host and tells the transport when one arrives.
// Knows nothing of connections. One event per packet and link.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "overture/network/packet/calendar.h"
#include "overture/network/packet/config.h"
#include "overture/network/packet/link.h"
#include "overture/network/packet/packet.h"
#include "overture/network/packet/routes.h"

namespace overture::network::packet {

struct FabricCounts {
  std::uint64_t hops = 0;   // arrivals of a packet at the end of a link
  std::uint64_t drops = 0;  // by full queues
  std::uint64_t marks = 0;  // by queues above their threshold
};

class Fabric {
 public:
  // `topology` outlives the fabric.
  Fabric(const topology::Topology& topology, const PacketConfig& config);
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  std::int64_t now() const { return now_; }
  Routes& routes() { return routes_; }

  // Puts a packet into the queue of its first link, at host `from`. A packet that is dropped later is told to
  // nobody, as in life.
  void send(int from, const Packet& packet) {
    Packet copy = packet;
    copy.route >>= routes_.bits();
    enqueue(first_link_[static_cast<std::size_t>(from)] +
                static_cast<std::uint32_t>(packet.route & port_mask_) - 1,
            copy);
  }
  // The `info` of packets other than data that queues dropped since it was last cleared: what it names is
  // free again.
  std::vector<std::uint32_t>& orphans() { return orphans_; }
  // Calls the transport's timer(id) at `when`.
  void set_timer(std::uint32_t id, std::int64_t when) { calendar_.push_far(id | kTimer, when); }

  // Runs events in order until none is due by `limit` or the transport wants a pause(). The transport has
  // receive(packet), timer(id), destination(packet), prefetch(packet) and pause().
  template <class Transport>
  void run(Transport& transport, std::int64_t limit);

  std::int64_t next_time() const { return calendar_.next_time(); }
  // Grows with every event, and differs if any event does.
  std::uint64_t digest() const { return digest_; }

  const FabricCounts& counts() const { return counts_; }
  const std::vector<Link>& links() const { return links_; }
  const std::vector<LinkMore>& more() const { return more_; }
  // Bytes of memory in links, rings and calendar.
  std::size_t memory() const;

 private:
  static constexpr std::uint32_t kTimer = std::uint32_t{1} << 31;

  struct SharedBuffer {
    std::int64_t limit = 0;
    std::int64_t at_most = 0;  // bytes: what was queued when it was last counted, and all that came since
    std::uint32_t first_link = 0;
    std::uint32_t links = 0;
  };

  void build_link(std::uint32_t id, const topology::Link& link, const QueueConfig& queue);
  void share_buffers();

  void enqueue(std::uint32_t id, Packet& packet) {
    Link& link = links_[id];
    const std::int64_t wait = std::max<std::int64_t>(link.free_at - now_, 0);
    if (wait > link.attention && !admit(id, packet, wait)) [[unlikely]]
      return;
    link.free_at = now_ + wait + serialisation(link, more_[id], packet.size);
    link.bytes += packet.size;
    packet.arrival = link.free_at + link.delay;
    if (link.tail - link.head > link.mask) [[unlikely]]
      grow(id);
    if (link.empty()) calendar_.push(id, packet.arrival);
    link.at(link.tail++) = packet;
  }
  Packet take(Link& link, std::uint32_t id) {
    const Packet packet = link.front();
    ++link.head;
    if (!link.empty()) calendar_.push(id, link.front().arrival);
    return packet;
  }
  template <class Transport>
  void arrive(Transport& transport, std::uint32_t id);
  template <class Transport>
  void prefetch(Transport& transport);

  // In queue.cpp: what a queue does with a packet that has to wait longer than `attention`. False: dropped.
  bool admit(std::uint32_t id, Packet& packet, std::int64_t wait);
  bool full(std::uint32_t id, const Packet& packet, std::int64_t wait);
  bool pool_full(SharedBuffer& pool, std::int64_t size);
  void mark(std::uint32_t id, Packet& packet, std::int64_t wait);
  std::int64_t queued(std::uint32_t id);
  void grow(std::uint32_t id);

  std::int64_t now_ = 0;
  std::uint64_t digest_ = 0;
  std::uint64_t port_mask_ = 0;
  std::vector<Link> links_;
  Calendar calendar_;
  FabricCounts counts_;
  std::vector<LinkMore> more_;
  std::vector<std::uint32_t> first_link_;  // per node
  std::vector<SharedBuffer> pools_;
  std::vector<std::uint32_t> orphans_;
  MarkAt mark_at_;
  Routes routes_;
};

template <class Transport>
inline void Fabric::arrive(Transport& transport, std::uint32_t id) {
  Link& link = links_[id];
  Packet packet = take(link, id);
  ++counts_.hops;
  auto port = static_cast<std::uint32_t>(packet.route & port_mask_);
  if (port == 0) [[unlikely]] {
    const int destination = transport.destination(packet);
    if (destination == link.to) return transport.receive(packet);
    packet.route = routes_.word(link.to, destination, routes_.spray() ? routes_.draw() : packet.flow);
    port = static_cast<std::uint32_t>(packet.route & port_mask_);
  }
  packet.route >>= routes_.bits();
  enqueue(link.next_port + port, packet);
}

// What the next events will touch is fetched while this one runs: first the link, then its packet, then where
// that goes: the next link and the end of its ring, or the flow. Always inlined: g++ 12 takes a function that
// only prefetches for one that does nothing, and drops the call.
template <class Transport>
[[gnu::always_inline]] inline void Fabric::prefetch(Transport& transport) {
  const auto link_ahead = [this](std::size_t places) __attribute__((always_inline))->Link* {
    const std::uint32_t what = calendar_.ahead(places);
    return what < kTimer ? &links_[what] : nullptr;
  };
  const auto next_link = [this](Link& link) {
    return &links_[link.next_port + (link.front().route & port_mask_)];
  };
  if (Link* const link = link_ahead(7)) __builtin_prefetch(link);
  if (Link* const link = link_ahead(5)) __builtin_prefetch(&link->front());
  if (Link* const link = link_ahead(3)) {
    if (link->front().route == 0) {
      transport.prefetch(link->front());
    } else {
      __builtin_prefetch(next_link(*link));
    }
  }
  if (Link* const link = link_ahead(1); link != nullptr && link->front().route != 0) {
    const Link* const next = next_link(*link);
    __builtin_prefetch(&next->ring[next->tail & next->mask], 1);
  }
}

template <class Transport>
void Fabric::run(Transport& transport, std::int64_t limit) {
  constexpr std::uint64_t kPrime = 0x9e3779b97f4a7c15U;
  for (;;) {
    if (!calendar_.due(limit) && !calendar_.load(limit)) return;
    const Calendar::Entry event = calendar_.pop();
    prefetch(transport);
    now_ = event.when;
    digest_ = (digest_ ^ static_cast<std::uint64_t>(event.when) ^ (std::uint64_t{event.what} << 32)) * kPrime;
    digest_ ^= digest_ >> 29;
    if (event.what < kTimer) {
      arrive(transport, event.what);
    } else {
      transport.timer(event.what & ~kTimer);
    }
    if (transport.pause()) [[unlikely]]
      return;
  }
}

}  // namespace overture::network::packet
