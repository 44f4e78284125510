// DCTCP as htsim's fork for the DLRM study runs it (opera-htsim section 2): every message opens a connection
// with a SYN of one byte and goes in full packets; ACKs arrive at once and for free; losses are found by
// three duplicates or by a timeout that doubles without limit, one packet each, without selective
// acknowledgement. Only to make the published results again; tcp.h is the one to use.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "overture/base/pool.h"
#include "overture/network/packet/fabric.h"
#include "overture/network/packet/reassembly.h"
#include "overture/network/packet/transport.h"

namespace overture::network::packet {

class HtsimDctcp : public Deliveries {
 public:
  static constexpr bool kTrims = false;

  // `fabric` outlives the transport.
  HtsimDctcp(const PacketConfig& config, const topology::Topology& topology, Fabric& fabric, Pause pause);

  // A message of at least one byte that is sent at `when`. Returns its index, which is used again once the
  // message is delivered and none of its packets is left.
  std::uint32_t post(int from, int to, std::int64_t bytes, std::int64_t when);
  void reserve(std::size_t) {}

  std::size_t flows() const { return flows_.size(); }
  std::size_t memory() const { return flows_.memory() + gaps_.memory(); }

  // What the fabric calls.
  void receive(const Packet& packet);
  void timer(std::uint32_t id);
  int destination(const Packet& packet) const { return flows_[packet.flow].destination; }
  [[gnu::always_inline]] void prefetch(const Packet& packet) const {
    __builtin_prefetch(&flows_[packet.flow]);
    __builtin_prefetch(&flows_[packet.flow].rtt);
  }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  static constexpr std::uint32_t kStart = std::uint32_t{1} << 30;  // a timer that starts a message

  // A message and its connection. Packets are counted from 0, which is the SYN.
  struct alignas(64) Flow {
    std::uint64_t route = 0;
    std::uint32_t acked = 0;     // packets acknowledged, in order
    std::uint32_t sent = 0;      // one past the last packet sent; a timeout goes back
    std::uint32_t reached = 0;   // one past the last packet ever sent
    std::uint32_t packets = 0;   // of the message, the SYN included
    std::uint32_t recover = 0;   // a loss before this packet is an old one
    std::uint32_t expected = 0;  // the receiver's next packet in order
    std::uint32_t gaps = kNone;  // what it holds beyond
    std::uint32_t cwnd = 0;      // bytes, as the two below
    std::uint32_t ssthresh = 0;
    std::uint32_t observed_window = 0;
    std::uint32_t observed = 0;  // ACKs since the window was last looked at
    std::uint32_t marked = 0;    // of these, with an echoed mark
    std::uint32_t flying = 0;    // packets in the network

    std::int64_t rtt = 0;  // ps, as all times
    std::int64_t rtt_deviation = 0;
    std::int64_t rto = 0;
    std::int64_t deadline = kNever;
    std::int64_t timer_at = kNever;  // the next timer event; a new message keeps that of the last
    std::int64_t bytes = 0;
    double alpha = 0;
    std::int32_t source = 0;
    std::int32_t destination = 0;
    std::uint32_t duplicates = 0;
    bool recovering : 1 = false;
    bool finished : 1 = false;
    bool timed_out : 1 = false;  // the timer has run out; the packet is sent again in a moment
  };

  void open(std::uint32_t id, Flow& flow);
  void send(std::uint32_t id, Flow& flow, std::uint32_t number);
  void send_allowed(std::uint32_t id, Flow& flow);
  void resend(std::uint32_t id, Flow& flow);
  static bool established(const Flow& flow) { return flow.acked > 0; }

  void hold(Flow& flow, std::uint32_t number);
  void on_ack(std::uint32_t id, Flow& flow, std::uint32_t stamp, bool echo);
  void on_new_ack(std::uint32_t id, Flow& flow, std::uint32_t ack);
  void on_duplicate(std::uint32_t id, Flow& flow);
  void observe_mark(Flow& flow, bool echo);
  void sample_rtt(Flow& flow, std::uint32_t stamp);
  void grow(Flow& flow) const;
  void deflate(Flow& flow) const;
  void finish(std::uint32_t id, Flow& flow);
  void release_if_done(std::uint32_t id, const Flow& flow);

  void set_deadline(std::uint32_t id, Flow& flow);
  void arm(std::uint32_t id, Flow& flow, std::int64_t when);
  void scan(std::uint32_t id, Flow& flow);
  void on_timeout(std::uint32_t id, Flow& flow);

  std::uint32_t stamp() const;
  std::uint32_t take_stamp();
  void collect_lost();

  HtsimDctcpConfig config_;
  std::uint32_t segment_;
  Fabric& fabric_;
  Pool<Flow> flows_;
  Pool<Reassembly> gaps_;
  std::vector<std::uint32_t> done_;  // flows that are free again
  // The time stamps that packets held when they were freed: htsim uses them again, last first, and a SYN is
  // not stamped anew.
  std::vector<std::uint32_t> old_stamps_;
};

}  // namespace overture::network::packet
