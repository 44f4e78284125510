#include "overture/formats/astra/system_text.h"

#include <cctype>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/text.h"
#include "overture/formats/astra/key_values.h"

namespace overture::formats {

using namespace system;
namespace {

const std::vector<std::string> kSystemKeys{"scheduling-policy",
                                           "endpoint-delay",
                                           "active-chunks-per-dimension",
                                           "preferred-dataset-splits",
                                           "boost-mode",
                                           "all-reduce-implementation",
                                           "reduce-scatter-implementation",
                                           "all-gather-implementation",
                                           "all-to-all-implementation",
                                           "collective-optimization",
                                           "intra-dimension-scheduling",
                                           "inter-dimension-scheduling",
                                           "local-reduction-delay",
                                           "model-shared-bus",
                                           "L",
                                           "o",
                                           "g",
                                           "G",
                                           "seprate-log"};

const std::vector<std::string> kAlgorithms{
    "ring",    "direct",    "direct<window>",    "halvingDoubling",   "doubleBinaryTree",
    "oneRing", "oneDirect", "oneDirect<window>", "oneHalvingDoubling"};

using SystemReader = KeyValues;

template <class T>
T choice(const SystemReader& reader, const std::string& key,
         const std::vector<std::pair<std::string, T>>& choices) {
  std::vector<std::string> known;
  for (const auto& [text, value] : choices) {
    if (text == reader.word(key)) return value;
    known.push_back(text);
  }
  reader.fail(key, fmt::format("unknown value \"{}\"", reader.word(key)), suggest(reader.word(key), known));
}

Implementation read_implementation(const SystemReader& reader, const std::string& key, CollectiveKind kind,
                                   int dimensions, const AstraSystemOptions& options) {
  const std::vector<std::string> words = split(reader.word(key), '_');
  Implementation implementation;
  for (const std::string& word : words) {
    const bool flat = word.starts_with("one");
    std::string bare = flat ? word.substr(3) : word;
    if (flat && !bare.empty()) bare[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(bare[0])));
    const Result<Algorithm> algorithm = parse_astra_algorithm(bare);
    if (!algorithm || (flat && algorithm.value().kind == system::kDoubleBinaryTree)) {
      reader.fail(key, fmt::format("unknown algorithm \"{}\"", word), suggest(word, kAlgorithms));
    }
    if (flat && words.size() > 1) {
      reader.fail(key, fmt::format("\"{}\" spans all dimensions, so it must be the only one", word));
    }
    if (kind == CollectiveKind::all_to_all && !options.unused_all_to_all &&
        (algorithm.value().kind == system::kHalvingDoubling ||
         algorithm.value().kind == system::kDoubleBinaryTree)) {
      reader.fail(key, fmt::format("{} cannot do an all-to-all", word), "use ring or direct");
    }
    implementation.flat = implementation.flat || flat;
    implementation.per_dimension.push_back(algorithm.value());
  }
  auto& algorithms = implementation.per_dimension;
  const auto count = static_cast<int>(words.size());
  if (!implementation.flat && count < dimensions && count >= dimensions - options.optional_dimensions)
    algorithms.resize(static_cast<std::size_t>(dimensions));
  if (!implementation.flat && static_cast<int>(algorithms.size()) != dimensions) {
    reader.fail(key,
                fmt::format("has {}, but the network has {}",
                            counted(static_cast<std::int64_t>(words.size()), "algorithm"),
                            counted(dimensions, "dimension")),
                "join one algorithm per dimension with '_', such as ring_direct_halvingDoubling");
  }
  return implementation;
}

constexpr int kMany = 1'000'000'000;

int integer_or(const SystemReader& reader, const std::string& key, int otherwise, int least,
               int most = kMany) {
  return reader.has(key) ? reader.integer(key, least, most) : otherwise;
}

Duration read_endpoint_delay(const SystemReader& reader, float scale) {
  const int delay = integer_or(reader, "endpoint-delay", 10, 0);
  const double scaled = delay * static_cast<double>(scale);
  if (!(scaled <= kMany))
    reader.fail("endpoint-delay", fmt::format("{} times {} is too large", delay, scale));
  return Nanoseconds{static_cast<std::int64_t>(scaled)};
}

void read_orders(const SystemReader& reader, SystemConfig& config) {
  if (reader.has("intra-dimension-scheduling")) {
    config.intra_order =
        choice<IntraOrder>(reader, "intra-dimension-scheduling",
                           {{"FIFO", IntraOrder::fifo},
                            {"RG", IntraOrder::rg},
                            {"SCF", IntraOrder::smallest_first},
                            {"smallestFirst", IntraOrder::smallest_first},
                            {"lessRemainingPhaseFirst", IntraOrder::less_remaining_phase_first}});
  }
  if (reader.has("inter-dimension-scheduling")) {
    config.inter_order = choice<InterOrder>(reader, "inter-dimension-scheduling",
                                            {{"baseline", InterOrder::ascending},
                                             {"ascending", InterOrder::ascending},
                                             {"roundRobin", InterOrder::round_robin},
                                             {"themis", InterOrder::themis},
                                             {"offlineGreedy", InterOrder::themis},
                                             {"themisFlex", InterOrder::themis_flex},
                                             {"offlineGreedyFlex", InterOrder::themis_flex}});
  }
}

std::optional<SharedBus> read_bus(const SystemReader& reader) {
  const int reduction = integer_or(reader, "local-reduction-delay", 1, 0);
  if (integer_or(reader, "model-shared-bus", 0, 0, 1) == 0) return std::nullopt;
  // The original truncates L, o and g to whole cycles.
  const auto cycles = [&](const char* key) {
    return Nanoseconds{static_cast<std::int64_t>(reader.number(key, 0, kMany))};
  };
  return SharedBus{.latency = cycles("L"),
                   .overhead = cycles("o"),
                   .gap = cycles("g"),
                   .gap_per_byte_ns = reader.number("G", 0, kMany),
                   .local_reduction = Nanoseconds{reduction}};
}

}  // namespace

Result<Algorithm> parse_astra_algorithm(std::string_view word) {
  if (word == "ring") return Algorithm{system::kRing};
  if (word == "halvingDoubling") return Algorithm{system::kHalvingDoubling};
  if (word == "doubleBinaryTree") return Algorithm{system::kDoubleBinaryTree};
  constexpr std::string_view kDirect = "direct";
  if (word.starts_with(kDirect)) {
    Algorithm algorithm{system::kDirect};
    const std::string_view window = word.substr(kDirect.size());
    if (window.empty()) return algorithm;
    algorithm.window = parse_number<int>(window).value_or(0);
    if (algorithm.window > 0) return algorithm;
  }
  return Error{fmt::format("unknown algorithm \"{}\"", word)};
}

AstraSystem parse_astra_system(std::string_view text, const std::string& file,
                               const AstraSystemOptions& options, int dimensions) {
  const SystemReader reader(text, file, kSystemKeys, SystemReader::Again::counts);
  AstraSystem result;
  SystemConfig& config = result.config;
  config.cycle = Nanoseconds{1};
  config.tree_always_reduces = true;
  config.scheduling = choice<SchedulingPolicy>(
      reader, "scheduling-policy", {{"LIFO", SchedulingPolicy::lifo}, {"FIFO", SchedulingPolicy::fifo}});
  config.endpoint_delay = read_endpoint_delay(reader, options.injection_scale);
  config.active_chunks = integer_or(reader, "active-chunks-per-dimension", config.active_chunks, 1);
  config.splits = reader.integer("preferred-dataset-splits", 1, kMany);
  config.queues_per_dimension = options.queues_per_dimension;
  config.rendezvous = options.rendezvous;
  for (const auto& [key, kind] : {std::pair{"all-reduce-implementation", CollectiveKind::all_reduce},
                                  std::pair{"reduce-scatter-implementation", CollectiveKind::reduce_scatter},
                                  std::pair{"all-gather-implementation", CollectiveKind::all_gather},
                                  std::pair{"all-to-all-implementation", CollectiveKind::all_to_all}}) {
    config.implementation(kind) = read_implementation(reader, key, kind, dimensions, options);
  }
  config.optimization = choice<Optimization>(
      reader, "collective-optimization",
      {{"baseline", Optimization::baseline}, {"localBWAware", Optimization::local_bandwidth_aware}});
  read_orders(reader, config);
  integer_or(reader, "boost-mode", 0, 0, 1);  // all ranks behave alike: nothing to boost
  config.shared_bus = read_bus(reader);
  result.write_reports = integer_or(reader, "seprate-log", 1, 0, 1) == 1;
  return result;
}

}  // namespace overture::formats
