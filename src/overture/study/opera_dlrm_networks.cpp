#include "overture/study/opera_dlrm_networks.h"

#include <limits>
#include <utility>

#include "overture/base/check.h"
#include "overture/network/flow/flow_network.h"
#include "overture/network/flow/rotor_fluid.h"
#include "overture/network/packet/packet_network.h"
#include "overture/network/rotor/rotor_network.h"
#include "overture/topology/direct_connect.h"
#include "overture/topology/fat_tree.h"

namespace overture::study {
namespace {

using workload::DlrmStep;
using workload::TaskGraph;

// All that a network of the study is.
struct Builder {
  StudyNetwork network;
  void (*fit)(const Cell& cell, DlrmStep& step);
  Played (*flow)(const Cell& cell, const DlrmStep& step, const TaskGraph& graph);
  Played (*packet)(const Cell& cell, const DlrmStep& step, const TaskGraph& graph);
};

// DCTCP by RFC 8257 on the study's switches: ACKs take the network, timeouts are bounded, and a pair of nodes
// has one connection, which sends messages in their order.
network::packet::PacketConfig sound_dctcp() {
  using namespace network::packet;
  PacketConfig config = dlrm_study_dctcp();
  config.transport = TransportKind::tcp;
  TcpConfig& tcp = config.tcp;
  tcp.control = CongestionControl::dctcp;
  tcp.segment = config.htsim_dctcp.packet;
  tcp.header = tcp.ack = Bytes{64};
  tcp.slow_start_threshold = config.htsim_dctcp.slow_start_threshold;
  tcp.receive_window = tcp.first_window = Bytes{std::numeric_limits<std::int32_t>::max()};
  tcp.send_delay = Duration{0};
  tcp.max_rto = std::chrono::seconds(1);
  return config;
}

network::packet::PacketConfig transport(const Cell& cell) {
  using namespace network::packet;
  PacketConfig config = cell.setting.has(Artefact::published_dctcp) ? dlrm_study_dctcp() : sound_dctcp();
  config.htsim_dctcp.stamp_syn = !cell.setting.has(Artefact::unstamped_syn);
  config.seed = static_cast<std::uint64_t>(cell.seed);
  return config;
}

// Sprayed in both settings: flows that keep the way they drew would each be a class of its own, a million at
// 1,024 nodes. What is published has packets without a header.
network::flow::FlowConfig fluid(const Cell& cell) {
  network::flow::FlowConfig config;
  config.seed = static_cast<std::uint64_t>(cell.seed);
  if (!cell.setting.has(Artefact::published_dctcp)) config.efficiency = 8936.0 / 9000;
  return config;
}

// Networks whose wires stay as they are differ in their topology alone.
template <topology::Topology (*make)(const Cell&)>
Played static_flow(const Cell& cell, const DlrmStep& step, const TaskGraph& graph) {
  sim::EventQueue events;
  network::flow::FlowNetwork network(make(cell), fluid(cell), events);
  return {.run = simulation::play(graph, dlrm_system(step), network, events)};
}

template <topology::Topology (*make)(const Cell&)>
Played static_packet(const Cell& cell, const DlrmStep& step, const TaskGraph& graph) {
  sim::EventQueue events;
  network::packet::PacketNetwork network(make(cell), transport(cell), events);
  Played played{.run = simulation::play(graph, dlrm_system(step), network, events)};
  played.timeouts = network.statistics().timeouts;
  return played;
}

topology::Topology fat_tree(const Cell& cell) {
  topology::FatTreeConfig config{.k = model::published_networks(cell.nodes).fat_tree_k};
  if (cell.setting.has(Artefact::long_wires))
    config.host.delay = config.aggregation.delay = config.core.delay = std::chrono::microseconds(1);
  return topology::fat_tree(config);
}

void fit_to_fat_tree(const Cell&, DlrmStep&) {}  // the step's defaults are its packets

// Four fibres a node, as published; its wires were as long as the fat tree's.
topology::DirectConnectConfig fibres(const Cell& cell) {
  topology::DirectConnectConfig config{.nodes = cell.nodes, .degree = 4};
  if (!cell.setting.has(Artefact::long_wires)) config.fibre.delay = topology::FatTreeConfig{}.core.delay;
  return config;
}

topology::Topology topoopt(const Cell& cell) { return topology::direct_connect(fibres(cell)); }

void fit_to_topoopt(const Cell& cell, DlrmStep& step) {
  for (const std::vector<int>& nodes : topology::direct_connect_rings(fibres(cell))) {
    std::vector<Rank>& ring = step.rings.emplace_back();
    for (const int node : nodes) ring.push_back(Rank{node});
  }
}

network::rotor::RotorConfig rotor(const Cell& cell) {
  using namespace network::rotor;
  RotorConfig config = cell.setting.has(Artefact::rotor_defects) ? dlrm_study_rotor() : rotornet();
  config.seed = static_cast<std::uint64_t>(cell.seed);
  if (const auto threshold = cell.changes.of(Knob::bulk_threshold_kb))
    config.bulk_from = Bytes{*threshold * 1000};
  return config;
}

// A step lasts thousands of cycles: the average is as good as every slice, and far cheaper.
Played opera_flow(const Cell& cell, const DlrmStep& step, const TaskGraph& graph) {
  sim::EventQueue events;
  network::flow::RotorFluid rotors =
      network::flow::rotor_fluid(opera_of(cell), {.circuits = network::flow::Circuits::average});
  network::flow::FlowNetwork network(std::move(rotors.topology), rotors.config, events);
  return {.run = simulation::play(graph, dlrm_system(step), network, events)};
}

Played opera_packet(const Cell& cell, const DlrmStep& step, const TaskGraph& graph) {
  sim::EventQueue events;
  network::rotor::RotorNetwork network(opera_of(cell), rotor(cell), events);
  return {.run = simulation::play(graph, dlrm_system(step), network, events)};
}

void fit_to_opera(const Cell&, DlrmStep& step) {
  step.packet = Bytes{1500};
  step.packet_sent = Bytes{1};  // RotorLB's packets are its own affair
}

constexpr Builder kBuilders[]{
    {StudyNetwork::fat_tree, fit_to_fat_tree, static_flow<fat_tree>, static_packet<fat_tree>},
    {StudyNetwork::topoopt, fit_to_topoopt, static_flow<topoopt>, static_packet<topoopt>},
    {StudyNetwork::opera, fit_to_opera, opera_flow, opera_packet}};

const Builder& builder(const Cell& cell) {
  for (const Builder& each : kBuilders) {
    if (each.network == cell.network) return each;
  }
  check(false, "every network of the study has a builder");
  return kBuilders[0];
}

}  // namespace

void fit_to_network(const Cell& cell, DlrmStep& step) { builder(cell).fit(cell, step); }

Played play(const Cell& cell, const DlrmStep& step, const TaskGraph& graph) {
  const Builder& of = builder(cell);
  return cell.backend == StudyBackend::flow ? of.flow(cell, step, graph) : of.packet(cell, step, graph);
}

// The schedule is the same for all seeds: a seed moves what traffic does, not what was built.
topology::Opera opera_of(const Cell& cell) {
  const model::PublishedNetworks networks = model::published_networks(cell.nodes);
  topology::OperaConfig config{.tors = networks.tors, .ports = 2 * networks.uplinks};
  if (const auto slice = cell.changes.of(Knob::slice_us)) config.slice = std::chrono::microseconds(*slice);
  if (const auto dark = cell.changes.of(Knob::reconfiguration_us))
    config.dark = std::chrono::microseconds(*dark);
  return topology::generate_opera(config);
}

}  // namespace overture::study
