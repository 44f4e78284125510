// The output queues of switches that drop or cut packets, with their keys.
#pragma once

#include <cstdint>
#include <optional>

#include "overture/base/units.h"
#include "overture/base/words.h"

namespace overture::network::packet {

// When a queue decides to mark a packet: as it comes (RFC 8257, ns-3), or as it leaves (htsim's ECN queue).
enum class MarkAt : std::uint8_t { enqueue, dequeue };
constexpr auto vocabulary(MarkAt) {
  return std::to_array<Word<MarkAt>>({
      {MarkAt::enqueue, "enqueue"},
      {MarkAt::dequeue, "dequeue"},
  });
}

// NDP's switch queues: a short one for data, and one with strict priority for control packets and for
// headers, which are data that did not fit and lost their payload.
struct TrimConfig {
  // Data is trimmed when the bytes queued, the packet being sent included, and its own exceed this. htsim's
  // queue of 15 packets (golden/htsim): it counts their payloads, so that 14 fit.
  Bytes data_limit{15 * 9000};
  // The same for the priority queue, which drops. htsim: twice the data queue.
  Bytes control_limit{2 * 15 * 9000};
  // How often a full queue trims the packet that comes; else the last one queued (NDP, SIGCOMM 2017, 3.1;
  // htsim).
  double trim_arriving = 0.5;

  template <class V>
  static void keys(V& v, TrimConfig& t) {
    v.from("htsim's NDP (tests/golden/htsim) and the paper, SIGCOMM 2017, 3.1");
    v.field("data_limit", t.data_limit,
            "Data packets are cut to their headers when more bytes than this wait");
    v.field("control_limit", t.control_limit,
            "Headers and control packets are dropped when more bytes of them wait");
    v.field("trim_arriving", t.trim_arriving,
            "Share of cuts that a full queue makes on the arriving packet, not on the last waiting one");
  }
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

  template <class V>
  static void keys(V& v, QueueConfig& q) {
    v.from("ns-3 3.37 marks as a packet comes, as RFC 8257 says; htsim as it leaves");
    v.field("port_limit", q.port_limit, "Drop-tail: most bytes that wait at a port; unlimited if left out");
    v.field("shared_limit", q.shared_limit,
            "Drop-tail: most bytes that wait at all ports of a switch together");
    v.field("dynamic_alpha", q.dynamic_alpha,
            "With shared_limit: a port may hold this share of what is free; all of it if left out");
    v.field("mark_above", q.mark_above, "ECN: data is marked when more bytes than this wait (K of RFC 8257)");
    v.field("mark_at", q.mark_at, "When marking is decided: as a packet comes, or as it leaves");
    v.group("trim", "NDP's queues, in place of all of the above",
            [&](auto& g) { TrimConfig::keys(g, q.trim); });
  }
};

}  // namespace overture::network::packet
