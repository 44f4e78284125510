// The numbers of NDP, with their keys and what the network must know of it. What they do is in ndp.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "overture/base/units.h"
#include "overture/base/words.h"
#include "overture/network/packet/transport_config.h"

namespace overture::network::packet {

// When a message counts as complete: with its last byte at the receiver, or when the sender knows (htsim's
// NDP).
enum class CompleteAt : std::uint8_t { delivery, last_ack };
constexpr auto vocabulary(CompleteAt) {
  return std::to_array<Word<CompleteAt>>({
      {CompleteAt::delivery, "delivery"},
      {CompleteAt::last_ack, "last_ack"},
  });
}

// NDP (Handley et al., SIGCOMM 2017). A message is a flow of its own: a first window of packets at once, then
// a packet per PULL. Defaults are those of the golden data (golden/htsim, G01 to G04).
struct NdpConfig {
  static constexpr std::string_view kWord = "ndp";
  static constexpr std::string_view kHelp = "NDP (SIGCOMM 2017): cut packets, paced by the receiver";
  static constexpr bool kSendsAgain = true;  // what is lost

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

  Bytes largest_packet() const { return payload + header; }
  ConnectionUse connection_use() const { return ConnectionUse::per_message; }
  // What switches leave of a packet when they cut it.
  Bytes trimmed_packet() const { return header; }
  void require_sound(const PacketConfig& config) const;
  std::vector<SetupChange> settings_to_try(const PacketConfig& config, const NetworkRecord&) const;
  static std::unique_ptr<Stack> make(const topology::Topology& topology, const PacketConfig& config,
                                     Pause pause);

  template <class V>
  static void keys(V& v, NdpConfig& n) {
    v.from("htsim's NDP as the references ran it (tests/golden/htsim)");
    v.field("payload", n.payload, "Most payload in a packet");
    v.field("header", n.header, "Header of every data packet, and what trimming leaves");
    v.field("control", n.control, "Size of an ACK, NACK or PULL");
    v.field("initial_window", n.initial_window, "Packets of a message that are sent at once");
    v.field("pull_rate", n.pull_rate,
            "Rate of PULLs, as a share of the packets that the receiver's link carries");
    v.field("pad_packets", n.pad_packets, "The last packet of a message is as long as the others (htsim)");
    v.field("complete_at", n.complete_at,
            "A message ends with its last byte, or when the sender knows (htsim)");
    v.field("min_rto", n.min_rto, "Packets count as lost when nothing is heard for this long");
    v.field("max_rto", n.max_rto, "Longest such time, after many losses in a row");
  }
};

}  // namespace overture::network::packet
