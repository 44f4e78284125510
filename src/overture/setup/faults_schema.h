// The `faults:` of a setup, described once for reading, writing and explaining (visitors.h).
#pragma once

#include "overture/network/faults.h"
#include "overture/setup/visitors.h"

namespace overture::setup {

template <class V>
void describe(V& v, network::FaultTime& t) {
  v.field("from", t.from, "Time at which it begins");
  v.field("until", t.until, "Time at which it is over; never if left out");
}

template <class V>
void describe(V& v, network::LinkFault& l) {
  v.field("between", l.between, "The two ends of one cable, such as h0-s0 or s0-s4; Opera: tor0-rotor1");
  v.field("share", l.share, "Share of the cables that are drawn by the seed, instead of `between`");
  v.field("tier", l.tier,
          "Tier of the cables that are drawn, such as core; all between switches if left out");
  v.field("loss", l.loss, "Share of packets that the cable loses; 0 without bit_errors: it is down");
  v.field("bit_errors", l.bit_errors,
          "Errors per bit; a packet with one is thrown away at the end of the link");
  describe(v, static_cast<network::FaultTime&>(l));
}

template <class V>
void describe(V& v, network::SwitchFault& s) {
  v.field("switch", s.name, "Name of the switch, such as s4; Opera: tor3 or rotor1");
  v.field("share", s.share, "Share of all switches that are drawn by the seed, instead of `switch`");
  describe(v, static_cast<network::FaultTime&>(s));
}

template <class V>
void describe(V& v, network::NodeFault& n) {
  v.field("node", n.node, "Rank of the node");
  v.field("share", n.share, "Share of all nodes that are drawn by the seed, instead of `node`");
  v.field("slowdown", n.slowdown, "Computing takes this many times as long");
  v.field("chance", n.chance, "Probability that a task is slower, drawn for each task");
  v.field("spread", n.spread,
          "Each task takes longer or shorter by a log-normal factor; this is the standard deviation of its "
          "logarithm");
  v.field("dies", n.dies, "It computes nothing from then on, and its links are down");
  describe(v, static_cast<network::FaultTime&>(n));
}

template <class V>
void describe(V& v, network::Faults& f) {
  v.from("ours: nothing fails unless a setup says so");
  v.field("seed", f.seed, "Seed of everything that is drawn here; the run's seed if left out");
  v.field("detection", f.detection,
          "Time from when a part goes down or comes up until routes follow; 1 ms if left out, on Opera two "
          "cycles");
  v.list("links", f.links, "Cables that are down, or lose packets, both ways",
         [](auto& item, network::LinkFault& l) { describe(item, l); });
  v.list("switches", f.switches, "Switches that are down, with all their cables",
         [](auto& item, network::SwitchFault& s) { describe(item, s); });
  v.list("nodes", f.nodes, "Nodes that compute slower, or die",
         [](auto& item, network::NodeFault& n) { describe(item, n); });
}

}  // namespace overture::setup
