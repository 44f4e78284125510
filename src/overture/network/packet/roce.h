// Rate-based transports for lossless networks: RoCE (in order, ACKs, go-back-N, DCQCN) and plain messages
// (none of that). A host's link takes a packet from one connection after the other, each not before its rate
// allows. roce.cpp has messages and the sender, roce_receiver.cpp the receiver, dcqcn.h the rate.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "overture/base/pool.h"
#include "overture/network/packet/config.h"
#include "overture/network/packet/dcqcn.h"
#include "overture/network/packet/lossless_fabric.h"
#include "overture/network/packet/queue_pairs.h"
#include "overture/network/packet/roce_flow.h"
#include "overture/network/packet/transport.h"

namespace overture::network::packet {

class Roce : public Deliveries {
 public:
  // `topology` and `fabric` outlive the transport.
  Roce(const PacketConfig& config, const topology::Topology& topology, LosslessFabric& fabric, Pause pause);

  // A message of at least one byte that is sent at `when`. Returns its index, which is used again once the
  // message is delivered and acknowledged.
  std::uint32_t post(int from, int to, std::int64_t bytes, std::int64_t when);
  void reserve(std::size_t connections) { flows_.reserve(connections); }

  std::size_t flows() const { return flows_.size(); }
  std::size_t memory() const;

  // What the fabric calls.
  void receive(const Packet& packet);
  void timer(std::uint32_t id);
  void link_free(std::uint32_t link);
  int destination(const Packet& packet) const {
    const RoceFlow& flow = flows_[packet.flow];
    return packet.kind == Kind::data ? flow.destination : flow.source;
  }
  [[gnu::always_inline]] void prefetch(const Packet& packet) const {
    const RoceFlow& flow = flows_[packet.flow];
    __builtin_prefetch(packet.kind == Kind::data ? static_cast<const void*>(&flow.ack_route) : &flow);
  }
  // What link_free(link) will need, in two steps.
  [[gnu::always_inline]] void prefetch_link(std::uint32_t link) const { __builtin_prefetch(&nics_[link]); }
  [[gnu::always_inline]] void prefetch_sender(std::uint32_t link) const {
    const std::uint32_t first = nics_[link].ready[data_priority_].first;
    if (first != kNone) __builtin_prefetch(&flows_[first], 1);
  }

 private:
  static constexpr std::uint32_t kStart = std::uint32_t{1} << 30;            // a timer that starts a message
  static constexpr std::int64_t kMostWaiting = (std::int64_t{1} << 31) - 1;  // packets on a connection
  static constexpr std::size_t kPriorities = 8;

  // A connection whose rate lets it send only later.
  struct Later {
    std::int64_t when;
    std::uint32_t flow;
    // A heap has the largest first.
    bool operator<(const Later& other) const {
      return when != other.when ? when > other.when : flow > other.flow;
    }
  };
  struct Line {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };
  // A host's link: connections that may send, in turns, by priority; and those that will.
  struct RoceNic {
    std::array<Line, kPriorities> ready;
    std::vector<Later> later;
    int waiting = 0;  // connections that may send
  };

  // Messages.
  std::uint32_t connection(int from, int to, std::uint8_t priority);
  std::uint8_t priority_of(std::int64_t bytes) const;
  void start(std::uint32_t id);
  std::uint16_t last_length(const RoceMessage& message) const;
  void send_next(RoceFlow& flow, std::uint32_t message);
  void receive_next(RoceFlow& flow, std::uint32_t message);

  // The sender.
  void activate(std::uint32_t id, RoceFlow& flow);
  void take_turn(std::uint32_t id, RoceFlow& flow, std::int64_t free_at);
  void line_up(RoceNic& nic, std::uint32_t id, RoceFlow& flow);
  void collect(RoceNic& nic);
  std::uint32_t next_ready(RoceNic& nic, std::uint32_t link);
  void transmit(std::uint32_t id, RoceFlow& flow);
  std::int64_t gap(const RoceFlow& flow, std::int64_t size) const;
  void acknowledge(RoceFlow& flow, std::uint32_t expected);
  void go_back(std::uint32_t id, RoceFlow& flow);
  void set_deadline(std::uint32_t id, RoceFlow& flow);

  // The receiver.
  void on_data(std::uint32_t id, RoceFlow& flow, const Packet& packet);
  void on_next(std::uint32_t id, RoceFlow& flow);
  void count_arrival(std::uint32_t message);
  void answer(std::uint32_t id, RoceFlow& flow, Kind kind);
  void notify(std::uint32_t id, RoceFlow& flow);
  void send_control(std::uint32_t id, RoceFlow& flow, Packet packet, Bytes size);

  RoceConfig config_;
  bool reliable_;
  bool dcqcn_on_;
  std::uint32_t payload_;
  std::uint32_t header_;
  double most_rate_;           // bit/s
  std::size_t data_priority_;  // that of most data
  std::vector<Bytes> small_first_;
  LosslessFabric& fabric_;
  Dcqcn dcqcn_;
  std::vector<RoceFlow> flows_;
  QueuePairs pairs_;
  Pool<RoceMessage> messages_;
  std::vector<RoceNic> nics_;  // by link
};

}  // namespace overture::network::packet
