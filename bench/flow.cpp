// How long the flow-level backend takes for one training step of Model-A on fat trees and on Opera, and how
// time and memory grow with the nodes. Prints a table; the arguments are node counts (16, 128, 1024 if there
// are none).
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>

#include "overture/model/published.h"
#include "overture/network/flow/flow_network.h"
#include "overture/network/flow/rotor_fluid.h"
#include "overture/topology/fat_tree.h"
#include "overture/workload/dlrm_tasks.h"
#include "overture/workload/task_executor.h"

namespace overture {
namespace {

using workload::AllReduce;

struct Row {
  Duration iteration{};
  Duration exposed{};
  network::flow::Statistics statistics;
  double build_seconds = 0;
  double run_seconds = 0;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

enum class Kind { fat_tree_ring, fat_tree_dps, opera_dps };

const char* name(Kind kind) {
  switch (kind) {
    case Kind::fat_tree_ring: return "fat tree, ring";
    case Kind::fat_tree_dps: return "fat tree, dps";
    case Kind::opera_dps: return "opera, dps";
  }
  return "";
}

network::flow::RotorFluid make_network(int nodes, Kind kind) {
  const model::PublishedNetworks published = model::published_networks(nodes);
  if (kind == Kind::opera_dps) {
    // At 16 nodes a cycle takes 52 us and a message 30 ms.
    const auto circuits = nodes > 16 ? network::flow::Circuits::slices : network::flow::Circuits::average;
    return network::flow::rotor_fluid(
        topology::generate_opera({.tors = published.tors, .ports = 2 * published.hosts_per_tor, .draws = 1}),
        {.circuits = circuits});
  }
  const topology::Wire wire{.rate = Bandwidth::bits_per_second(100'000'000'000),
                            .delay = std::chrono::microseconds(1)};
  return {.topology = topology::fat_tree(
              {.k = published.fat_tree_k, .host = wire, .aggregation = wire, .core = wire}),
          .config = {}};
}

Row run(int nodes, Kind kind, bool published) {
  const AllReduce all_reduce =
      kind == Kind::fat_tree_ring ? AllReduce::ring : AllReduce::distributed_parameter_server;
  workload::DlrmStep step{.model = make_dlrm(model::model_a()), .nodes = nodes, .all_reduce = all_reduce};
  if (published) step.artefacts = workload::DlrmArtefacts::as_published();
  if (kind == Kind::opera_dps) {
    step.packet = Bytes{1500};
    step.packet_sent = Bytes{1};
  }
  Row row;
  auto start = std::chrono::steady_clock::now();
  const workload::TaskGraph graph = dlrm_tasks(step);
  network::flow::RotorFluid made = make_network(nodes, kind);
  row.build_seconds = seconds_since(start);
  start = std::chrono::steady_clock::now();
  sim::EventQueue events;
  network::flow::FlowNetwork network(std::move(made.topology), made.config, events);
  const workload::TaskRun result = run_tasks(graph, network, network, events);
  row.run_seconds = seconds_since(start);
  row.iteration = result.makespan;
  row.exposed = result.exposed();
  row.statistics = network.statistics();
  return row;
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void print(const std::vector<int>& node_counts) {
  fmt::print("{:>5} {:>14} {:>9} {:>12} {:>12} {:>11} {:>8} {:>9} {:>8} {:>8} {:>8}\n", "nodes", "network",
             "setting", "iteration", "exposed", "messages", "streams", "solutions", "build s", "run s",
             "peak MB");
  for (const int nodes : node_counts) {
    for (const bool published : {true, false}) {
      for (const Kind kind : {Kind::fat_tree_ring, Kind::fat_tree_dps, Kind::opera_dps}) {
        const Row row = run(nodes, kind, published);
        fmt::print("{:>5} {:>14} {:>9} {:>12} {:>12} {:>11} {:>8} {:>9} {:>8.2f} {:>8.2f} {:>8.0f}\n", nodes,
                   name(kind), published ? "published" : "sound", to_string(row.iteration),
                   to_string(row.exposed), row.statistics.messages, row.statistics.streams,
                   row.statistics.solutions, row.build_seconds, row.run_seconds, peak_megabytes());
        std::fflush(stdout);
      }
    }
  }
}

}  // namespace
}  // namespace overture

int main(int argc, char** argv) {
  std::vector<int> nodes;
  for (int i = 1; i < argc; ++i) nodes.push_back(std::atoi(argv[i]));
  overture::print(nodes.empty() ? std::vector<int>{16, 128, 1024} : nodes);
}
