// Networks of links and of rotors as a setup describes them, once for reading, writing and explaining
// (visitors.h). The analytical network is in schema.h.
#pragma once

#include <string>

#include "overture/setup/network_setup.h"
#include "overture/setup/schema.h"
#include "overture/setup/visitors.h"

namespace overture::setup {

using namespace network::packet;

template <class V>
void describe(V& v, TopologyChoice& t) {
  v.from("ours: 100 Gbps and short wires, as data centres had when the references were made");
  t.shapes.each([&]<class Shape>(std::optional<Shape>& shape) {
    v.optional_group(Shape::kKey, shape, Shape::kHelp, [](auto& g, Shape& c) { Shape::keys(g, c); });
  });
  v.optional_group(
      "opera", t.opera, "Rotor switches (NSDI 2020): half of a ToR's ports to hosts, half to rotors",
      [](auto& g, OperaChoice& c) {
        g.from("Opera (NSDI 2020) and its simulator opera-htsim");
        g.field("tors", c.tors, "Top-of-rack switches");
        g.field("ports", c.ports, "Ports of each ToR; an even number");
        g.field("dark", c.dark, "Time that a rotor takes to change its circuits");
        g.field("slice", c.slice, "Length of a slice; 0: as short as the longest path allows");
        g.field("queue_packets", c.queue_packets,
                "Packets that may queue before a low-latency packet at each hop");
        g.field("draws", c.draws, "Schedules that are drawn; the one with the fewest hops is kept");
        g.field("file", c.file, "Instead of all these: the circuits of a dynexp file, beside the setup");
      });
  v.field("file", t.file, "A graph in a text file, beside the setup");
}

template <class V>
void describe(V& v, TrimConfig& t) {
  v.from("htsim's NDP (tests/golden/htsim) and the paper, SIGCOMM 2017, 3.1");
  v.field("data_limit", t.data_limit, "Data packets are cut to their headers when more bytes than this wait");
  v.field("control_limit", t.control_limit,
          "Headers and control packets are dropped when more bytes of them wait");
  v.field("trim_arriving", t.trim_arriving,
          "Share of cuts that a full queue makes on the arriving packet, not on the last waiting one");
}

template <class V>
void describe(V& v, QueueConfig& q) {
  v.from("ns-3 3.37 marks as a packet comes, as RFC 8257 says; htsim as it leaves");
  v.field("port_limit", q.port_limit, "Drop-tail: most bytes that wait at a port; unlimited if left out");
  v.field("shared_limit", q.shared_limit,
          "Drop-tail: most bytes that wait at all ports of a switch together");
  v.field("dynamic_alpha", q.dynamic_alpha,
          "With shared_limit: a port may hold this share of what is free; all of it if left out");
  v.field("mark_above", q.mark_above, "ECN: data is marked when more bytes than this wait (K of RFC 8257)");
  v.field("mark_at", q.mark_at, "When marking is decided: as a packet comes, or as it leaves");
  v.group("trim", "NDP's queues, in place of all of the above", [&](auto& g) { describe(g, q.trim); });
}

template <class V>
void describe(V& v, TcpConfig& t) {
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
  network::packet::ControlConfigs::keys(v, t.controls);
}

template <class V>
void describe(V& v, HtsimDctcpConfig& d) {
  v.from("the Opera DLRM study's fork of htsim");
  v.field("packet", d.packet, "Size of a packet on the wire; it has no header");
  v.field("initial_window", d.initial_window, "Initial window in packets");
  v.field("slow_start_threshold", d.slow_start_threshold, "Slow start ends at this many packets");
  v.field("gain", d.gain, "Gain of the moving share of marks");
  v.field("min_rto", d.min_rto, "Shortest retransmission timeout; it doubles without limit");
  v.field("scan", d.scan, "Time between two checks of the timers");
  v.field("stamp_syn", d.stamp_syn, "Gives SYNs a time stamp; htsim leaves that of an old packet");
}

template <class V>
void describe(V& v, NdpConfig& n) {
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

template <class V>
void describe(V& v, LosslessConfig& l) {
  v.from("HPCC's simulator: a switch of 32 MB");
  v.field("control", l.control, "How links hold back their senders: not at all, by pause frames, by credits");
  v.field("buffer", l.buffer, "Buffer of a switch, for all ports and priorities; not with credits");
  v.field("dynamic_alpha", l.dynamic_alpha,
          "control none: a queue may hold this share of what is free in the buffer");
  v.words("small_first", l.small_first,
          "Messages of at most so many bytes go before larger ones; ascending sizes, one priority each");
  v.group("ecn", "Marks by RED, for DCQCN", [&](auto& g) {
    g.from(
        "HPCC (SIGCOMM 2019), as its simulator is configured; the DCQCN paper has 5 kB, 200 kB and 0.01 for "
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

template <class V>
void describe(V& v, DcqcnConfig& d) {
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

template <class V>
void describe(V& v, RoceConfig& r) {
  v.from("RoCEv2 (InfiniBand annex A17) on Ethernet of 1,500 bytes");
  v.field("control", r.control, "Congestion control");
  v.field("payload", r.payload, "Most payload in a packet");
  v.field("header", r.header, "Header of every data packet");
  v.field("ack", r.ack, "Size of an ACK or NACK");
  v.field("cnp", r.cnp, "Size of a congestion notification");
  v.field("ack_every", r.ack_every, "Packets per ACK, besides one at a message's end");
  v.field("min_rto", r.min_rto, "All unacknowledged data is sent again when no ACK comes for this long");
  v.field("max_rto", r.max_rto, "Longest such time, after many timeouts in a row");
  v.group("dcqcn", "DCQCN (SIGCOMM 2015)", [&](auto& g) { describe(g, r.dcqcn); });
}

template <class V>
void describe(V& v, PlainConfig& p) {
  v.from("ASTRA-sim's Garnet: package-packet-size");
  v.field("payload", p.payload, "Most payload in a packet");
  v.field("header", p.header, "Header of every packet");
  v.field("inject", p.inject, "Rate of one pair's messages; the host's link if left out");
}

template <class V>
void describe(V& v, network::rotor::RotorConfig& r) {
  v.from("Opera (NSDI 2020) and its simulator opera-htsim");
  v.field("rate", r.rate, "Rate of every link");
  v.field("wire", r.wire, "Link from ToR to ToR");
  v.field("packet", r.packet, "Size of a packet, with its header");
  v.field("header", r.header, "Header of a packet");
  v.field("bulk_from", r.bulk_from,
          "Messages of at least this size wait for circuits; smaller ones take the current slice's paths. 0 "
          "B: RotorNet");
  v.group("low_latency", "NDP over the slice's paths", [&](auto& g) {
    g.field("control", r.low_latency.control, "Size of an ACK, NACK or PULL");
    g.field("initial_window", r.low_latency.initial_window, "Packets of a message that are sent at once");
    g.field("pull_rate", r.low_latency.pull_rate, "Rate of PULLs, as a share of the line");
    g.field("queue_packets", r.low_latency.queue_packets, "Packets in a ToR's queue before it cuts packets");
    g.field("pad_packets", r.low_latency.pad_packets, "The last packet is as long as the others");
    g.field("timeout", r.low_latency.timeout, "Packets count as lost when nothing is heard for this long");
  });
  v.group("defects", "Behaviour of the original simulator that no network shows", [&](auto& g) {
    g.from("right behaviour; opera-htsim is true");
    g.field("intra_rack_out_and_back", r.defects.intra_rack_out_and_back,
            "Bulk inside a rack takes two circuits");
    g.field("offers_not_reduced", r.defects.offers_not_reduced, "Several receivers accept the same packets");
    g.field("lost_pulls_stay_lost", r.defects.lost_pulls_stay_lost,
            "No timer runs when a dark rotor loses a PULL");
  });
}

template <class V>
void describe(V& v, NetworkSetup& n) {
  v.from("ours");
  v.field("backend", n.backend,
          "What carries messages. Default: analytical for dimensions, packet for a topology, rotor for "
          "topology.opera. flow and packet also run on dimensions, flow also on opera");
  describe(v, n.analytical);
  v.group("topology", "A graph of links, or rotors: at most one of these, and instead of dimensions",
          [&](auto& g) { describe(g, n.topology); });
  v.optional_group("nodes", n.nodes, "Machines of several GPUs whose NICs are the hosts of the topology",
                   [](auto& g, topology::HierarchicalSwitchConfig& c) {
                     g.field("gpus_per_node", c.gpus_per_node, "GPUs in each node");
                     g.field("nics_per_node", c.nics_per_node,
                             "NICs in each node; fewer than GPUs are shared");
                     describe(g, "inside", c.inside, "Link from GPU to the node's switch");
                     describe(g, "pcie", c.pcie, "Link from GPU, or from the node's switch, to NIC");
                   });
  v.from("ours");
  v.field("oversubscription", n.oversubscription,
          "leaf_spine and fat_tree: rate below a tier over the rate above it; 1 is full bisection");
  v.field("paths", n.packets.paths,
          "Choice among equal paths: by destination, by a hash of the flow, per packet");
  v.field("entropies", n.packets.entropies,
          "With paths: hash_per_flow: hashes of a flow; every packet takes one of them at random");
  v.group("fluid", "Settings of backend: flow", [&](auto& g) {
    g.from("a wire without headers; 1436/1500 on rotors");
    g.field("efficiency", n.fluid.efficiency, "Payload divided by bytes on the wire");
    g.field("connections", n.fluid.connections,
            "Messages of a pair take turns, or share the links; as the transport does if left out");
    g.field("circuits", n.fluid.circuits,
            "topology.opera: circuits that open and close, or their average over a cycle, with relays");
  });
  v.group("queue", "Output queues of switches", [&](auto& g) { describe(g, n.packets.queue); });
  v.field("transport", n.packets.transport, "backend: packet: protocol that carries messages");
  v.group("tcp", "TCP with one of several congestion controls", [&](auto& g) { describe(g, n.packets.tcp); });
  v.group("ndp", "NDP (SIGCOMM 2017): cut packets, paced by the receiver",
          [&](auto& g) { describe(g, n.packets.ndp); });
  v.group("htsim_dctcp", "DCTCP as in the Opera study's htsim, to reproduce its results",
          [&](auto& g) { describe(g, n.packets.htsim_dctcp); });
  v.group("roce", "RoCE with DCQCN, on the lossless network", [&](auto& g) { describe(g, n.packets.roce); });
  v.group("plain", "Packets without a transport protocol, on the lossless network",
          [&](auto& g) { describe(g, n.packets.plain); });
  v.group("lossless", "Switches of roce and plain, in place of queue",
          [&](auto& g) { describe(g, n.packets.lossless); });
  v.group("rotor", "backend: rotor: RotorLB for bulk, NDP for the rest; in place of all transports",
          [&](auto& g) { describe(g, n.rotor); });
  v.field("threads", n.packets.threads,
          "flows over tcp: parts of the network, each simulated on a core; results are the same");
  v.field("prices", n.prices,
          "Price list (YAML), beside the setup, for the network's cost; the built-in examples/prices.yaml if "
          "left out");
  v.field("memory_limit", n.packets.memory_limit, "A network that needs more is refused before the run");
}

}  // namespace overture::setup
