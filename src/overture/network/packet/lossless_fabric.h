// A network whose links can be stopped: switches with output queues of strict priorities under PFC. Carries
// packets from host to host, as Fabric does for networks that drop, and takes one event per packet and link,
// and one more where the packet had to wait. lossless_fabric.cpp has links and queues, pfc.cpp what stops
// them. Links with credits are garnet/credit_network.h's.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/base/hash.h"
#include "overture/base/random.h"
#include "overture/network/packet/calendar.h"
#include "overture/network/packet/config.h"
#include "overture/network/packet/lossless_link.h"
#include "overture/network/packet/packet_faults.h"
#include "overture/network/packet/routes.h"
#include "overture/network/packet/transport.h"

namespace overture::network::packet {

struct LosslessCounts {
  std::uint64_t hops = 0;    // arrivals of a packet at the end of a link
  std::uint64_t drops = 0;   // by full switches; none with pfc
  std::uint64_t marks = 0;   // by queues above their threshold
  std::uint64_t pauses = 0;  // frames that stop
};

class LosslessFabric {
 public:
  // `topology` outlives the fabric. Throws UserError when its buffers cannot hold the headroom, a link has no
  // way back or all of it is too large.
  LosslessFabric(const topology::Topology& topology, const PacketConfig& config);
  LosslessFabric(const LosslessFabric&) = delete;
  LosslessFabric& operator=(const LosslessFabric&) = delete;

  // Before the first packet. Pause frames always arrive: what they stopped would stand still for good.
  void set_faults(PacketFaults& faults) { faults_ = &faults; }

  std::int64_t now() const { return now_; }
  Routes& routes() { return routes_; }

  // The first link of a route out of `host`.
  std::uint32_t first_link(int host, std::uint64_t route) const {
    return first_link_[static_cast<std::size_t>(host)] + static_cast<std::uint32_t>(route & port_mask_) - 1;
  }
  std::int64_t free_at(std::uint32_t link) const { return ports_[link].free_at; }
  std::int64_t bits_per_second(std::uint32_t link) const { return more_[link].bits_per_second; }
  std::int64_t sending_time(std::uint32_t link, std::int64_t size) const {
    return serialisation(ports_[link], more_[link], size);
  }
  // Lanes that a host's data may use are 1 to priorities() - 1.
  int priorities() const { return lanes_; }

  // May a packet leave in this lane as soon as the link is free?
  bool open(std::uint32_t link, int lane) const {
    const auto bit = static_cast<std::uint8_t>(1U << lane);
    return ((ports_[link].blocked | ports_[link].waiting) & bit) == 0;
  }
  // Starts to send a host's packet, whose route includes `link`, which is free and open().
  void send_now(std::uint32_t link, int lane, const Packet& packet);
  // Queues a host's control packet, before all data.
  void send_control(std::uint32_t link, const Packet& packet);
  // Calls the transport's link_free(link) when the link next is free, or at `when`, if it is free then. Both
  // may also come for nothing.
  void wake_when_free(std::uint32_t link) {
    if (!ports_[link].armed) arm(link);
  }
  void wake_at(std::uint32_t link, std::int64_t when) {
    schedule(more_[link].wake, 2 * link_count() + link, when);
  }
  // Calls the transport's timer(id) at `when`.
  void set_timer(std::uint32_t id, std::int64_t when) { calendar_.push_far(id | kTimer, when); }

  // Runs events in order until none is due by `limit` or the transport wants a pause(). The transport has
  // receive(packet), timer(id), link_free(link), destination(packet), pause(), and prefetch(packet),
  // prefetch_link(link) and prefetch_sender(link).
  template <LosslessTransport Transport>
  void run(Transport& transport, std::int64_t limit);

  std::int64_t next_time() const { return calendar_.next_time(); }
  // Grows with every event, and differs if any event does.
  std::uint64_t digest() const { return digest_; }

  const LosslessCounts& counts() const { return counts_; }
  const std::vector<Port>& ports() const { return ports_; }
  const std::vector<PortMore>& more() const { return more_; }
  // How long lanes of a link were stopped up to now, ps, added up.
  std::int64_t paused(std::uint32_t link) const;
  // Bytes of memory in links, queues and parcels.
  std::size_t memory() const;

 private:
  static constexpr std::uint32_t kTimer = std::uint32_t{1} << 31;
  static constexpr std::uint32_t kAgain = std::uint32_t{1}
                                          << 30;  // an event whose first entry is not due yet

  void build_ports(const topology::Graph& graph);
  std::uint32_t lane_id(std::uint32_t link, std::uint8_t lane) const {
    return link * static_cast<std::uint32_t>(lanes_) + lane;
  }
  std::uint32_t link_count() const { return static_cast<std::uint32_t>(ports_.size()); }

  // Parcels.
  std::uint32_t take_parcel(const Packet& packet);
  void free_parcel(std::uint32_t index) {
    parcels_[index].next = free_parcels_;
    free_parcels_ = index;
  }
  void append(ParcelList& list, std::uint32_t index) {
    parcels_[index].next = kNone;
    if (list.empty()) {
      list.first = index;
    } else {
      parcels_[list.last].next = index;
    }
    list.last = index;
  }
  std::uint32_t take_first(ParcelList& list) {
    const std::uint32_t index = list.first;
    list.first = parcels_[index].next;
    return index;
  }

  // Makes sure of an event by `when`.
  void schedule(Wake& wake, std::uint32_t what, std::int64_t when);

  // Links and queues.
  void arm(std::uint32_t id) {
    ports_[id].armed = true;
    calendar_.push(link_count() + id, ports_[id].free_at, now_);
  }
  void put_on_wire(std::uint32_t id, Port& port, std::uint32_t index, std::int64_t arrival);
  void start(std::uint32_t id, Port& port, std::uint32_t index, std::uint8_t lane);
  bool start_waiting(std::uint32_t id);
  void enqueue(std::uint32_t id, std::uint8_t lane, std::uint32_t index);
  void forward(std::uint32_t id, std::uint32_t index, std::uint32_t out);
  void drop(std::uint32_t id, std::uint32_t index);
  void mark(std::uint32_t id, std::uint8_t lane, Packet& packet);
  void block(std::uint32_t id, std::uint8_t lane);
  void unblock(std::uint32_t id, std::uint8_t lane);
  bool has_to_wait(const Port& port, std::uint8_t lane) const {
    return port.free_at > now_ || (port.blocked >> lane & 1) != 0 || port.waiting != 0;
  }

  // In pfc.cpp.
  void build_buffers(const topology::Graph& graph, const LosslessConfig& config, std::int64_t packet);
  std::int64_t needed_headroom(std::uint32_t id, std::int64_t packet, std::int64_t frame) const;
  bool admit(std::uint32_t lane, std::uint32_t out_lane, std::int64_t size);
  void leave(std::uint32_t lane, std::int64_t size);
  void tell(std::uint32_t lane, Frame what);
  std::int64_t stop_above(const SwitchBuffer& buffer) const {
    return fixed_xoff_ >= 0 ? fixed_xoff_
                            : static_cast<std::int64_t>(alpha_ * static_cast<double>(buffer.free));
  }

  template <bool kFaults, LosslessTransport Transport>
  void run_events(Transport& transport, std::int64_t limit);
  template <bool kFaults, LosslessTransport Transport>
  void arrive(Transport& transport, std::uint32_t id);
  template <LosslessTransport Transport>
  void serve(Transport& transport, std::uint32_t id);
  template <bool kFaults, LosslessTransport Transport>
  void dispatch(Transport& transport, std::int64_t when, std::uint32_t what);
  template <LosslessTransport Transport>
  void prefetch(Transport& transport);

  bool pfc_;
  int lanes_;               // per link
  std::uint8_t last_lane_;  // where most packets are
  std::int32_t hosts_;
  std::uint32_t host_links_;  // links before this one leave a host
  std::int64_t now_ = 0;
  std::uint64_t digest_ = 0;
  std::uint64_t port_mask_ = 0;
  std::vector<Port> ports_;
  std::vector<Parcel> parcels_;
  std::uint32_t free_parcels_ = kNone;
  Calendar calendar_;
  LosslessCounts counts_;
  std::vector<LaneQueue> queues_;  // per link and lane
  std::vector<PortMore> more_;
  std::vector<std::uint32_t> first_link_;  // per node
  Routes routes_;
  PacketFaults* faults_ = nullptr;  // the engine's

  // Marks.
  RandomStream coins_;
  double mark_probability_;

  // PFC, and drops without it.
  std::vector<Ingress> ingress_;       // per link and lane
  std::vector<SwitchBuffer> buffers_;  // per switch
  std::int64_t fixed_xoff_ = -1;       // bytes; -1: dynamic
  double alpha_ = 0;
  std::int64_t xon_gap_ = 0;
  std::uint16_t pause_size_ = 0;
};

// A packet is at the end of its link.
template <bool kFaults, LosslessTransport Transport>
inline void LosslessFabric::arrive(Transport& transport, std::uint32_t id) {
  Port& port = ports_[id];
  const std::uint32_t index = take_first(port.wire);
  if (!port.wire.empty()) calendar_.push(id, parcels_[port.wire.first].packet.arrival, now_);
  Parcel& parcel = parcels_[index];
  if (parcel.frame != Frame::packet) [[unlikely]] {
    const std::uint8_t lane = parcel.lane;
    const bool stop = parcel.frame == Frame::pause;
    free_parcel(index);
    if (stop) return block(port.reverse, lane);
    unblock(port.reverse, lane);
    return serve(transport, port.reverse);
  }
  ++counts_.hops;
  Packet& packet = parcel.packet;
  if constexpr (kFaults) {
    const std::int64_t start = now_ - port.delay - serialisation(port, more_[id], packet.size);
    if (!faults_->survives(id, packet, start, now_)) return free_parcel(index);
  }
  auto out = static_cast<std::uint32_t>(packet.route & port_mask_);
  if (out == 0) {
    const int destination = transport.destination(packet);
    if (destination == port.to) {
      const Packet arrived = packet;
      free_parcel(index);
      return transport.receive(arrived);
    }
    packet.route = routes_.packet_word(port.to, destination);
    out = static_cast<std::uint32_t>(packet.route & port_mask_);
  }
  if constexpr (kFaults) {
    packet.route = faults_->route(port.to, transport.destination(packet), packet, now_);
    out = static_cast<std::uint32_t>(packet.route & port_mask_);
  }
  packet.route >>= routes_.bits();
  forward(id, index, port.next_port + out);
}

// A link may send again: it is free, or a lane was opened.
template <LosslessTransport Transport>
inline void LosslessFabric::serve(Transport& transport, std::uint32_t id) {
  Port& port = ports_[id];
  if (port.free_at > now_) {
    if (!port.armed) arm(id);
    return;
  }
  if (start_waiting(id)) {
    // A host's data waits in the transport, where this link cannot see it.
    if (id < host_links_ && !port.armed) arm(id);
    return;
  }
  if (id < host_links_) transport.link_free(id);
}

template <bool kFaults, LosslessTransport Transport>
inline void LosslessFabric::dispatch(Transport& transport, std::int64_t when, std::uint32_t what) {
  const std::uint32_t links = link_count();
  if (what < links) return arrive<kFaults>(transport, what);
  if (what < 2 * links) {
    ports_[what - links].armed = false;
    return serve(transport, what - links);
  }
  if (what >= kTimer) return transport.timer(what & ~kTimer);
  const bool first = (what & kAgain) == 0;
  const std::uint32_t link = (what & ~kAgain) - 2 * links;
  more_[link].wake.happened(when, first);
  serve(transport, link);
}

// What the next events will touch is fetched while this one runs (see Fabric::prefetch).
template <LosslessTransport Transport>
[[gnu::always_inline]] inline void LosslessFabric::prefetch(Transport& transport) {
  const std::uint32_t links = link_count();
  if (const std::uint32_t what = calendar_.ahead(7); what < 2 * links) {
    __builtin_prefetch(&ports_[what < links ? what : what - links]);
  }
  if (const std::uint32_t what = calendar_.ahead(5); what < links) {
    if (!ports_[what].wire.empty()) __builtin_prefetch(&parcels_[ports_[what].wire.first]);
  } else if (what < links + host_links_) {
    transport.prefetch_link(what - links);
  } else if (what < 2 * links) {
    __builtin_prefetch(&queues_[lane_id(what - links, last_lane_)]);
  }
  if (const std::uint32_t what = calendar_.ahead(3); what < links) {
    if (ports_[what].wire.empty()) return;
    const Packet& packet = parcels_[ports_[what].wire.first].packet;
    if (packet.route == 0) return transport.prefetch(packet);
    __builtin_prefetch(&ports_[ports_[what].next_port + (packet.route & port_mask_)]);
  } else if (what < links + host_links_) {
    transport.prefetch_sender(what - links);
  } else if (what < 2 * links) {
    const LaneQueue& queue = queues_[lane_id(what - links, last_lane_)];
    if (!queue.parcels.empty()) __builtin_prefetch(&parcels_[queue.parcels.first]);
  }
}

template <LosslessTransport Transport>
void LosslessFabric::run(Transport& transport, std::int64_t limit) {
  if (faults_ == nullptr) return run_events<false>(transport, limit);
  run_events<true>(transport, limit);
}

template <bool kFaults, LosslessTransport Transport>
void LosslessFabric::run_events(Transport& transport, std::int64_t limit) {
  for (;;) {
    if (!calendar_.due(limit) && !calendar_.load(limit)) return;
    const Calendar::Entry event = calendar_.pop();
    prefetch(transport);
    now_ = event.when;
    digest_ =
        digest_step(digest_ ^ static_cast<std::uint64_t>(event.when) ^ (std::uint64_t{event.what} << 32));
    dispatch<kFaults>(transport, event.when, event.what);
    if (transport.pause()) [[unlikely]]
      return;
  }
}

}  // namespace overture::network::packet
