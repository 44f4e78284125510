// The numbers of TCP, with their keys and what the network must know of it. What they do is in tcp.h.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "overture/base/units.h"
#include "overture/network/packet/congestion_control.h"
#include "overture/network/packet/transport_config.h"

namespace overture::network::packet {

// Defaults are those of the golden data (golden/ns3), rules 2, 3 and 7 to 12.
struct TcpConfig {
  static constexpr std::string_view kWord = "tcp";
  static constexpr std::string_view kHelp = "TCP with one of several congestion controls";
  static constexpr bool kSendsAgain = true;  // what is lost
  static constexpr bool kKnowsOnlyConnections = true;

  CongestionControl control{};
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

  Bytes largest_packet() const { return segment + header; }
  ConnectionUse connection_use() const { return connections; }
  void require_sound(const PacketConfig& config) const;
  std::vector<SetupChange> settings_to_try(const PacketConfig& config, const NetworkRecord& record) const;
  static std::unique_ptr<Stack> make(const topology::Topology& topology, const PacketConfig& config,
                                     Pause pause);
  static std::unique_ptr<Stack> make_parts(const topology::Topology& topology, const PacketConfig& config);

  template <class V>
  static void keys(V& v, TcpConfig& t) {
    v.from("ns-3 3.37 as the references ran it (tests/golden/ns3), RFC 5681, 6298, 6928 and 8257");
    v.field("control", t.control, "Congestion control");
    v.field("segment", t.segment, "Most payload in a packet");
    v.field("header", t.header, "Header of every data packet");
    v.field("ack", t.ack, "Size of an ACK without SACK blocks");
    v.field("initial_window", t.initial_window, "Initial window in segments (RFC 6928)");
    v.field("receive_window", t.receive_window, "Most bytes that may be in flight");
    v.field("first_window", t.first_window, "Most bytes in flight until the first ACK");
    v.field("slow_start_threshold", t.slow_start_threshold,
            "Slow start ends at this many segments; unlimited if left out");
    v.field("ack_delay", t.ack_delay, "Time from a data packet's arrival to its ACK; every packet has one");
    v.field("send_delay", t.send_delay, "Time from the send call to the first packet");
    v.field("duplicate_acks", t.duplicate_acks, "Duplicate ACKs that count as a loss (RFC 5681)");
    v.field("min_rto", t.min_rto, "Shortest retransmission timeout");
    v.field("max_rto", t.max_rto, "Longest retransmission timeout (RFC 6298)");
    v.field("clock_granularity", t.clock_granularity, "G of RFC 6298");
    v.field("connections", t.connections, "One connection per pair of hosts, or a new one per message");
    const auto more = [&]<class One>(One& one) { One::keys(v, one); };
    std::apply([&](auto&... each) { (more(each), ...); }, t.controls);
  }
};

}  // namespace overture::network::packet
