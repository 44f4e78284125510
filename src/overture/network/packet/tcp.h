// TCP as a message carrier: NewReno, or a control on top of it (congestion_control.h), with SACK,
// proportional rate reduction and retransmission timeouts, as the golden data's rules 6 to 12 say and, beyond
// them, as ns-3.37 does. tcp.cpp has what every packet does, recovery.cpp what follows a loss.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "overture/base/pool.h"
#include "overture/network/packet/connections.h"
#include "overture/network/packet/fabric.h"
#include "overture/network/packet/flow.h"
#include "overture/network/packet/reassembly.h"
#include "overture/network/packet/scoreboard.h"
#include "overture/network/packet/transport.h"

namespace overture::network::packet {

// What the parts of a network have in common: a connection's sender is in one of them, its receiver in one.
// Grows only when messages are posted.
struct TcpConnections {
  std::vector<Flow> flows;
  Connections pairs;
  Pool<MessageState> messages;

  std::size_t memory() const;
};

class Tcp : public Deliveries {
 public:
  static constexpr bool kTrims = false;  // its switches have FIFO queues

  using Shared = TcpConnections;
  // What parts tell each other beside packets: the SACK blocks of those, and which messages were started.
  struct Mail {
    struct Start {
      std::uint32_t message;
      std::uint32_t previous;  // on its connection, or kNone
    };
    std::vector<SackBlocks> blocks;
    std::vector<Start> starts;

    void clear() {
      blocks.clear();
      starts.clear();
    }
  };

  // `fabric` and what is shared outlive the transport.
  Tcp(const PacketConfig& config, const topology::Topology& topology, Fabric& fabric, Pause pause);
  Tcp(const TcpConfig& config, Fabric& fabric, Pause pause, Shared& shared);

  // A message of at least one byte that is sent at `when`. Returns its index, which is used again once the
  // message is delivered and acknowledged.
  std::uint32_t post(int from, int to, std::int64_t bytes, std::int64_t when);

  // Makes room for that many connections at once.
  void reserve(std::size_t connections) { flows_.reserve(connections); }

  // Posted here and not delivered here: all parts together know how many are on their way.
  std::size_t flows() const { return flows_.size(); }
  // Without what is shared.
  std::size_t memory() const;

  // What the fabric calls.
  void receive(const Packet& packet);
  void timer(std::uint32_t id);
  int destination(const Packet& packet) const {
    const Flow& flow = flows_[packet.flow];
    return packet.kind == Kind::data ? flow.destination : flow.source;
  }
  [[gnu::always_inline]] void prefetch(const Packet& packet) const {
    const Flow& flow = flows_[packet.flow];
    if (packet.kind == Kind::data) return __builtin_prefetch(&flow.expected);
    __builtin_prefetch(&flow.unacked);
    __builtin_prefetch(&flow.rtt);
    __builtin_prefetch(&flow.times);
  }

  // With several parts: mail for each of them, and from one. What concerns a packet is packed with it.
  void send_mail_to(const std::vector<Mail*>& outboxes) { outboxes_ = &outboxes; }
  void pack(Packet& packet, Mail& mail);
  void unpack(Packet& packet, const Mail& mail);
  void read(const Mail& mail);

 private:
  static constexpr std::uint32_t kStart = std::uint32_t{1} << 30;  // a timer that starts a message
  static constexpr std::uint32_t kAck = std::uint32_t{1} << 29;    // a timer that sends a late ACK

  // What an ACK says, once the scoreboard knows it.
  struct AckNews {
    std::uint64_t ack = 0;
    std::uint64_t before = 0;             // what was acknowledged until now
    std::uint32_t delivered = 0;          // bytes that are known to have arrived since this ACK
    bool duplicate = false;               // it has SACK blocks with something new
    bool retransmission_arrived = false;  // it covers a segment that was sent again
  };

  Tcp(const TcpConfig& config, Fabric& fabric, Pause pause, std::unique_ptr<Shared> own);

  // Connections and messages.
  std::uint32_t flow_of_pair(int from, int to);
  std::uint32_t new_flow(int from, int to);
  std::uint32_t connection_for(std::uint32_t first);
  void open(std::uint32_t id);
  bool joins(Flow& flow, std::uint32_t message, std::int64_t when);
  void start(std::uint32_t message);
  std::uint32_t write(std::uint32_t id, Flow& flow, std::uint32_t message);
  void expect(const Mail::Start& start);
  void finish_received(Flow& flow);
  void free_acknowledged(Flow& flow);

  // The sender.
  void pump(std::uint32_t id, Flow& flow);
  void transmit(std::uint32_t id, Flow& flow, std::uint64_t offset, std::uint32_t length);
  void on_ack(std::uint32_t id, Flow& flow, std::uint64_t ack, bool echo, const SackBlocks* sack);
  void advance(Flow& flow, std::uint64_t ack);
  std::uint64_t segments_of(Flow& flow, std::uint64_t acknowledged) const;
  void grow_window(Flow& flow, std::uint64_t segments);
  void time_segment(Flow& flow, std::uint64_t offset, std::uint32_t length);
  void sample_rtt(Flow& flow, std::int64_t sample);
  void recall_handshake(Flow& flow) const;
  std::int64_t rto(const Flow& flow) const;
  void restart_timer(std::uint32_t id, Flow& flow);
  void set_deadline(std::uint32_t id, Flow& flow);
  void arm(std::uint32_t id, Flow& flow);

  // The receiver.
  void on_data(const Packet& packet);
  bool hold(Flow& flow, std::uint64_t offset, std::uint32_t length);
  void acknowledge(std::uint32_t id, Flow& flow, bool congested, bool gaps);
  void send_late_ack(std::uint32_t id);
  std::uint32_t keep_blocks(const SackBlocks& blocks);

  // recovery.cpp
  void on_troubled_ack(std::uint32_t id, Flow& flow, std::uint64_t ack, bool echo, const SackBlocks* sack);
  Scoreboard& scoreboard(Flow& flow);
  void release_scoreboard(Flow& flow);
  void on_duplicate(std::uint32_t id, Flow& flow, const AckNews& news);
  void on_progress(std::uint32_t id, Flow& flow, const AckNews& news);
  void on_partial_ack(std::uint32_t id, Flow& flow, const AckNews& news, std::uint64_t segments);
  void leave_trouble(std::uint32_t id, Flow& flow, const AckNews& news, std::uint64_t segments);
  void enter_recovery(std::uint32_t id, Flow& flow, const AckNews& news);
  void reduce_proportionally(Flow& flow, const AckNews& news);
  void retransmit(std::uint32_t id, Flow& flow);
  void pump_troubled(std::uint32_t id, Flow& flow);
  bool send_next(std::uint32_t id, Flow& flow, std::uint32_t available);
  void resend(std::uint32_t id, Flow& flow, Scoreboard::Segment& segment, std::uint32_t most);
  bool send_new(std::uint32_t id, Flow& flow);
  void on_timeout(std::uint32_t id, Flow& flow);

  // Of a flow in fast recovery (RFC 6937), in bytes. ns-3's numbers have 32 bits and wrap around.
  struct Reduction {
    std::uint32_t delivered = 0;
    std::uint32_t sent = 0;
    std::uint32_t at_start = 0;  // outstanding
  };
  struct Losses {
    Scoreboard board;
    Reduction reduction;
    std::uint32_t pipe = 0;  // bytes in flight, when they were last looked at
  };

  TcpConfig config_;
  ControlHooks control_;
  std::uint32_t segment_;
  std::uint32_t header_;
  Fabric& fabric_;
  std::unique_ptr<Shared> own_;  // if it is shared with nobody
  std::vector<Flow>& flows_;
  Connections& connections_;
  Pool<MessageState>& messages_;
  std::vector<std::uint32_t> done_;               // messages that are free again
  const std::vector<Mail*>* outboxes_ = nullptr;  // by part
  Pool<Losses> losses_;
  Pool<Reassembly> gaps_;
  Pool<SackBlocks> sack_;
  std::unordered_map<std::uint32_t, std::deque<Packet>> late_acks_;  // by flow, with an ACK delay
};

}  // namespace overture::network::packet
