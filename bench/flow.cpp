// How long the flow-level backend takes for one training step of Model-A on fat trees and on Opera, and how
// time and memory grow with the nodes; then, for random flows without any symmetry on a fat tree of 128
// hosts, how time grows with their number. Prints two tables; the arguments are node counts (16, 128, 1024 if
// there are none).
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>

#include "overture/base/random.h"
#include "overture/model/published.h"
#include "overture/network/flow/flow_network.h"
#include "overture/network/flow/rotor_fluid.h"
#include "overture/network/flow/run_flows.h"
#include "overture/simulation/play.h"
#include "overture/topology/fat_tree.h"
#include "overture/workload/dlrm_tasks.h"

namespace overture {
namespace {

using system::AlgorithmKind;

struct Row {
  Duration iteration{};
  Duration exposed{};
  network::flow::FluidStatistics statistics;
  double build_seconds = 0;
  double run_seconds = 0;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

enum class Kind { fat_tree_ring, fat_tree_dps, opera_ring, opera_dps };

bool on_opera(Kind kind) { return kind == Kind::opera_ring || kind == Kind::opera_dps; }
bool is_ring(Kind kind) { return kind == Kind::fat_tree_ring || kind == Kind::opera_ring; }

const char* name(Kind kind) {
  switch (kind) {
    case Kind::fat_tree_ring: return "fat tree, ring";
    case Kind::fat_tree_dps: return "fat tree, dps";
    case Kind::opera_ring: return "opera, ring";
    case Kind::opera_dps: return "opera, dps";
  }
  return "";
}

network::flow::RotorFluid make_network(int nodes, Kind kind) {
  const model::PublishedNetworks published = model::published_networks(nodes);
  if (on_opera(kind)) {
    return network::flow::rotor_fluid(
        topology::generate_opera({.tors = published.tors, .ports = 2 * published.hosts_per_tor, .draws = 1}),
        {.circuits = network::flow::Circuits::average});
  }
  const topology::Wire wire{.rate = Bandwidth::bits_per_second(100'000'000'000),
                            .delay = std::chrono::microseconds(1)};
  return {.topology = topology::fat_tree(
              {.k = published.fat_tree_k, .host = wire, .aggregation = wire, .core = wire}),
          .config = {}};
}

Row run(int nodes, Kind kind, bool published) {
  const AlgorithmKind all_reduce =
      is_ring(kind) ? system::kLockstepRing : system::kDistributedParameterServer;
  workload::DlrmStep step{.model = make_dlrm(model::model_a()), .nodes = nodes, .all_reduce = all_reduce};
  if (published) step.artefacts = workload::DlrmArtefacts::as_published();
  if (on_opera(kind)) {
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
  const simulation::Timeline result = simulation::play(graph, dlrm_system(step), network, events);
  row.run_seconds = seconds_since(start);
  row.iteration = result.finished;
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
      for (const Kind kind : {Kind::fat_tree_ring, Kind::fat_tree_dps, Kind::opera_ring, Kind::opera_dps}) {
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

// From 1 kB to 2 MB, between hosts drawn at random, one after the other within `window`.
std::vector<network::FlowSpec> random_flows(int count, Duration window) {
  RandomStream random = RandomStreams(1).make("flows");
  std::vector<network::FlowSpec> flows;
  for (int i = 0; i < count; ++i) {
    const auto from = static_cast<int>(random.below(128));
    const auto step = static_cast<int>(1 + random.below(127));
    flows.push_back({.from = Rank{from},
                     .to = Rank{(from + step) % 128},
                     .size = Bytes{static_cast<std::int64_t>(1'000 + random.below(2'000'000))},
                     .start = Time{window * i / count}});
  }
  return flows;
}

void print_random(const char* name, topology::PathRule paths, Duration window_per_flow) {
  for (const int count : {1'000, 2'000, 5'000, 10'000}) {
    const auto flows = random_flows(count, window_per_flow * count);
    const std::clock_t start = std::clock();
    const auto result = network::flow::run_flows(topology::fat_tree({.k = 8}), {.paths = paths}, flows);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    fmt::print("{:>7} {:>36} {:>9} {:>13.1f} {:>8.2f} {:>12.0f}\n", count, name, result.statistics.solutions,
               static_cast<double>(result.statistics.solved_lanes) /
                   static_cast<double>(result.statistics.solutions),
               seconds, seconds * 1e9 / static_cast<double>(result.statistics.solved_lanes));
    std::fflush(stdout);
  }
}

void print_random() {
  using std::chrono::microseconds;
  using std::chrono::nanoseconds;
  fmt::print("\n{:>7} {:>36} {:>9} {:>13} {:>8} {:>12}\n", "flows", "128 hosts, random", "solutions",
             "flows in each", "CPU s", "ns per flow");
  print_random("sprayed, all at once", topology::PathRule::spray, Duration::zero());
  print_random("sprayed, one every 50 ns", topology::PathRule::spray, nanoseconds(50));
  print_random("sprayed, one every 7 us", topology::PathRule::spray, microseconds(7));
  print_random("by hash, one every 50 ns", topology::PathRule::hash_per_flow, nanoseconds(50));
}

}  // namespace
}  // namespace overture

int main(int argc, char** argv) {
  std::vector<int> nodes;
  for (int i = 1; i < argc; ++i) nodes.push_back(std::atoi(argv[i]));
  overture::print(nodes.empty() ? std::vector<int>{16, 128, 1024} : nodes);
  overture::print_random();
}
