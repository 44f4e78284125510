#include "overture/setup/setup.h"

#include <bit>

#include <fmt/format.h>

#include "overture/astra2/files.h"
#include "overture/base/check.h"
#include "overture/base/files.h"
#include "overture/base/text.h"
#include "overture/formats/astra/workload_text.h"
#include "overture/formats/chakra/graph.h"
#include "overture/formats/flexflow/flexflow_graph.h"
#include "overture/setup/faults_schema.h"
#include "overture/setup/lines.h"
#include "overture/setup/network_schema.h"
#include "overture/setup/schema.h"
#include "overture/setup/setup_kind.h"
#include "overture/setup/steps_file.h"
#include "overture/system/algorithms.h"

namespace overture::setup {
namespace {

using system::Algorithm;
using system::CollectiveKind;

// What is said of a workload and used up while reading: a setup that is written has its layers, scaled.
struct WorkloadKeys {
  std::string file;
  double compute_scale = 1;
  double communication_scale = 1;
  double injection_scale = 1;
};

template <class V>
void describe(V& v, Setup& s, WorkloadKeys& keys) {
  v.from("ours");
  v.field("name", s.name, "Name of the run, shown in results");
  v.field("seed", s.seed, "Seed of every random choice");
  v.field("passes", s.simulation.passes, "Training iterations");
  v.group("network", "Dimensions or a topology, and the model that carries messages",
          [&](auto& group) { describe(group, s.network); });
  v.group("system", "How collectives are carried out", [&](auto& group) {
    describe(group, s.simulation);
    group.from("ASTRA-sim 1.0: --injection-scale");
    group.field("injection_scale", keys.injection_scale, "Multiplies endpoint_delay");
  });
  v.group("workload", "What is trained", [&](auto& group) {
    group.field("file", keys.file, "ASTRA-sim 1.0 text file, beside the setup, instead of the keys below");
    group.from("ASTRA-sim 1.0: --compute-scale and --comm-scale");
    group.field("compute_scale", keys.compute_scale,
                "Multiplies every compute time: 0.5 is an NPU twice as fast");
    group.field("communication_scale", keys.communication_scale, "Multiplies the size of every collective");
    group.from("ours");
    group.field("tasks", s.tasks, "FlexFlow task graph (.tg), beside the setup, instead of layers");
    group.field("between_gpus", s.between_gpus,
                "Rate inside a node of that graph, for what its GPUs reduce first");
    group.field(
        "chakra", s.chakra,
        "Chakra traces, instead of layers: PREFIX of PREFIX.0.et, PREFIX.1.et ..., or a name with %d");
    group.field("chakra_groups", s.chakra_groups, "Group file (JSON) of these traces, as ASTRA-sim 2 has it");
    group.optional_group("dlrm", s.dlrm, "Any DLRM, instead of layers",
                         [](auto& inner, DlrmSetup& d) { describe(inner, d); });
    group.optional_group("cache", s.cache, "Embedding servers hold the DLRM's rows, and a cache looks ahead",
                         [](auto& inner, CacheSetup& c) { describe(inner, c); });
    group.field("recording", s.recording,
                "Folder of a recording of `overture train --record`, instead of layers");
    group.optional_group(
        "training", s.training,
        "A training of `overture train` on a calibrated machine, or what changes in the recording",
        [](auto& inner, TrainingSetup& t) { describe(inner, t); });
    describe(group, s.simulation.workload);
  });
  v.group("traffic", "Traffic of `overture flows`, unless --flows names a file",
          [&](auto& group) { describe(group, s.traffic); });
  v.group("faults", "What goes wrong: links, switches and nodes that fail, lose packets or slow down",
          [&](auto& group) { describe(group, s.faults); });
  v.group("monitor", "Links over time, into links_over_time.csv", [&](auto& group) {
    group.field("interval", s.monitor.interval,
                "Time between two samples; it doubles when the samples are full");
    group.field("samples", s.monitor.samples,
                "Most samples of each link, an even number; 0: links are not watched");
  });
}

// Networks stood at the top level once.
void require_new_shape(const Value& root, const std::string& file) {
  for (const std::string key : {"topology", "nodes", "oversubscription", "paths", "queue", "transport", "tcp",
                                "ndp", "htsim_dctcp", "roce", "plain", "lossless", "rotor", "threads"}) {
    if (root.find(key) == nullptr) continue;
    throw UserError(
        {.file = file, .key = key}, "belongs under network: now",
        fmt::format("write network: {{{}: ...}}, and -s network.{}=... on the command line", key, key));
  }
}

// What suits a dimension when the setup does not say: ring on rings, everybody at once on a mesh; on a switch
// halving-doubling where the numbers allow it.
Algorithm default_algorithm(CollectiveKind kind, const topology::Hierarchy::Dimension& dimension) {
  check(kind != CollectiveKind::broadcast && kind != CollectiveKind::barrier,
        "these have an algorithm by default");
  if (kind == CollectiveKind::all_to_all) return {system::kDirect};
  switch (dimension.kind) {
    case topology::DimensionKind::ring: return {system::kRing};
    case topology::DimensionKind::fully_connected: return {system::kDirect};
    case topology::DimensionKind::switched:
      return {std::has_single_bit(static_cast<unsigned>(dimension.size)) ? system::kHalvingDoubling
                                                                         : system::kRing};
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

// A file that a key of the setup names.
std::filesystem::path named_file(const std::string& setup, const std::string& file, const std::string& key) {
  const std::filesystem::path path = beside(setup, file);
  if (!std::filesystem::exists(path))
    fail(setup, key, fmt::format("there is no file \"{}\"", path.string()),
         "files are sought beside the setup");
  return path;
}

void complete_algorithms(simulation::SimulationConfig& c, const std::string& file) {
  const topology::Hierarchy machine = simulation::system_dimensions(c);
  for (const auto& [kind, word] : kWords<CollectiveKind>) {
    system::Implementation& implementation = c.system.implementation(kind);
    const std::string key = "system." + std::string(word);
    if (implementation.per_dimension.empty() && c.tasks && kind == CollectiveKind::all_reduce) {
      // The groups of a task graph have any number of ranks.
      implementation.per_dimension.assign(static_cast<std::size_t>(machine.dimensions()), {system::kRing});
    }
    if (implementation.per_dimension.empty()) {
      for (int d = 0; d < machine.dimensions(); ++d)
        implementation.per_dimension.push_back(default_algorithm(kind, machine.dimension(d)));
    }
    if (!implementation.flat &&
        static_cast<int>(implementation.per_dimension.size()) != machine.dimensions()) {
      fail(file, key,
           fmt::format("has {}, but the network has {}",
                       counted(static_cast<std::int64_t>(implementation.per_dimension.size()), "algorithm"),
                       counted(machine.dimensions(), "dimension")),
           "name one for each, innermost first, or a flat_... over all NPUs");
    }
    for (Algorithm& algorithm : implementation.per_dimension) {
      if (algorithm.kind == system::kFromFile)
        algorithm.steps = read_steps(kind, named_file(file, algorithm.file, key));
      if (algorithm.kind->can_do.has(kind)) continue;
      if (algorithm.kind == system::kDoubleBinaryTree && c.system.tree_always_reduces) continue;
      fail(file, key, fmt::format("{} cannot do it", name(algorithm.kind)), explain_algorithms(kind));
    }
  }
}

void check_numbers(const simulation::SimulationConfig& c, const std::string& file) {
  const auto positive = [&](int value, const std::string& key) {
    if (value < 1) fail(file, key, fmt::format("{} is less than 1", value));
  };
  positive(c.passes, "passes");
  positive(c.system.splits, "system.chunks");
  constexpr int kMostChunks = 1'000'000;  // each is several events a rank
  if (c.system.splits > kMostChunks)
    fail(file, "system.chunks", fmt::format("{} is more than {}", c.system.splits, kMostChunks));
  if (c.system.all_to_all_splits < 0)
    fail(file, "system.all_to_all_chunks", fmt::format("{} is negative", c.system.all_to_all_splits),
         "write 0 for as many as system.chunks");
  positive(c.system.active_chunks, "system.active_chunks");
  positive(c.system.queues_per_dimension, "system.queues_per_dimension");
  if (c.system.cycle <= Duration{}) fail(file, "system.cycle", "must be above zero");
  // What falls into one cycle runs when the first of it is due: before its time.
  if (c.system.cycle > Nanoseconds{1})
    fail(file, "system.cycle", fmt::format("{} is more than 1 ns", exact(c.system.cycle)),
         "1 ns is ASTRA-sim's");
}

double checked_scale(double scale, const char* key, const std::string& file) {
  constexpr double kMost = 1e6;
  if (!(scale > 0) || scale > kMost)
    fail(file, key, fmt::format("{} is not above 0 and at most 1e6", scale), "1 leaves everything as it is");
  return scale;
}

// Layers that the setup itself tells: in picoseconds and bytes, rounded down as ASTRA-sim rounds.
void scale_layers(workload::Workload& workload, const WorkloadKeys& keys, const std::string& file) {
  for (workload::Layer& layer : workload.layers) {
    for (workload::Pass* pass : {&layer.forward, &layer.input_gradient, &layer.weight_gradient}) {
      pass->compute = Duration{
          static_cast<std::int64_t>(static_cast<double>(pass->compute.count()) * keys.compute_scale)};
      if (!pass->communication) continue;
      Bytes& size = pass->communication->size;
      size = Bytes{static_cast<std::int64_t>(static_cast<double>(size.count()) * keys.communication_scale)};
      if (size.count() == 0)
        fail(file, "workload.communication_scale",
             fmt::format("makes a collective of layer {} smaller than one byte", layer.name),
             "use a larger scale");
    }
  }
}

void read_file_of_workload(const WorkloadKeys& keys, simulation::SimulationConfig& config,
                           const std::string& file) {
  const std::filesystem::path path = named_file(file, keys.file, "workload.file");
  config.workload =
      formats::parse_astra_workload(read_file(path), path.string(),
                                    {.compute = static_cast<float>(keys.compute_scale),
                                     .communication = static_cast<float>(keys.communication_scale)});
  config.workload_file = path.string();
}

void add_note(simulation::SimulationConfig& config, const std::string& note) {
  if (!note.empty()) config.tasks_note += (config.tasks_note.empty() ? "" : "; ") + note;
}

void make_dlrm(Setup& setup, bool scaled, PlannedTraffic* planned) {
  if (scaled)
    fail(setup.file, "workload",
         "compute_scale and communication_scale apply to files and layers, not to a dlrm",
         "change the dlrm itself");
  const workload::DlrmTraining training = make_training(*setup.dlrm, setup.file);
  if (setup.cache) {
    if (setup.simulation.passes < 1) fail(setup.file, "passes", "is less than 1");
    CachedRun run = make_cached_run(*setup.cache, training,
                                    {.file = setup.file,
                                     .seed = setup.seed,
                                     .ranks = network::count_hosts(setup.simulation.network),
                                     .steps = setup.simulation.passes},
                                    planned);
    setup.simulation.tasks = std::make_shared<const workload::TaskGraph>(std::move(run.graph));
    add_note(setup.simulation, run.note);
    return;
  }
  try {
    setup.simulation.workload = dlrm_workload(training, network::count_hosts(setup.simulation.network));
  } catch (const UserError& error) {
    throw at({.file = setup.file, .key = "workload.dlrm"}, error);
  }
}

void read_traces(Setup& setup) {
  if (setup.simulation.passes != 1)
    fail(setup.file, "passes", "a trace is run once", "leave passes out, or trace more iterations");
  const auto found = [&](const std::string& name) {
    return std::filesystem::absolute(beside(setup.file, name)).lexically_normal().string();
  };
  setup.chakra = found(setup.chakra);
  chakra::GraphOptions options{.ranks = network::count_hosts(setup.simulation.network)};
  if (!setup.chakra_groups.empty()) {
    setup.chakra_groups = found(setup.chakra_groups);
    options.groups = astra2::read_groups(setup.chakra_groups, options.ranks);
  }
  chakra::TracedGraph traced = chakra::read_graph(setup.chakra, options);
  setup.simulation.workload_file = setup.chakra;
  setup.simulation.tasks = std::make_shared<const workload::TaskGraph>(std::move(traced.graph));
  add_note(setup.simulation, traced.note);
}

// An iteration is a step of the training.
void play_training(Setup& setup) {
  if (setup.simulation.passes != 1)
    fail(setup.file, "passes", "passes has no effect on a training", "set workload.training.steps");
  if (!setup.recording.empty())
    setup.recording =
        std::filesystem::absolute(beside(setup.file, setup.recording)).lexically_normal().string();
  TrainingGraph made = make_training_graph(setup.recording, setup.training.value_or(TrainingSetup{}),
                                           setup.file, network::count_hosts(setup.simulation.network));
  setup.simulation.passes = made.steps;
  setup.simulation.tasks = std::make_shared<const workload::TaskGraph>(std::move(made.graph));
  add_note(setup.simulation, made.note);
  if (!setup.recording.empty()) setup.simulation.workload_file = setup.recording;
}

// Layers are given, or made from what is given in their place.
void read_workload(const WorkloadKeys& keys, Setup& setup, PlannedTraffic* planned) {
  checked_scale(keys.compute_scale, "workload.compute_scale", setup.file);
  checked_scale(keys.communication_scale, "workload.communication_scale", setup.file);
  const bool scaled = keys.compute_scale != 1 || keys.communication_scale != 1;
  workload::Workload& workload = setup.simulation.workload;
  const int given = (workload.layers.empty() ? 0 : 1) + (keys.file.empty() ? 0 : 1) + (setup.dlrm ? 1 : 0) +
                    (setup.tasks.empty() ? 0 : 1) + (setup.chakra.empty() ? 0 : 1) +
                    (setup.training || !setup.recording.empty() ? 1 : 0);
  if (given > 1)
    fail(setup.file, "workload", "has more than one of file, tasks, chakra, dlrm, recording and layers",
         "keep one of them");
  if (!setup.tasks.empty()) return take_tasks(setup, named_file(setup.file, setup.tasks, "workload.tasks"));
  if (!keys.file.empty()) return read_file_of_workload(keys, setup.simulation, setup.file);
  if (setup.cache && !setup.dlrm)
    fail(setup.file, "workload.cache", "there is no DLRM whose rows it holds", "write workload: {dlrm: ...}");
  if (setup.dlrm) return make_dlrm(setup, scaled, planned);
  if (!setup.chakra.empty()) return read_traces(setup);
  if (setup.training || !setup.recording.empty()) return play_training(setup);
  if (scaled) scale_layers(workload, keys, setup.file);
}

void read_prices(Setup& setup) {
  if (setup.network.prices.empty()) return;
  const std::filesystem::path file = named_file(setup.file, setup.network.prices, "network.prices");
  setup.prices = load_prices(file);
  setup.network.prices = std::filesystem::absolute(file).lexically_normal().string();
}

void scale_endpoint(const WorkloadKeys& keys, system::SystemConfig& config, const std::string& file) {
  checked_scale(keys.injection_scale, "system.injection_scale", file);
  const double delay = static_cast<double>(config.endpoint_delay.count()) * keys.injection_scale;
  if (keys.injection_scale != 1) config.endpoint_delay = Duration{static_cast<std::int64_t>(delay)};
}

void require_workload(const Setup& setup, const Value& root) {
  if (setup.simulation.tasks || !setup.simulation.workload.layers.empty()) return;
  if (root.find("traffic") != nullptr)
    fail(setup.file, "workload", "is missing; this is a setup for `overture flows`",
         "run overture flows " + setup.file +
             ", or say what is trained: layers, file, tasks, chakra, dlrm or recording");
  fail(setup.file, "workload", "has no layers",
       "say what is trained: layers, file, tasks, chakra, dlrm or recording");
}

// What is drawn follows the run's seed, unless they have their own.
void require_faults(Setup& setup) {
  try {
    network::require_sound(setup.faults);
  } catch (const UserError& error) {
    throw at({.file = setup.file}, error);
  }
  setup.simulation.faults = setup.faults;
  if (!setup.faults.seed) setup.simulation.faults.seed = setup.seed;
}

// A shape says what is wrong with its numbers when it is built, but not where they stand.
void require_network(const Setup& setup) {
  if (!setup.network.analytical.dimensions.empty()) return;
  try {
    network::count_hosts(setup.simulation.network);
  } catch (const UserError& error) {
    throw at({.file = setup.file, .key = "network.topology"}, error);
  }
}

// Keys that the transport does not look at: most likely it is not the one that was meant.
void note_unused_keys(Setup& setup, const Value& network) {
  using network::packet::TransportKind;
  if (backend_of(setup.network) != kBackend<network::PacketNetworkConfig>) return;
  const auto& packets = setup.network.of<network::packet::PacketConfig>();
  const TransportKind transport = packets.transport;
  const bool lossless = runs_lossless(packets);
  const auto look = [&](std::string_view key, bool used) {
    if (used || network.find(key) == nullptr) return;
    add_note(setup.simulation,
             fmt::format("network.{} has no effect with transport: {}", key, word_of(transport)));
  };
  for (const auto& [kind, word] : kWords<TransportKind>) look(word, kind == transport);
  look("queue", !lossless);
  look("lossless", lossless);
}

}  // namespace

void take_tasks(Setup& setup, const std::filesystem::path& file) {
  // Each of 8 GPUs sends and receives an eighth.
  const auto in_node = [&](Bytes size) { return transfer_time(size / 4, setup.between_gpus); };
  if (setup.between_gpus == Bandwidth{}) fail(setup.file, "workload.between_gpus", "is more than zero");
  setup.simulation.tasks = std::make_shared<workload::TaskGraph>(formats::read_flexflow_graph(file, in_node));
  setup.simulation.workload = {};
  setup.simulation.workload_file = file.string();
  setup.dlrm.reset();
  setup.tasks = std::filesystem::absolute(file).string();
}

namespace {

Setup make_setup(const Value& root, const std::string& file, Needs needs, PlannedTraffic* planned) {
  Setup setup;
  setup.file = file;
  setup.simulation.system_file = file;
  setup.simulation.workload_file = file;  // unless the workload is a file of its own
  WorkloadKeys keys;
  Reader reader(&root, file, "");
  describe(reader, setup, keys);
  reader.finish();
  read_prices(setup);
  require_faults(setup);
  setup.simulation.network = network_config(setup);
  if (const Value* network = root.find("network")) note_unused_keys(setup, *network);
  if (needs != Needs::description) require_network(setup);
  if (needs != Needs::description) read_workload(keys, setup, planned);
  scale_endpoint(keys, setup.simulation.system, file);
  complete_algorithms(setup.simulation, file);
  if (setup.monitor.samples != 0) {
    try {
      require_sound(setup.monitor);
    } catch (const UserError& error) {
      throw at({.file = file}, error);
    }
  }
  check_numbers(setup.simulation, file);
  if (needs == Needs::workload) require_workload(setup, root);
  if (!setup.simulation.workload.layers.empty())
    workload::check_workload(setup.simulation.workload, {.file = file, .key = "workload"});
  return setup;
}

}  // namespace

Setup parse_setup(std::string_view text, const std::string& file, const std::vector<std::string>& overrides,
                  Needs needs, PlannedTraffic* planned) {
  Value root = parse_yaml(text, file);
  for (const std::string& assignment : overrides) override_value(root, assignment);
  require_kind(root, file, SetupKind::run);
  require_new_shape(root, file);
  return with_lines(root, file, [&] { return make_setup(root, file, needs, planned); });
}

Setup load_setup(const std::filesystem::path& file, const std::vector<std::string>& overrides, Needs needs) {
  return parse_setup(read_file(file), file.string(), overrides, needs);
}

network::NetworkConfig network_config(const Setup& setup) {
  network::NetworkConfig config = network_config(setup.network, setup.seed, setup.file);
  if (setup.faults.empty()) return config;
  try {
    network::set_faults(config, setup.simulation.faults);
  } catch (const UserError& error) {
    throw at({.file = setup.file}, error);
  }
  return config;
}

Dollars network_cost(const Setup& setup) {
  if (!setup.network.analytical.dimensions.empty())
    return Dollars{network::cost_in_dollars(setup.network.analytical, setup.prices)};
  return Dollars{network::cost_in_dollars(network_config(setup), setup.prices)};
}

std::vector<network::FlowSpec> make_traffic(const Setup& setup, int hosts) {
  const bool trains = setup.simulation.tasks || !setup.simulation.workload.layers.empty();
  if (setup.traffic.kind.empty() && trains)
    fail(setup.file, "traffic", "is missing; this is a setup for `overture simulate`",
         "run overture simulate " + setup.file + ", or name a pattern, or a list of flows with --flows");
  return make_traffic(setup.traffic, hosts, {.file = setup.file, .seed = setup.seed});
}

std::string write_setup(const Setup& setup) {
  Setup copy = setup;
  const network::Wires wires = network::wires_of(setup.simulation.network);
  if (const auto* dimensions = std::get_if<network::AnalyticalConfig>(&wires.kind))
    copy.network.analytical = *dimensions;
  if (copy.dlrm || !copy.chakra.empty()) copy.simulation.workload = {};
  if (copy.training || !copy.recording.empty()) copy.simulation.passes = 1;  // it says itself how many
  WorkloadKeys used_up;
  return to_yaml(Writer::without_defaults(copy, [&](Writer& w, Setup& s) { describe(w, s, used_up); }));
}

std::vector<Explanation> explain_setup() {
  std::vector<Explanation> explanations;
  Setup initial;
  WorkloadKeys keys;
  Explainer explainer(explanations, "");
  describe(explainer, initial, keys);
  return explanations;
}

}  // namespace overture::setup
