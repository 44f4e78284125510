#include "overture/formats/astra/system_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/text.h"

namespace overture::formats {

using namespace system;
namespace {

struct Entry {
  std::string value;
  int line = 0;
};

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

bool is_blank_in_system(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

class SystemReader {
 public:
  SystemReader(std::string_view text, const std::string& file) : file_(file) {
    int line = 1;
    std::string key;
    int key_line = 0;
    for (std::size_t i = 0; i < text.size();) {
      if (is_blank_in_system(text[i])) {
        if (text[i++] == '\n') ++line;
        continue;
      }
      const std::size_t start = i;
      while (i < text.size() && !is_blank_in_system(text[i])) ++i;
      const std::string token(text.substr(start, i - start));
      if (!key.empty()) {
        entries_[key] = {token, line};
        key.clear();
        continue;
      }
      key = token.back() == ':' ? token.substr(0, token.size() - 1) : token;
      key_line = line;
      if (token.back() != ':' ||
          std::find(kSystemKeys.begin(), kSystemKeys.end(), key) == kSystemKeys.end()) {
        throw UserError({.file = file, .line = line}, fmt::format("unknown key \"{}\"", token),
                        suggest(key, kSystemKeys));
      }
    }
    if (!key.empty()) throw UserError({.file = file, .line = key_line, .key = key}, "has no value");
  }

  [[noreturn]] void fail(const std::string& key, const std::string& what,
                         const std::string& hint = {}) const {
    const auto found = entries_.find(key);
    throw UserError({.file = file_, .line = found == entries_.end() ? 0 : found->second.line, .key = key},
                    what, hint);
  }

  bool has(const std::string& key) const { return entries_.count(key) > 0; }

  const std::string& word(const std::string& key) const {
    const auto found = entries_.find(key);
    if (found == entries_.end()) fail(key, "is missing");
    return found->second.value;
  }

  double number(const std::string& key, double least, double most) const {
    const std::string& text = word(key);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
      fail(key, fmt::format("\"{}\" is not a number", text));
    }
    if (value < least || value > most)
      fail(key, fmt::format("{} is out of range", text), fmt::format("use {} to {}", least, most));
    return value;
  }

  int integer(const std::string& key, int least, int most) const {
    const double value = number(key, least, most);
    if (value != std::trunc(value)) fail(key, fmt::format("{} is not a whole number", word(key)));
    return static_cast<int>(value);
  }

  template <class T>
  T choice(const std::string& key, const std::vector<std::pair<std::string, T>>& choices) const {
    std::vector<std::string> known;
    for (const auto& [text, value] : choices) {
      if (text == word(key)) return value;
      known.push_back(text);
    }
    fail(key, fmt::format("unknown value \"{}\"", word(key)), suggest(word(key), known));
  }

 private:
  std::string file_;
  std::map<std::string, Entry> entries_;
};

Implementation read_implementation(const SystemReader& reader, const std::string& key, CollectiveKind kind,
                                   int dimensions, const AstraSystemOptions& options) {
  const std::vector<std::string> words = split(reader.word(key), '_');
  Implementation implementation;
  for (const std::string& word : words) {
    const bool flat = word.starts_with("one");
    std::string bare = flat ? word.substr(3) : word;
    if (flat && !bare.empty()) bare[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(bare[0])));
    const Result<Algorithm> algorithm = parse_astra_algorithm(bare);
    if (!algorithm || (flat && algorithm.value().kind == AlgorithmKind::double_binary_tree)) {
      reader.fail(key, fmt::format("unknown algorithm \"{}\"", word), suggest(word, kAlgorithms));
    }
    if (flat && words.size() > 1) {
      reader.fail(key, fmt::format("\"{}\" spans all dimensions, so it must be the only one", word));
    }
    if (kind == CollectiveKind::all_to_all && !options.unused_all_to_all &&
        (algorithm.value().kind == AlgorithmKind::halving_doubling ||
         algorithm.value().kind == AlgorithmKind::double_binary_tree)) {
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

}  // namespace

Result<Algorithm> parse_astra_algorithm(std::string_view word) {
  if (word == "ring") return Algorithm{AlgorithmKind::ring};
  if (word == "halvingDoubling") return Algorithm{AlgorithmKind::halving_doubling};
  if (word == "doubleBinaryTree") return Algorithm{AlgorithmKind::double_binary_tree};
  constexpr std::string_view kDirect = "direct";
  if (word.starts_with(kDirect)) {
    Algorithm algorithm{AlgorithmKind::direct};
    const std::string_view window = word.substr(kDirect.size());
    if (window.empty()) return algorithm;
    const auto [end, error] = std::from_chars(window.data(), window.data() + window.size(), algorithm.window);
    if (error == std::errc{} && end == window.data() + window.size() && algorithm.window > 0)
      return algorithm;
  }
  return Error{fmt::format("unknown algorithm \"{}\"", word)};
}

AstraSystem parse_astra_system(std::string_view text, const std::string& file,
                               const AstraSystemOptions& options, int dimensions) {
  constexpr int kMany = 1'000'000'000;
  const SystemReader reader(text, file);
  AstraSystem result;
  SystemConfig& config = result.config;
  config.cycle = Nanoseconds{1};
  config.tree_always_reduces = true;
  config.scheduling = reader.choice<SchedulingPolicy>(
      "scheduling-policy", {{"LIFO", SchedulingPolicy::lifo}, {"FIFO", SchedulingPolicy::fifo}});
  const int delay = reader.has("endpoint-delay") ? reader.integer("endpoint-delay", 0, kMany) : 10;
  const double scaled_delay = delay * static_cast<double>(options.injection_scale);
  if (!(scaled_delay <= kMany))
    reader.fail("endpoint-delay", fmt::format("{} times {} is too large", delay, options.injection_scale));
  config.endpoint_delay = Nanoseconds{static_cast<std::int64_t>(scaled_delay)};
  if (reader.has("active-chunks-per-dimension")) {
    config.active_chunks = reader.integer("active-chunks-per-dimension", 1, kMany);
  }
  config.splits = reader.integer("preferred-dataset-splits", 1, kMany);
  config.queues_per_dimension = options.queues_per_dimension;
  config.rendezvous = options.rendezvous;
  for (const auto& [key, kind] : {std::pair{"all-reduce-implementation", CollectiveKind::all_reduce},
                                  std::pair{"reduce-scatter-implementation", CollectiveKind::reduce_scatter},
                                  std::pair{"all-gather-implementation", CollectiveKind::all_gather},
                                  std::pair{"all-to-all-implementation", CollectiveKind::all_to_all}}) {
    config.implementation(kind) = read_implementation(reader, key, kind, dimensions, options);
  }
  config.optimization = reader.choice<Optimization>(
      "collective-optimization",
      {{"baseline", Optimization::baseline}, {"localBWAware", Optimization::local_bandwidth_aware}});
  if (reader.has("intra-dimension-scheduling")) {
    config.intra_order = reader.choice<IntraOrder>(
        "intra-dimension-scheduling", {{"FIFO", IntraOrder::fifo},
                                       {"RG", IntraOrder::rg},
                                       {"SCF", IntraOrder::smallest_first},
                                       {"smallestFirst", IntraOrder::smallest_first},
                                       {"lessRemainingPhaseFirst", IntraOrder::less_remaining_phase_first}});
  }
  if (reader.has("inter-dimension-scheduling")) {
    config.inter_order = reader.choice<InterOrder>("inter-dimension-scheduling",
                                                   {{"baseline", InterOrder::ascending},
                                                    {"ascending", InterOrder::ascending},
                                                    {"roundRobin", InterOrder::round_robin},
                                                    {"themis", InterOrder::themis},
                                                    {"offlineGreedy", InterOrder::themis},
                                                    {"themisFlex", InterOrder::themis_flex},
                                                    {"offlineGreedyFlex", InterOrder::themis_flex}});
  }
  if (reader.has("boost-mode"))
    reader.integer("boost-mode", 0, 1);  // all ranks behave alike: nothing to boost
  const int reduction =
      reader.has("local-reduction-delay") ? reader.integer("local-reduction-delay", 0, kMany) : 1;
  if (reader.has("model-shared-bus") && reader.integer("model-shared-bus", 0, 1) == 1) {
    // The original truncates L, o and g to whole cycles.
    const auto cycles = [&](const char* key) {
      return Nanoseconds{static_cast<std::int64_t>(reader.number(key, 0, kMany))};
    };
    config.shared_bus = SharedBus{.latency = cycles("L"),
                                  .overhead = cycles("o"),
                                  .gap = cycles("g"),
                                  .gap_per_byte_ns = reader.number("G", 0, kMany),
                                  .local_reduction = Nanoseconds{reduction}};
  }
  if (reader.has("seprate-log")) result.write_reports = reader.integer("seprate-log", 0, 1) == 1;
  return result;
}

}  // namespace overture::formats
