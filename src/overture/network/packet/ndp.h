// NDP as a message carrier (Handley et al., SIGCOMM 2017), with the rules of htsim: the sender starts with a
// window of packets, sprayed over all ways; switches trim what does not fit; the receiver answers every
// packet with an ACK, every header with a NACK, and each with a PULL, at the rate of its link. A PULL is
// worth one packet, now or, when there is none to send, later. ndp.cpp has the sender, ndp_receiver.cpp the
// rest.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "overture/base/pool.h"
#include "overture/network/packet/equal_paths.h"
#include "overture/network/packet/fabric.h"
#include "overture/network/packet/ndp_flow.h"
#include "overture/network/packet/transport.h"
#include "overture/network/packet/turns.h"

namespace overture::network::packet {

class Ndp : public Deliveries {
 public:
  static constexpr bool kTrims = true;

  // `topology` and `fabric` outlive the transport.
  Ndp(const PacketConfig& config, const topology::Topology& topology, Fabric& fabric, Pause pause);

  // A message of at least one byte that is sent at `when`. Returns its index, which is used again once the
  // message is delivered and acknowledged.
  std::uint32_t post(int from, int to, std::int64_t bytes, std::int64_t when);
  void reserve(std::size_t) {}

  std::size_t flows() const { return flows_.size(); }
  std::size_t memory() const;

  // What the fabric calls.
  void receive(const Packet& packet);
  void timer(std::uint32_t id);
  void link_free(std::uint32_t link);
  void host_timer(int host);
  bool stale(const Packet& packet) const { return flows_[packet.flow].serial != packet.info; }
  int destination(const Packet& packet) const {
    const NdpFlow& flow = flows_[packet.flow];
    return packet.kind == Kind::data || packet.kind == Kind::header ? flow.destination : flow.source;
  }
  [[gnu::always_inline]] void prefetch(const Packet& packet) const {
    const NdpFlow& flow = flows_[packet.flow];
    __builtin_prefetch(&flow);
    __builtin_prefetch(&flow.bits);
    if (packet.kind == Kind::data || packet.kind == Kind::header) __builtin_prefetch(&flow.spread);
  }

 private:
  static constexpr std::uint32_t kStart = std::uint32_t{1} << 30;  // a timer that starts a message

  // A host's PULLs, of its flows in turns. Those that bring nothing take their time, too, of the pacer and of
  // the link, but they are no packets: they are counted when somebody asks, without a timer.
  struct Puller {
    Turns flows;
    std::int64_t next = 0;  // the earliest time of the next PULL, ps
    bool armed = false;
    std::int64_t gap = 0;           // ps
    std::int64_t control_time = 0;  // of a control packet on the first link, ps
    std::uint32_t matter = 0;       // flows with a PULL that brings a packet
  };

  PacketBits& bits(NdpFlow& flow, std::uint32_t number) {
    return flow.more == kNone ? flow.bits : bits_[flow.more][number / 64];
  }
  static std::uint64_t bit(std::uint32_t number) { return std::uint64_t{1} << (number % 64); }

  void start(std::uint32_t id);
  double rate(std::uint32_t link) const;  // packets per ps
  std::uint32_t slow_way(const NdpFlow& flow);
  double rate_between(int at, int end, int to);
  void free_if_done(std::uint32_t id, NdpFlow& flow);

  // The sender.
  void allow(NdpFlow& flow);
  void queue(NdpFlow& flow);
  static bool ready(const NdpFlow& flow) { return flow.next < flow.fresh || flow.last_resend != kNone; }
  bool resends(const NdpFlow& flow);
  void want(NdpFlow& flow, std::uint32_t number);
  std::uint32_t take_wanted(NdpFlow& flow);
  void add_resend(NdpFlow& flow, std::uint32_t number);
  std::uint32_t take_resend(NdpFlow& flow);
  bool transmit_next(std::uint32_t id, NdpFlow& flow);
  void transmit(std::uint32_t id, NdpFlow& flow, std::uint32_t number);
  void on_ack(std::uint32_t id, NdpFlow& flow, std::uint32_t number);
  void on_complete(std::uint32_t id, NdpFlow& flow);
  void on_nack(std::uint32_t id, NdpFlow& flow, std::uint32_t number);
  void on_pull(std::uint32_t id, NdpFlow& flow, std::uint32_t pulled);
  void set_deadline(std::uint32_t id, NdpFlow& flow);
  void on_timeout(std::uint32_t id, NdpFlow& flow);
  std::uint32_t length(const NdpFlow& flow, std::uint32_t number) const;

  // The receiver.
  void on_data(std::uint32_t id, NdpFlow& flow, std::uint32_t number);
  void reply(std::uint32_t id, NdpFlow& flow, Kind kind, std::uint32_t sequence);
  void on_header(std::uint32_t id, NdpFlow& flow, std::uint32_t number);
  void ask_for_more(NdpFlow& flow, Puller& puller);
  Puller& settled_puller(const NdpFlow& flow);
  enum PullPacket : std::uint8_t { kPullOnAck, kPullAlone };
  void pull(Puller& puller, std::int64_t when, PullPacket packet);
  void arm(int host, Puller& puller);
  static void weigh(Puller& puller, NdpFlow& flow);

  NdpConfig config_;
  std::uint32_t payload_;
  std::uint32_t header_;
  Fabric& fabric_;
  const topology::Topology& topology_;
  EqualPaths ways_;
  Pool<NdpFlow> flows_;
  Pool<std::vector<PacketBits>> bits_;
  Pool<NdpResend> resends_;
  std::vector<Turns> nics_;                          // by link
  std::vector<Puller> pullers_;                      // by host
  bool slow_ways_ = false;                           // is any link slower than a host's?
  std::vector<std::int64_t> gaps_;                   // between PULLs for slow ways, each once, ps
  std::unordered_map<std::uint64_t, double> rates_;  // by switch and common end: packets per ps
  std::uint32_t serial_ = 0;
};

}  // namespace overture::network::packet
