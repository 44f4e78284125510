// What lossless networks can be told: how links hold back their senders (PFC or credits), when queues mark,
// and how RoCE and its rate control behave. Defaults come with their source.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "overture/base/units.h"
#include "overture/base/words.h"
#include "overture/network/packet/transport_config.h"

namespace overture::network::packet {

// How the far end of a link keeps its sender from overrunning it: not at all (full switches drop), with pause
// frames per priority (IEEE 802.1Qbb), or with credits for virtual channels (Garnet).
enum class LinkControl : std::uint8_t { none, pfc, credits };
constexpr auto vocabulary(LinkControl) {
  return std::to_array<Word<LinkControl>>({
      {LinkControl::none, "none"},
      {LinkControl::pfc, "pfc"},
      {LinkControl::credits, "credits"},
  });
}

// Marks data at its output queue as RED does (Zhu et al., SIGCOMM 2015, 3.1): never while at most `min` waits
// in the packet's priority, itself included, always above `max`, and with a probability that grows from 0 to
// `probability` in between. Equal `min` and `max` make a step.
//
// Left out, `min` and `max` grow with the link: 100 KB and 400 KB per 25 Gbps, with a probability of 0.2.
// These are the numbers of HPCC's public simulator (Li et al., SIGCOMM 2019; its KMIN_MAP,
// KMAX_MAP and PMAX_MAP). The DCQCN paper's 5 KB, 200 KB and 0.01 are for one testbed of 40 Gbps: at 100 Gbps
// a queue passes 5 KB within half a microsecond, so every burst is marked, and senders are cut far below
// their fair share.
struct EcnConfig {
  std::optional<Bytes> min;  // Kmin
  std::optional<Bytes> max;  // Kmax
  double probability = 0.2;  // Pmax

  // For a link of that rate; the minimum never exceeds the maximum.
  Bytes min_at(Bandwidth rate) const;
  Bytes max_at(Bandwidth rate) const;
};

// Priority flow control. What came in through a port and priority of a switch and has not left is counted; at
// XOFF the switch tells the sender at the other end to stop, and what is still on its way goes into headroom.
struct PfcConfig {
  // XOFF is this share of what is free in the switch's shared buffer (Choudhury and Hahne, 1998). 1/8 is
  // common in switches and in the HPCC simulator.
  double dynamic_alpha = 0.125;
  // Or a constant, whatever is free.
  std::optional<Bytes> xoff;
  // XON is sent when this much less than XOFF is counted, or nothing. Two packets of 1,500 B (as the HPCC
  // simulator).
  Bytes xon_gap{3'000};
  // Per port and priority, besides the shared buffer. If not given: what can come after XOFF was decided,
  // from the link's rate and delay (802.1Qbb, annex O).
  std::optional<Bytes> headroom;
  Bytes frame{64};  // a pause frame, the least of Ethernet
};

// Credits per virtual channel and virtual cut-through. A link has `channels` of them per class; a torus has
// two classes, one before and one after the dateline of each ring, every other network has one. A channel's
// buffer at the far end holds one packet at a time, as in Garnet, and is free again when the packet's last
// flit has left and the news has travelled back.
struct CreditConfig {
  Bytes flit{128};       // packets are whole flits; ASTRA-sim's Garnet: a flit-width of 1024 bits
  int buffer_flits = 8;  // per channel; fewer than a packet has make wormhole switching
  // Per class. A channel is taken for a packet's own time and twice the wire's; 16 keep a ring of 200 Gbps
  // and 100 ns busy with packets of 512 B. (Garnet's vcs-per-vnet is 4, for wires of one cycle.)
  int channels = 16;
  // From a packet's first flit at a router to the first moment at which it can leave. Garnet's routers take
  // one cycle of, at ASTRA-sim's clock, 1 ns.
  Duration router_delay = std::chrono::nanoseconds(1);
};

// The lossless fabric: output queues with strict priorities in switches that share a buffer (none, pfc), or
// routers with virtual channels (credits).
struct LosslessConfig {
  LinkControl control = LinkControl::pfc;
  // Of a switch, for all ports and priorities, headroom included. 32 MB: a 12.8 Tbps switch of 2018 (HPCC).
  // Not with credits.
  Bytes buffer{32'000'000};
  // Without link control: data is dropped that would make its output queue (port and priority) exceed this
  // share of what is free in the buffer (Choudhury and Hahne, 1998).
  double dynamic_alpha = 1;
  EcnConfig ecn;
  PfcConfig pfc;
  CreditConfig credits;
  // Priority 0 is for control packets (ACK, NACK, CNP); a message of at most small_first[i] bytes has
  // priority 1 + i, a larger one the last. Ascending, at most 6; not with credits.
  std::vector<Bytes> small_first;

  template <class V>
  static void keys(V& v, LosslessConfig& l) {
    v.from("HPCC's simulator: a switch of 32 MB");
    v.field("control", l.control,
            "How links hold back their senders: not at all, by pause frames, by credits");
    v.field("buffer", l.buffer, "Buffer of a switch, for all ports and priorities; not with credits");
    v.field("dynamic_alpha", l.dynamic_alpha,
            "control none: a queue may hold this share of what is free in the buffer");
    v.words("small_first", l.small_first,
            "Messages of at most so many bytes go before larger ones; ascending sizes, one priority each");
    v.group("ecn", "Marks by RED, for DCQCN", [&](auto& g) {
      g.from(
          "HPCC (SIGCOMM 2019), as its simulator is configured; the DCQCN paper has 5 kB, 200 kB and 0.01 "
          "for "
          "its 40 Gbps");
      g.field("min", l.ecn.min, "Kmin: nothing is marked below; 100 kB per 25 Gbps of the link if left out");
      g.field("max", l.ecn.max, "Kmax: everything is marked above; 400 kB per 25 Gbps if left out");
      g.field("probability", l.ecn.probability, "Pmax: probability of a mark at Kmax");
    });
    v.group("pfc", "Pause frames (IEEE 802.1Qbb)", [&](auto& g) {
      g.from("HPCC's simulator and IEEE 802.1Qbb");
      g.field("dynamic_alpha", l.pfc.dynamic_alpha, "XOFF: this share of what is free in the buffer");
      g.field("xoff", l.pfc.xoff, "XOFF as a constant, instead of a share");
      g.field("xon_gap", l.pfc.xon_gap, "XON is this far below XOFF");
      g.field("headroom", l.pfc.headroom, "Buffer per port and priority; from rate and delay if left out");
      g.field("frame", l.pfc.frame, "Size of a pause frame");
    });
    v.group("credits", "Virtual channels (Garnet)", [&](auto& g) {
      g.from("ASTRA-sim's Garnet, but enough channels for wires of 100 ns");
      g.field("flit", l.credits.flit, "Size of a flit; packets are whole flits");
      g.field("buffer_flits", l.credits.buffer_flits,
              "Buffer of a channel in flits; fewer than a packet has make wormhole switching");
      g.field("channels", l.credits.channels, "Channels per class; a torus has two classes");
      g.field("router_delay", l.credits.router_delay, "Time from a first flit's arrival until it can leave");
    });
  }
};

enum class RateControl : std::uint8_t { none, dcqcn };
constexpr auto vocabulary(RateControl) {
  return std::to_array<Word<RateControl>>({
      {RateControl::none, "none"},
      {RateControl::dcqcn, "dcqcn"},
  });
}

// DCQCN (Zhu et al., SIGCOMM 2015). Defaults are the paper's (figure 14 and section 5) unless said otherwise.
struct DcqcnConfig {
  Duration cnp_interval = std::chrono::microseconds(50);        // N: at most one CNP per flow in this time
  Duration alpha_timer = std::chrono::microseconds(55);         // K: without a CNP for so long, alpha decays
  double gain = 1.0 / 256;                                      // g, of alpha
  Duration increase_timer = std::chrono::microseconds(55);      // T: between increases by the timer
  Bytes byte_counter{10'000'000};                               // B: between increases by bytes sent
  int fast_recovery = 5;                                        // F: increases by halving the way back, first
  Bandwidth additive = Bandwidth::bits_per_second(40'000'000);  // R_AI
  Bandwidth hyper = Bandwidth::bits_per_second(400'000'000);    // R_HAI: ten times R_AI, as QCN has it
  Bandwidth minimum = Bandwidth::bits_per_second(100'000'000);  // of the rate (the HPCC simulator)

  template <class V>
  static void keys(V& v, DcqcnConfig& d) {
    v.from("DCQCN, SIGCOMM 2015, figure 14; the minimum from HPCC's simulator");
    v.field("cnp_interval", d.cnp_interval, "At most one CNP per flow in this time");
    v.field("alpha_timer", d.alpha_timer, "Alpha decays when no CNP comes for this long");
    v.field("gain", d.gain, "Gain g in the update of alpha");
    v.field("increase_timer", d.increase_timer, "Time between increases by the timer");
    v.field("byte_counter", d.byte_counter, "Bytes between increases by the byte counter");
    v.field("fast_recovery", d.fast_recovery,
            "Number of first increases, which halve the distance to the target rate");
    v.field("additive", d.additive, "R_AI: rate added by each later increase");
    v.field("hyper", d.hyper, "R_HAI: rate added once timer and byte counter are both past fast recovery");
    v.field("minimum", d.minimum, "Lowest rate of a flow");
  }
};

// RoCEv2's reliable connection, one per pair of hosts and priority: messages in order, go-back-N after a
// loss. Starts at the rate of the host's link.
struct RoceConfig {
  static constexpr std::string_view kWord = "roce";
  static constexpr std::string_view kHelp = "RoCE with DCQCN, on the lossless network";
  static constexpr bool kSendsAgain = true;  // what is lost
  static constexpr bool kLossless = true;

  RateControl control = RateControl::dcqcn;
  Bytes payload{1'024};  // most in a packet: the InfiniBand MTU that fits into Ethernet's 1,500
  Bytes header{62};      // Ethernet 18, IPv4 20, UDP 8, BTH 12, ICRC 4
  Bytes ack{66};         // the same and AETH 4: an ACK or NACK
  Bytes cnp{78};         // the same as a header and 16 reserved bytes (RoCEv2, annex A17)
  // An ACK every so many packets and at a message's end: NICs coalesce them.
  int ack_every = 16;
  // Without an ACK for this long, all that is not acknowledged is sent again; doubles with every timeout in a
  // row. Only a lost last packet or NACK needs it. 4 ms: about InfiniBand's 4.096 us * 2^10.
  Duration min_rto = std::chrono::milliseconds(4);
  Duration max_rto = std::chrono::seconds(1);
  DcqcnConfig dcqcn;

  Bytes largest_packet() const { return payload + header; }
  ConnectionUse connection_use() const { return ConnectionUse::per_pair; }
  void require_sound(const PacketConfig& config) const;
  std::vector<SetupChange> settings_to_try(const PacketConfig& config, const NetworkRecord& record) const;
  static std::unique_ptr<Stack> make(const topology::Topology& topology, const PacketConfig& config,
                                     Pause pause);

  template <class V>
  static void keys(V& v, RoceConfig& r) {
    v.from("RoCEv2 (InfiniBand annex A17) on Ethernet of 1,500 bytes");
    v.field("control", r.control, "Congestion control");
    v.field("payload", r.payload, "Most payload in a packet");
    v.field("header", r.header, "Header of every data packet");
    v.field("ack", r.ack, "Size of an ACK or NACK");
    v.field("cnp", r.cnp, "Size of a congestion notification");
    v.field("ack_every", r.ack_every, "Packets per ACK, besides one at a message's end");
    v.field("min_rto", r.min_rto, "All unacknowledged data is sent again when no ACK comes for this long");
    v.field("max_rto", r.max_rto, "Longest such time, after many timeouts in a row");
    v.group("dcqcn", "DCQCN (SIGCOMM 2015)", [&](auto& g) { DcqcnConfig::keys(g, r.dcqcn); });
  }
};

// Messages cut into packets and nothing else: no ACK, no congestion control. For networks that lose nothing,
// tori above all.
struct PlainConfig {
  static constexpr std::string_view kWord = "plain";
  static constexpr std::string_view kHelp = "Packets without a transport protocol, on the lossless network";
  static constexpr bool kSendsAgain = false;  // what is lost
  static constexpr bool kLossless = true;

  Bytes payload{512};               // most in a packet; ASTRA-sim's Garnet: package-packet-size
  Bytes header{0};                  // carried by the first flit
  std::optional<Bandwidth> inject;  // the rate of one pair's messages; if not given, that of the host's link

  Bytes largest_packet() const { return payload + header; }
  ConnectionUse connection_use() const { return ConnectionUse::per_pair; }
  void require_sound(const PacketConfig& config) const;
  std::vector<SetupChange> settings_to_try(const PacketConfig& config, const NetworkRecord& record) const;
  static std::unique_ptr<Stack> make(const topology::Topology& topology, const PacketConfig& config,
                                     Pause pause);

  template <class V>
  static void keys(V& v, PlainConfig& p) {
    v.from("ASTRA-sim's Garnet: package-packet-size");
    v.field("payload", p.payload, "Most payload in a packet");
    v.field("header", p.header, "Header of every packet");
    v.field("inject", p.inject, "Rate of one pair's messages; the host's link if left out");
  }
};

}  // namespace overture::network::packet
