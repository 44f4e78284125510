// The numbers of htsim's DCTCP, with their keys and what the network must know of it. What they do is in
// htsim_dctcp.h.
#pragma once

#include <chrono>
#include <string_view>

#include "overture/base/units.h"
#include "overture/network/packet/transport_config.h"

namespace overture::network::packet {

// DCTCP as in htsim's fork for the DLRM study (htsim_dctcp.h), with that study's numbers.
struct HtsimDctcpConfig {
  static constexpr std::string_view kWord = "htsim_dctcp";
  static constexpr std::string_view kHelp = "DCTCP as in the Opera study's htsim, to reproduce its results";
  static constexpr bool kSendsAgain = true;     // what is lost
  static constexpr bool kCountsSending = true;  // in the limits of queues, which drop one packet earlier

  Bytes packet{8936};                 // on the wire, payload and all
  int initial_window = 100;           // packets
  int slow_start_threshold = 10'000;  // packets
  double gain = 1.0 / 16;             // of the moving share of marks
  Duration min_rto = std::chrono::milliseconds(10);
  Duration scan = std::chrono::milliseconds(1);  // timers are looked at so often
  // htsim gives SYNs no time stamp: they carry that of the memory's last packet, or 0, and the first round
  // trip seems to have lasted since then.
  bool stamp_syn = false;

  Bytes largest_packet() const { return packet; }
  ConnectionUse connection_use() const { return ConnectionUse::per_message; }
  void require_sound(const PacketConfig& config) const;
  static std::unique_ptr<Stack> make(const topology::Topology& topology, const PacketConfig& config,
                                     Pause pause);

  template <class V>
  static void keys(V& v, HtsimDctcpConfig& d) {
    v.from("the Opera DLRM study's fork of htsim");
    v.field("packet", d.packet, "Size of a packet on the wire; it has no header");
    v.field("initial_window", d.initial_window, "Initial window in packets");
    v.field("slow_start_threshold", d.slow_start_threshold, "Slow start ends at this many packets");
    v.field("gain", d.gain, "Gain of the moving share of marks");
    v.field("min_rto", d.min_rto, "Shortest retransmission timeout; it doubles without limit");
    v.field("scan", d.scan, "Time between two checks of the timers");
    v.field("stamp_syn", d.stamp_syn, "Gives SYNs a time stamp; htsim leaves that of an old packet");
  }
};

}  // namespace overture::network::packet
