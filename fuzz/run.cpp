// A whole run from one input: a line of options, then the network, system and workload file, each behind a
// line "%%". What is small enough is simulated, from one rank and from all of them, and must come to the same
// end.
#include <array>
#include <charconv>

#include "run_checks.h"
#include "targets.h"

#include "overture/formats/astra/network_json.h"
#include "overture/formats/astra/system_text.h"
#include "overture/formats/astra/workload_text.h"

using namespace overture;

namespace {

constexpr int kMostRanks = 16;
constexpr std::size_t kMostLayers = 4;
constexpr std::int64_t kMostChunks = 16;  // of one collective
constexpr std::int64_t kMostBytes = 1 << 20;

// "2 rendezvous links": queues per dimension, receivers clear messages first, messages share links.
struct Options {
  int queues = 1;
  bool rendezvous = false;
  bool shared_links = false;
};

struct Input {
  Options options;
  std::array<std::string_view, 3> files;
};

Options read_options(std::string_view line) {
  Options options;
  std::from_chars(line.data(), line.data() + line.size(), options.queues);
  options.queues = options.queues >= 1 && options.queues <= 4 ? options.queues : 1;
  options.rendezvous = line.find("rendezvous") != std::string_view::npos;
  options.shared_links = line.find("links") != std::string_view::npos;
  return options;
}

Input split(std::string_view text) {
  constexpr std::string_view kSeparator = "%%\n";
  Input input;
  const std::size_t end = text.find(kSeparator);
  input.options = read_options(text.substr(0, end));
  for (std::string_view& file : input.files) {
    const std::size_t at = text.find(kSeparator);
    if (at == std::string_view::npos) break;
    text.remove_prefix(at + kSeparator.size());
    file = text.substr(0, text.find(kSeparator));
  }
  return input;
}

simulation::SimulationConfig load(const Input& input) {
  simulation::SimulationConfig config;
  config.network = formats::parse_astra_network(input.files[0], "network.json");
  if (input.options.shared_links) simulation::analytical(config).contention = network::Contention::links;
  config.system = formats::parse_astra_system(
                      input.files[1], "system.txt",
                      {.queues_per_dimension = input.options.queues, .rendezvous = input.options.rendezvous},
                      static_cast<int>(simulation::analytical(config).dimensions.size()))
                      .config;
  config.workload = formats::parse_astra_workload(input.files[2], "workload.txt");
  config.step = Nanoseconds{1};
  return config;
}

bool small(const simulation::SimulationConfig& config) {
  int ranks = 1;
  for (const auto& dimension : simulation::analytical(config).dimensions) {
    if (dimension.size > kMostRanks) return false;
    ranks *= dimension.size;
    if (ranks > kMostRanks) return false;
  }
  if (config.workload.layers.size() > kMostLayers) return false;
  for (const workload::Layer& layer : config.workload.layers) {
    for (const workload::Pass* pass : {&layer.forward, &layer.input_gradient, &layer.weight_gradient}) {
      if (!pass->communication) continue;
      const std::int64_t size = pass->communication->size.count();
      const std::int64_t nominal = std::max<std::int64_t>(1, size / config.system.splits);
      if (size > kMostBytes || size / nominal > kMostChunks) return false;
    }
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  simulation::SimulationConfig config;
  if (!fuzz::accepts([&] { config = load(split(fuzz::as_text(data, size))); }) || !small(config)) return 0;
  fuzz::check_run(config);
  return 0;
}
