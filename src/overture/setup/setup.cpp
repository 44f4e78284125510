#include "overture/setup/setup.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "overture/base/check.h"
#include "overture/base/files.h"
#include "overture/setup/network_schema.h"
#include "overture/setup/schema.h"
#include "overture/setup/steps_file.h"
#include "overture/workload/astra_text.h"

namespace overture::setup {
namespace {

using system::Algorithm;
using system::AlgorithmKind;
using system::CollectiveKind;

template <class V>
void describe(V& v, Setup& s, std::string& workload_file) {
  v.from("ours");
  v.field("name", s.name, "Of the run, shown in results");
  v.field("seed", s.seed, "Of every random choice");
  v.field("passes", s.simulation.passes, "Training iterations");
  v.group("network", "Dimensions or a topology, and what carries messages there",
          [&](auto& group) { describe(group, s.network); });
  v.group("system", "How collectives are carried out", [&](auto& group) { describe(group, s.simulation); });
  v.group("workload", "What is trained", [&](auto& group) {
    group.field("file", workload_file,
                "ASTRA-sim 1.0 text file, beside the setup, instead of the keys below");
    describe(group, s.simulation.workload);
  });
  v.group("traffic", "What flows sends, unless --flows names a file",
          [&](auto& group) { describe(group, s.traffic); });
  v.group("monitor", "Links over time, into links_over_time.csv", [&](auto& group) {
    group.field("interval", s.monitor.interval, "Between two looks; doubles when the samples are full");
    group.field("samples", s.monitor.samples, "Most kept of each link; even; 0: links are not watched");
  });
}

// Networks stood at the top level once.
void require_new_shape(const Value& root, const std::string& file) {
  for (const std::string key :
       {"topology", "nodes", "oversubscription", "paths", "queue", "transport", "tcp", "ndp", "htsim_dctcp",
        "roce", "plain", "lossless", "rotor", "threads", "memory_limit"}) {
    if (root.find(key) == nullptr) continue;
    throw UserError(
        {.file = file, .key = key}, "stands under network: now",
        fmt::format("write network: {{{}: ...}}, and -s network.{}=... on the command line", key, key));
  }
}

// What suits a dimension when the setup does not say: ring on rings, everybody at once on a mesh; on a switch
// halving-doubling where the numbers allow it.
Algorithm default_algorithm(CollectiveKind kind, const topology::Hierarchy::Dimension& dimension) {
  check(kind != CollectiveKind::broadcast && kind != CollectiveKind::barrier,
        "these have an algorithm by default");
  if (kind == CollectiveKind::all_to_all) return {AlgorithmKind::direct};
  switch (dimension.kind) {
    case topology::DimensionKind::ring: return {AlgorithmKind::ring};
    case topology::DimensionKind::fully_connected: return {AlgorithmKind::direct};
    case topology::DimensionKind::switched:
      return {std::has_single_bit(static_cast<unsigned>(dimension.size)) ? AlgorithmKind::halving_doubling
                                                                         : AlgorithmKind::ring};
  }
  return {};
}

[[noreturn]] void fail(const std::string& file, const std::string& key, const std::string& what,
                       const std::string& hint = {}) {
  throw UserError({.file = file, .key = key}, what, hint);
}

std::filesystem::path beside(const std::string& setup, const std::string& file) {
  return std::filesystem::path(setup).parent_path() / file;
}

void complete_algorithms(simulation::SimulationConfig& c, const std::string& file) {
  const topology::Hierarchy machine = simulation::system_dimensions(c);
  for (const auto& [kind, word] : kWords<CollectiveKind>) {
    system::Implementation& implementation = c.system.implementation(kind);
    const std::string key = "system." + std::string(word);
    if (implementation.per_dimension.empty()) {
      for (int d = 0; d < machine.dimensions(); ++d)
        implementation.per_dimension.push_back(default_algorithm(kind, machine.dimension(d)));
    }
    if (!implementation.flat &&
        static_cast<int>(implementation.per_dimension.size()) != machine.dimensions()) {
      fail(file, key,
           fmt::format("has {} algorithms but the network has {} dimensions",
                       implementation.per_dimension.size(), machine.dimensions()));
    }
    for (Algorithm& algorithm : implementation.per_dimension) {
      if (algorithm.kind == AlgorithmKind::from_file)
        algorithm.steps = read_steps(kind, beside(file, algorithm.file));
      if (can_do(algorithm.kind, kind)) continue;
      if (algorithm.kind == AlgorithmKind::double_binary_tree && c.system.tree_always_reduces) continue;
      fail(file, key, fmt::format("{} cannot do it", name(algorithm.kind)));
    }
  }
}

void check_numbers(const simulation::SimulationConfig& c, const std::string& file) {
  const auto positive = [&](int value, const std::string& key) {
    if (value < 1) fail(file, key, fmt::format("{} is less than 1", value));
  };
  positive(c.passes, "passes");
  positive(c.system.splits, "system.chunks");
  positive(c.system.active_chunks, "system.active_chunks");
  positive(c.system.queues_per_dimension, "system.queues_per_dimension");
  if (c.system.cycle <= Duration{}) fail(file, "system.cycle", "must be above zero");
}

}  // namespace

Setup parse_setup(std::string_view text, const std::string& file, const std::vector<std::string>& overrides,
                  Needs needs) {
  Value root = parse_yaml(text, file);
  for (const std::string& assignment : overrides) override_value(root, assignment);
  require_new_shape(root, file);
  Setup setup;
  setup.file = file;
  setup.simulation.system_file = file;
  std::string workload_file;
  Reader reader(&root, file, "");
  describe(reader, setup, workload_file);
  reader.finish();
  if (!workload_file.empty()) {
    if (!setup.simulation.workload.layers.empty()) {
      fail(file, "workload", "has both a file and layers", "keep one of the two");
    }
    const std::filesystem::path path = beside(file, workload_file);
    setup.simulation.workload = workload::parse_astra_workload(read_file(path), path.string());
  }
  setup.simulation.network = network_config(setup);
  complete_algorithms(setup.simulation, file);
  if (setup.monitor.samples != 0) require_sound(setup.monitor);
  check_numbers(setup.simulation, file);
  if (needs == Needs::workload || !setup.simulation.workload.layers.empty())
    workload::check_workload(setup.simulation.workload, {.file = file, .key = "workload"});
  return setup;
}

Setup load_setup(const std::filesystem::path& file, const std::vector<std::string>& overrides, Needs needs) {
  return parse_setup(read_file(file), file.string(), overrides, needs);
}

network::NetworkConfig network_config(const Setup& setup) {
  return network_config(setup.network, setup.seed, setup.file);
}

std::vector<network::FlowSpec> make_traffic(const Setup& setup, int hosts) {
  return make_traffic(
      setup.traffic, hosts,
      {.file = setup.file, .memory_limit = setup.network.packets.memory_limit, .seed = setup.seed});
}

std::string write_setup(const Setup& setup) {
  Setup copy = setup;
  if (const auto* formula = std::get_if<network::AnalyticalConfig>(&setup.simulation.network))
    copy.network.analytical = *formula;
  std::string no_file;
  return to_yaml(Writer::without_defaults(copy, [&](Writer& w, Setup& s) { describe(w, s, no_file); }));
}

std::vector<Explanation> explain_setup() {
  std::vector<Explanation> explanations;
  Setup initial;
  std::string no_file;
  Explainer explainer(explanations, "");
  describe(explainer, initial, no_file);
  return explanations;
}

}  // namespace overture::setup
