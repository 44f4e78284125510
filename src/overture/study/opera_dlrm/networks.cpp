#include "overture/study/opera_dlrm/networks.h"

#include <limits>

#include "overture/base/check.h"
#include "overture/topology/direct_connect.h"
#include "overture/topology/fat_tree.h"

namespace overture::study::opera_dlrm {
namespace {

using workload::DlrmStep;
using workload::TaskGraph;

using network::NetworkConfig;

// All that a network of the study is.
struct Builder {
  StudyNetwork network;
  void (*fit)(const Cell& cell, DlrmStep& step);
  NetworkConfig (*flow)(const Cell& cell);
  NetworkConfig (*packet)(const Cell& cell);
};

// DCTCP by RFC 8257 on the study's switches: ACKs take the network, timeouts are bounded, and a pair of nodes
// has one connection, which sends messages in their order.
network::packet::PacketConfig sound_dctcp() {
  using namespace network::packet;
  PacketConfig config = dlrm_study_dctcp();
  config.transport = kTransport<TcpConfig>;
  TcpConfig& tcp = config.of<network::packet::TcpConfig>();
  tcp.control = kControl<DctcpConfig>;
  tcp.segment = config.of<network::packet::HtsimDctcpConfig>().packet;
  tcp.header = tcp.ack = Bytes{64};
  tcp.slow_start_threshold = config.of<network::packet::HtsimDctcpConfig>().slow_start_threshold;
  tcp.receive_window = tcp.first_window = Bytes{std::numeric_limits<std::int32_t>::max()};
  tcp.send_delay = Duration{0};
  tcp.max_rto = std::chrono::seconds(1);
  return config;
}

// Networks whose wires stay as they are differ in their topology alone.
template <auto shape_of>
NetworkConfig static_flow(const Cell& cell) {
  return network::FlowNetworkConfig{.topology = topology::GraphConfig{.shape = shape_of(cell)},
                                    .fluid = fluid_of(cell)};
}

template <auto shape_of>
NetworkConfig static_packet(const Cell& cell) {
  return network::PacketNetworkConfig{.topology = {.shape = shape_of(cell)}, .packets = transport_of(cell)};
}

void fit_to_fat_tree(const Cell&, DlrmStep&) {}  // the step's defaults are its packets

void fit_to_topoopt(const Cell& cell, DlrmStep& step) {
  for (const std::vector<int>& nodes : topology::direct_connect_rings(fibres_of(cell))) {
    std::vector<Rank>& ring = step.rings.emplace_back();
    for (const int node : nodes) ring.push_back(Rank{node});
  }
}

// A step lasts thousands of cycles: the average is as good as every slice, and far cheaper. RotorLB sends the
// messages of a pair in turn. The published rotors also take bulk out of its rack and back, which the fluid
// has not; in turn it would be 9 % too fast there (model A, 16 nodes), and with even shares it is 1.4 %.
NetworkConfig opera_flow(const Cell& cell) {
  const bool defects = cell.setting.has(Artefact::rotor_defects);
  return network::FlowNetworkConfig{.topology = topology::OperaSource(opera_config(cell)),
                                    .rotors = {.circuits = network::flow::Circuits::average,
                                               .connections = defects ? network::ConnectionUse::per_message
                                                                      : network::ConnectionUse::per_pair}};
}

NetworkConfig opera_packet(const Cell& cell) {
  return network::RotorNetworkConfig{.topology = opera_config(cell), .rotors = rotor_of(cell)};
}

void fit_to_opera(const Cell&, DlrmStep& step) {
  step.packet = Bytes{1500};
  step.packet_sent = Bytes{1};  // RotorLB's packets are its own affair
}

constexpr Builder kBuilders[]{
    {StudyNetwork::fat_tree, fit_to_fat_tree, static_flow<fat_tree_of>, static_packet<fat_tree_of>},
    {StudyNetwork::topoopt, fit_to_topoopt, static_flow<fibres_of>, static_packet<fibres_of>},
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

NetworkConfig network_of(const Cell& cell) {
  const Builder& of = builder(cell);
  return cell.backend == StudyBackend::flow ? of.flow(cell) : of.packet(cell);
}

PlayedCell play(const Cell& cell, const DlrmStep& step, const TaskGraph& graph) {
  sim::EventQueue events;
  const auto network = make_network(network_of(cell), events);
  PlayedCell played{.run = simulation::play(graph, dlrm_system(step), *network, events)};
  played.timeouts = network->record().count("timeouts");
  return played;
}

network::packet::PacketConfig transport_of(const Cell& cell) {
  using namespace network::packet;
  PacketConfig config = cell.setting.has(Artefact::published_dctcp) ? dlrm_study_dctcp() : sound_dctcp();
  config.of<network::packet::HtsimDctcpConfig>().stamp_syn = !cell.setting.has(Artefact::unstamped_syn);
  config.seed = static_cast<std::uint64_t>(cell.seed);
  return config;
}

// Sprayed in both settings: flows that keep the way they drew would each be a class of its own, a million at
// 1,024 nodes. What is published has packets without a header.
network::flow::FlowConfig fluid_of(const Cell& cell) {
  network::flow::FlowConfig config;
  config.seed = static_cast<std::uint64_t>(cell.seed);
  config.connections = connections_of(transport_of(cell));
  if (!cell.setting.has(Artefact::published_dctcp)) config.efficiency = 8936.0 / 9000;
  return config;
}

network::rotor::RotorConfig rotor_of(const Cell& cell) {
  using namespace network::rotor;
  RotorConfig config = cell.setting.has(Artefact::rotor_defects) ? dlrm_study_rotor() : rotornet();
  config.seed = static_cast<std::uint64_t>(cell.seed);
  if (const auto threshold = cell.changes.of(Knob::bulk_threshold_kb))
    config.bulk_from = Bytes{*threshold * 1000};
  return config;
}

// Four fibres a node, as published; its wires were as long as the fat tree's.
topology::DirectConnectConfig fibres_of(const Cell& cell) {
  topology::DirectConnectConfig config{.nodes = cell.nodes, .degree = 4};
  if (!cell.setting.has(Artefact::long_wires)) config.fibre.delay = topology::FatTreeConfig{}.core.delay;
  return config;
}

topology::FatTreeConfig fat_tree_of(const Cell& cell) {
  topology::FatTreeConfig config{.k = model::published_networks(cell.nodes).fat_tree_k};
  if (cell.setting.has(Artefact::long_wires))
    config.host.delay = config.aggregation.delay = config.core.delay = std::chrono::microseconds(1);
  return config;
}

// The schedule is the same for all seeds: a seed moves what traffic does, not what was built.
topology::OperaConfig opera_config(const Cell& cell) {
  const model::PublishedNetworks networks = model::published_networks(cell.nodes);
  topology::OperaConfig config{.tors = networks.tors, .ports = 2 * networks.uplinks};
  if (const auto slice = cell.changes.of(Knob::slice_us)) config.slice = std::chrono::microseconds(*slice);
  if (const auto dark = cell.changes.of(Knob::reconfiguration_us))
    config.dark = std::chrono::microseconds(*dark);
  return config;
}

}  // namespace overture::study::opera_dlrm
