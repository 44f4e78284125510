// All that the packet engine can be told, with its defaults and where they come from. The topology is told
// apart.
#pragma once

#include <cstdint>
#include <optional>

#include "overture/base/units.h"
#include "overture/network/connection_use.h"
#include "overture/network/packet/congestion_control.h"
#include "overture/network/packet/lossless_config.h"
#include "overture/topology/routing.h"

namespace overture::network::packet {

// When a queue decides to mark a packet: as it comes (RFC 8257, ns-3), or as it leaves (htsim's ECN queue).
enum class MarkAt : std::uint8_t { enqueue, dequeue };

// NDP's switch queues: a short one for data, and one with strict priority for control packets and for
// headers, which are data that did not fit and lost their payload.
struct TrimConfig {
  // Data is trimmed when the bytes queued, the packet being sent included, and its own exceed this. htsim: 15
  // packets (golden/htsim).
  Bytes data_limit{15 * 9064};
  // The same for the priority queue, which drops. Twice the data queue: the golden data do not say.
  Bytes control_limit{2 * 15 * 9064};
  // How often a full queue trims the packet that comes; else the last one queued (NDP, SIGCOMM 2017, 3.1;
  // htsim).
  double trim_arriving = 0.5;
};

// Output queues of switches. A host's own queue, and those of NICs and switches inside machines, are never
// limited and never mark.
struct QueueConfig {
  // Drop-tail: a packet is dropped when the bytes queued, without the packet being sent, and its own exceed
  // this.
  std::optional<Bytes> port_limit;
  // The same for all ports of a switch together, packets being sent included.
  std::optional<Bytes> shared_limit;
  // With a shared limit: a packet is dropped, too, when its port would hold more than this share of what is
  // free in the shared buffer (Choudhury and Hahne, 1998). Not given: a port may take all of it.
  std::optional<double> dynamic_alpha;
  // Marks data when more than this waits (the packet being sent included). RFC 8257 calls it K.
  std::optional<Bytes> mark_above;
  MarkAt mark_at = MarkAt::enqueue;
  // With NDP, and then in place of all of the above.
  TrimConfig trim;
};

// Defaults are those of the golden data (golden/ns3), rules 2, 3 and 7 to 12.
struct TcpConfig {
  CongestionControl control = CongestionControl::new_reno;
  Bytes segment{1448};                      // most payload in a packet
  Bytes header{42};                         // IPv4 20, TCP 20, PPP 2
  Bytes ack{42};                            // an ACK without SACK blocks
  int initial_window = 10;                  // segments (RFC 6928)
  Bytes receive_window{524'288};            // constant: the receiver reads at once
  Bytes first_window{65'535};               // until the first ACK: the handshake's window field is not scaled
  std::optional<int> slow_start_threshold;  // segments; unlimited if not given
  Duration ack_delay{};                     // from a data packet's arrival to its ACK
  Duration send_delay{1};  // from the send call to the first packet (a tick of the simulator)

  int duplicate_acks = 3;                                     // that make a loss (RFC 5681)
  Duration min_rto = std::chrono::milliseconds(1);            // RFC 6298 with a data centre's minimum
  Duration max_rto = std::chrono::seconds(60);                // RFC 6298, 2.5
  Duration clock_granularity = std::chrono::microseconds(1);  // G in RFC 6298

  ControlConfigs controls;

  ConnectionUse connections = ConnectionUse::per_pair;
};

// DCTCP as in htsim's fork for the DLRM study (htsim_dctcp.h), with that study's numbers.
struct HtsimDctcpConfig {
  Bytes packet{8936};                 // on the wire, payload and all
  int initial_window = 100;           // packets
  int slow_start_threshold = 10'000;  // packets
  double gain = 1.0 / 16;             // of the moving share of marks
  Duration min_rto = std::chrono::milliseconds(10);
  Duration scan = std::chrono::milliseconds(1);  // timers are looked at so often
  // htsim gives SYNs no time stamp: they carry that of the memory's last packet, or 0, and the first round
  // trip seems to have lasted since then.
  bool stamp_syn = false;
};

// When a message counts as complete: with its last byte at the receiver, or when the sender knows (htsim's
// NDP).
enum class CompleteAt : std::uint8_t { delivery, last_ack };

// NDP (Handley et al., SIGCOMM 2017). A message is a flow of its own: a first window of packets at once, then
// a packet per PULL. Defaults are those of the golden data (golden/htsim, G01 to G04).
struct NdpConfig {
  Bytes payload{9000};       // most in a packet
  Bytes header{64};          // of a data packet, and what trimming leaves
  Bytes control{64};         // an ACK, NACK or PULL
  int initial_window = 50;   // packets
  double pull_rate = 0.99;   // of PULLs, as a share of the packets that the receiver's link carries
  bool pad_packets = false;  // the last packet of a message is as long as the others (htsim)
  CompleteAt complete_at = CompleteAt::delivery;
  // Without news for this long, packets count as lost; only the loss of a header or of a control packet needs
  // it. Doubles with every timeout in a row. The minimum is that of opera-htsim section 1.7.
  Duration min_rto = std::chrono::milliseconds(1);
  Duration max_rto = std::chrono::seconds(1);
};

// RoCE and plain messages run on switches with a LosslessConfig, the others on FIFO or trimming queues
// (QueueConfig).
enum class TransportKind : std::uint8_t { tcp, ndp, roce, plain, htsim_dctcp };

struct PacketConfig {
  TransportKind transport = TransportKind::tcp;
  QueueConfig queue;
  TcpConfig tcp;
  NdpConfig ndp;
  HtsimDctcpConfig htsim_dctcp;
  LosslessConfig lossless;
  RoceConfig roce;
  PlainConfig plain;
  topology::PathRule paths = topology::PathRule::by_destination;
  // With paths by a hash of the flow: so many hashes, of which every packet takes one at random, as
  // csg-htsim's hosts do with `-strat ecmp_host -paths n`. 1: a flow keeps its way.
  int entropies = 1;
  std::uint64_t seed = 1;
  // The network is cut into as many parts, which run at the same time; results are those of one thread.
  int threads = 1;
  // A network whose links alone need more than this is refused before the run.
  Bytes memory_limit{std::int64_t{8} << 30};
};

// With its header, of the transport that is chosen.
Bytes largest_packet(const PacketConfig& config);

// DCTCP as in the DLRM study's fat tree (opera-htsim section 2): packets of 8936 B without a header, a window
// of 100, ACKs outside the network, one random way per flow, marks above 50 packets as they leave, queues of
// 10,000.
PacketConfig dlrm_study_dctcp();

// NDP that sprays its packets, with the defaults above.
PacketConfig ndp();
// The same as htsim does it (golden/htsim): full packets only, and a flow ends with its last ACK.
PacketConfig htsim_ndp();

// RoCE with DCQCN on PFC, a way per flow.
PacketConfig roce();
// Plain messages with credits and virtual channels, for tori.
PacketConfig plain_credits();

// How the transport that it chooses carries messages of a pair.
ConnectionUse connections_of(const PacketConfig& config);

// Throws UserError naming the first value that cannot work.
void require_sound(const PacketConfig& config);
// Throws UserError if so many links need more than the limit.
void require_memory(const PacketConfig& config, std::size_t links, std::size_t bytes);

}  // namespace overture::network::packet
