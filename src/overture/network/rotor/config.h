// All that a network of rotor switches can be told beside its schedule (topology/opera.h), with defaults and
// where they come from.
#pragma once

#include <cstdint>

#include "overture/base/units.h"
#include "overture/base/words.h"
#include "overture/topology/opera.h"

namespace overture::network::rotor {

// What Opera's original simulator does and a real network would not (opera-htsim, sections 0, 1.7 and 1.8).
// All off: the right behaviour.
struct OperaDefects {
  // Bulk between hosts of a rack leaves it and comes back over two circuits, instead of being switched by the
  // ToR.
  bool intra_rack_out_and_back = false;
  // A sender's offer stands as it was after a receiver accepted part of it, so that several accept the same
  // packets.
  bool offers_not_reduced = false;
  // A sender never recovers from a PULL or NACK that a dark rotor swallowed.
  bool lost_pulls_stay_lost = false;
  // A receiver pulls for every message at the rate of its line, counted in payload, as if it came alone.
  bool pacer_per_message = false;
  // A PULL that a later one has overtaken brings a packet once more; and a sender that has nothing new sends
  // what a NACK names at once, without a PULL.
  bool sends_unasked = false;
  // An ACK, NACK or PULL that finds its queue full turns round, and tells the sender what it has to tell when
  // it is back where it came from.
  bool answers_turn_round = false;

  static constexpr OperaDefects original() { return {true, true, true, true, true, true}; }
};

// When a low-latency message counts as complete: with its last byte at the receiver, or with its last ACK at
// the sender (the original).
enum class LowLatencyEnd : std::uint8_t { delivery, last_ack };
constexpr auto vocabulary(LowLatencyEnd) {
  return std::to_array<Word<LowLatencyEnd>>({
      {LowLatencyEnd::delivery, "delivery"},
      {LowLatencyEnd::last_ack, "last_ack"},
  });
}

// NDP over the expander that the circuits of a slice make (section 1.7).
struct LowLatencyConfig {
  Bytes control{64};        // an ACK, NACK or PULL, and what trimming leaves
  int initial_window = 30;  // packets
  double pull_rate = 1.0;   // of the line
  int queue_packets = 8;    // data packets in a ToR's queue before it trims
  bool pad_packets = true;  // the last packet of a message is as long as the others
  LowLatencyEnd end = LowLatencyEnd::delivery;
  Duration timeout = std::chrono::milliseconds(1);  // without news, what was sent counts as lost
};

struct RotorConfig {
  Bandwidth rate = Bandwidth::bits_per_second(100'000'000'000);
  Duration wire = std::chrono::nanoseconds(500);  // ToR to ToR; hosts sit at their ToR
  Bytes packet{1500};
  Bytes header{64};  // of the packet
  // Messages of at least this size are bulk and wait for circuits; smaller ones take the expander at once.
  // 15 MB in the Opera paper, where a cycle is 10.7 ms; 0 in the DLRM study: all is bulk.
  Bytes bulk_from{15'000'000};
  LowLatencyConfig low_latency;
  OperaDefects defects;
  std::uint64_t seed = 1;

  template <class V>
  static void keys(V& v, RotorConfig& r) {
    v.group("rotor", "backend: rotor: RotorLB for bulk, NDP for the rest; in place of all transports",
            [&](auto& g) { inner_keys(g, r); });
  }
  template <class V>
  static void inner_keys(V& v, RotorConfig& r) {
    v.from("Opera (NSDI 2020) and its simulator opera-htsim");
    v.field("rate", r.rate, "Rate of every link");
    v.field("wire", r.wire, "Link from ToR to ToR");
    v.field("packet", r.packet, "Size of a packet, with its header");
    v.field("header", r.header, "Header of a packet");
    v.field(
        "bulk_from", r.bulk_from,
        "Messages of at least this size wait for circuits; smaller ones take the current slice's paths. 0 "
        "B: RotorNet");
    v.group("low_latency", "NDP over the slice's paths", [&](auto& g) {
      g.field("control", r.low_latency.control, "Size of an ACK, NACK or PULL");
      g.field("initial_window", r.low_latency.initial_window, "Packets of a message that are sent at once");
      g.field("pull_rate", r.low_latency.pull_rate, "Rate of PULLs, as a share of the line");
      g.field("queue_packets", r.low_latency.queue_packets,
              "Packets in a ToR's queue before it cuts packets");
      g.field("pad_packets", r.low_latency.pad_packets, "The last packet is as long as the others");
      g.field("complete_at", r.low_latency.end,
              "A message ends with its last byte, or when the sender knows (opera-htsim)");
      g.field("timeout", r.low_latency.timeout, "Packets count as lost when nothing is heard for this long");
    });
    v.group("defects", "Behaviour of the original simulator that no network shows", [&](auto& g) {
      g.from("right behaviour; opera-htsim is true");
      g.field("intra_rack_out_and_back", r.defects.intra_rack_out_and_back,
              "Bulk inside a rack takes two circuits");
      g.field("offers_not_reduced", r.defects.offers_not_reduced,
              "Several receivers accept the same packets");
      g.field("lost_pulls_stay_lost", r.defects.lost_pulls_stay_lost,
              "No timer runs when a dark rotor loses a PULL");
      g.field("pacer_per_message", r.defects.pacer_per_message,
              "PULLs come at the rate of the line for every message of a receiver");
      g.field("sends_unasked", r.defects.sends_unasked,
              "Overtaken PULLs bring a packet once more, and at the end NACKs do without one");
      g.field("answers_turn_round", r.defects.answers_turn_round,
              "An ACK, NACK or PULL without room in a queue goes back to its host, and counts from there");
    });
  }
};

// As the DLRM study ran the original: everything bulk, with all defects.
RotorConfig dlrm_study_rotor();
// RotorNet: circuits only, so everything is bulk.
RotorConfig rotornet();

// Turns that a host's NIC gives each rotor in a slot, and packets that a host may send or receive in them: as
// many, unless more hosts than uplinks share the circuit.
int turns_per_slot(const topology::Opera& opera, const RotorConfig& config);
int packets_per_slot(const topology::Opera& opera, const RotorConfig& config);

// How many packets carry a message. Throws UserError if they are more than the network counts.
std::int64_t packets_of(std::int64_t bytes, const RotorConfig& config);

// Throws UserError naming the first value that cannot work on `opera`.
void require_sound(const RotorConfig& config, const topology::Opera& opera);

}  // namespace overture::network::rotor
