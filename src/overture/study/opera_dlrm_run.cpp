#include "overture/study/opera_dlrm_run.h"

#include <algorithm>
#include <limits>
#include <memory>

#include <sys/resource.h>

#include "overture/network/flow/flow_network.h"
#include "overture/network/flow/rotor_fluid.h"
#include "overture/network/packet/packet_network.h"
#include "overture/network/rotor/rotor_network.h"
#include "overture/topology/fat_tree.h"
#include "overture/topology/opera.h"
#include "overture/workload/task_executor.h"

namespace overture::study {
namespace {

using workload::TaskGraph;
using workload::TaskRun;

workload::DlrmArtefacts artefacts_of(const Setting& setting) {
  return {.int64_embeddings = setting.has(Artefact::int64_embeddings),
          .whole_packets = setting.has(Artefact::whole_packets),
          .early_ring_end = setting.has(Artefact::early_ring_end),
          .free_reduction_in_node = setting.has(Artefact::free_reduction_in_node),
          .separate_biases = setting.has(Artefact::separate_biases),
          .fitted_tables = setting.has(Artefact::fitted_tables),
          .tables_in_turn = setting.has(Artefact::tables_in_turn)};
}

topology::Topology make_tree(const Cell& cell) {
  topology::FatTreeConfig config{.k = model::published_networks(cell.nodes).fat_tree_k};
  if (cell.setting.has(Artefact::long_wires))
    config.host.delay = config.aggregation.delay = config.core.delay = std::chrono::microseconds(1);
  return topology::fat_tree(config);
}

// The schedule is the same for all seeds: a seed moves what traffic does, not what was built.
topology::Opera make_opera(const Cell& cell) {
  const model::PublishedNetworks networks = model::published_networks(cell.nodes);
  return topology::generate_opera({.tors = networks.tors, .ports = 2 * networks.uplinks});
}

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
  config.seed = static_cast<std::uint64_t>(cell.seed);
  config.htsim_dctcp.stamp_syn = !cell.setting.has(Artefact::unstamped_syn);
  return config;
}

network::rotor::RotorConfig rotor(const Cell& cell) {
  using namespace network::rotor;
  RotorConfig config = cell.setting.has(Artefact::rotor_defects) ? dlrm_study_rotor() : rotornet();
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

struct Played {
  TaskRun run;
  std::uint64_t timeouts = 0;
};

Played play_flow(const Cell& cell, const TaskGraph& graph) {
  sim::EventQueue events;
  std::unique_ptr<network::flow::FlowNetwork> network;
  if (cell.network == StudyNetwork::fat_tree) {
    network = std::make_unique<network::flow::FlowNetwork>(make_tree(cell), fluid(cell), events);
  } else {
    // A step lasts thousands of cycles: the average is as good as every slice, and far cheaper.
    network::flow::RotorFluid rotors =
        network::flow::rotor_fluid(make_opera(cell), {.circuits = network::flow::Circuits::average});
    network = std::make_unique<network::flow::FlowNetwork>(std::move(rotors.topology), rotors.config, events);
  }
  return {.run = run_tasks(graph, *network, *network, events)};
}

Played play_packet(const Cell& cell, const TaskGraph& graph) {
  sim::EventQueue events;
  if (cell.network == StudyNetwork::opera) {
    network::rotor::RotorNetwork network(make_opera(cell), rotor(cell), events);
    network::MessageExchanges exchanges(network, events);
    return {.run = run_tasks(graph, network, exchanges, events)};
  }
  network::packet::PacketNetwork network(make_tree(cell), transport(cell), events);
  network::MessageExchanges exchanges(network, events);
  Played played{.run = run_tasks(graph, network, exchanges, events)};
  played.timeouts = network.statistics().timeouts;
  return played;
}

std::vector<double> quantiles(std::vector<double> values) {
  constexpr std::size_t kParts = 100;
  std::ranges::sort(values);
  std::vector<double> result;
  for (std::size_t i = 0; i <= kParts && !values.empty(); ++i)
    result.push_back(values[i * (values.size() - 1) / kParts]);
  return result;
}

std::vector<TaskEnds> ends_by_kind(const TaskGraph& graph, const TaskRun& run) {
  std::vector<TaskEnds> kinds{
      {"features", {}}, {"gradients", {}}, {"table backward", {}}, {"all-reduce", {}}};
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    const std::string& label = graph.name(workload::TaskId{i});
    for (TaskEnds& each : kinds) {
      if (label.ends_with(each.kind)) each.seconds.push_back(to_us(run.end[i].time_since_epoch()) / 1e6);
    }
  }
  for (TaskEnds& each : kinds) each.seconds = quantiles(std::move(each.seconds));
  return kinds;
}

void add_costs(CellResult& result) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  result.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  result.memory_mb = static_cast<double>(usage.ru_maxrss) / 1000;  // the kernel counts kB
}

}  // namespace

workload::DlrmStep make_step(const Cell& cell, const model::DlrmCalibration& calibration) {
  const model::PublishedVariant variant = variant_of(cell);
  model::DlrmShape shape = variant.shape();
  if (cell.tables > 0) shape.tables = cell.tables;
  workload::DlrmStep step{.model = model::make_dlrm(shape),
                          .batch = variant.batch,
                          .nodes = cell.nodes,
                          .all_reduce = cell.all_reduce,
                          .calibration = calibration,
                          .artefacts = artefacts_of(cell.setting)};
  if (cell.network == StudyNetwork::opera) {
    step.packet = Bytes{1500};
    step.packet_sent = Bytes{1};  // RotorLB's packets are its own affair
  }
  return step;
}

CellResult run_cell(const Cell& cell) { return run_cell(cell, study_calibration(cell.model)); }

CellResult run_cell(const Cell& cell, const model::DlrmCalibration& calibration) {
  require_runnable(cell);
  const workload::DlrmStep step = make_step(cell, calibration);
  const TaskGraph graph = dlrm_tasks(step);
  const Played played =
      cell.backend == StudyBackend::flow ? play_flow(cell, graph) : play_packet(cell, graph);
  CellResult result{.iteration = played.run.makespan,
                    .exposed = played.run.exposed(),
                    .traffic_fraction = dlrm_traffic(step).collective_fraction(),
                    .timeouts = played.timeouts,
                    .ends = ends_by_kind(graph, played.run)};
  add_costs(result);
  return result;
}

}  // namespace overture::study
