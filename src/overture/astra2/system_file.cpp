// read_system() of files.h: the system JSON.
#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "overture/astra2/files.h"
#include "overture/astra2/json_object.h"
#include "overture/base/error.h"
#include "overture/base/files.h"

namespace overture::astra2 {
namespace {

void require_known(const JsonObject& object, const std::string& file) {
  std::vector<std::string> known{"scheduling-policy",
                                 "endpoint-delay",
                                 "active-chunks-per-dimension",
                                 "preferred-dataset-splits",
                                 "collective-optimization",
                                 "local-mem-bw",
                                 "peak-perf",
                                 "roofline-enabled",
                                 "replay-only",
                                 "trace-enabled",
                                 "track-local-mem",
                                 "local-mem-trace-filename",
                                 "local-reduction-delay",
                                 "L",
                                 "o",
                                 "g",
                                 "G",
                                 "model-shared-bus",
                                 "boost-mode",
                                 "intra-dimension-scheduling",
                                 "inter-dimension-scheduling",
                                 "name",
                                 "comment"};
  for (std::size_t k = 0; k < kPlayed; ++k) {
    known.push_back(implementation_key(static_cast<Played>(k)));
    known.push_back(known.back() + "-custom");
  }
  for (const auto& [key, value] : object.all().items()) {
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw UserError({.file = file, .key = key}, "is not a key of ASTRA-sim 2", suggest(key, known));
  }
}

// Of "direct4" the 4.
int window_of(const JsonObject& object, const std::string& key, const std::string& digits) {
  if (digits.empty()) return 0;
  std::size_t used = 0;
  int window = 0;
  try {
    window = std::stoi(digits.substr(0, 5), &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || window < 1)
    object.fail(key, fmt::format("\"{}\" is not a window", digits), "direct4, for example");
  return window;
}

Implementation implementation(const JsonObject& object, const std::string& key, std::string word) {
  Implementation result;
  if (word.rfind("one", 0) == 0 && word.size() > 3) {
    result.everybody = true;
    word = static_cast<char>(std::tolower(word[3])) + word.substr(4);
  }
  if (word == "ring") {
    result.algorithm.kind = system::kRing;
  } else if (word.rfind("direct", 0) == 0) {
    result.algorithm.kind = system::kDirect;
    result.algorithm.window = window_of(object, key, word.substr(6));
  } else if (word == "halvingDoubling") {
    result.algorithm.kind = system::kHalvingDoubling;
  } else if (word == "doubleBinaryTree" && !result.everybody) {
    result.algorithm.kind = system::kDoubleBinaryTree;
  } else {
    object.fail(key, fmt::format("unknown algorithm \"{}\"", word),
                "known: ring, direct, direct<W>, halvingDoubling, doubleBinaryTree, oneRing, oneDirect, "
                "oneHalvingDoubling");
  }
  return result;
}

void read_implementations(const JsonObject& object, SystemFile& system) {
  for (std::size_t k = 0; k < kPlayed; ++k) {
    const std::string key = implementation_key(static_cast<Played>(k));
    for (const std::string& word : object.texts(key))
      system.implementations[k].push_back(implementation(object, key, word));
    const std::vector<std::string> custom = object.texts(key + "-custom");
    if (custom.empty()) continue;
    if (custom.size() != 1) object.fail(key + "-custom", "must name exactly one trace");
    system.custom[k] = custom.front();
  }
}

void read_custom_nodes(const JsonObject& object, SystemFile& system) {
  const std::string file = object.text("per-node-custom-implementation", "");
  if (file.empty()) return;
  try {
    for (const auto& entry : YAML::Load(read_file(file)))
      system.custom_nodes[entry.first.as<std::uint64_t>()] = entry.second.as<std::string>();
  } catch (const YAML::Exception& e) {
    throw UserError({.file = file, .line = e.mark.is_null() ? 0 : e.mark.line + 1}, e.msg,
                    "a map from node ids to prefixes of traces");
  }
}

system::SchedulingPolicy read_policy(const JsonObject& object) {
  const std::string word = object.text("scheduling-policy", "LIFO");
  if (word == "LIFO") return system::SchedulingPolicy::lifo;
  if (word == "FIFO") return system::SchedulingPolicy::fifo;
  if (word == "EXPLICIT") return system::SchedulingPolicy::highest;
  object.fail("scheduling-policy", fmt::format("unknown policy \"{}\"", word), "known: LIFO, FIFO, EXPLICIT");
}

std::optional<system::SharedBus> read_bus(const JsonObject& object) {
  if (object.number("model-shared-bus", 0) != 1) return std::nullopt;
  // The original holds them as float.
  const auto ns = [&](const char* key) {
    return Nanoseconds{static_cast<std::int64_t>(static_cast<float>(object.number(key, 0)))};
  };
  return system::SharedBus{.latency = ns("L"),
                           .overhead = ns("o"),
                           .gap = ns("g"),
                           .gap_per_byte_ns = static_cast<double>(static_cast<float>(object.number("G", 0))),
                           .local_reduction = Nanoseconds{object.whole("local-reduction-delay", 1)}};
}

}  // namespace

SystemFile read_system(const std::string& file, double injection_scale) {
  const JsonObject object(file);
  require_known(object, file);

  SystemFile system{.file = file};
  system.policy = read_policy(object);
  const std::string optimization = object.text("collective-optimization", "baseline");
  if (optimization != "baseline" && optimization != "localBWAware")
    object.fail("collective-optimization", fmt::format("unknown word \"{}\"", optimization),
                "known: baseline, localBWAware");
  if (optimization == "localBWAware") system.optimization = system::Optimization::local_bandwidth_aware;
  if (object.has("endpoint-delay")) {
    const double delay = static_cast<double>(object.whole("endpoint-delay", 10)) * injection_scale;
    system.endpoint_delay_ns = static_cast<std::int64_t>(delay);
  }
  system.active_chunks = static_cast<int>(object.whole("active-chunks-per-dimension", 1, 1));
  system.splits = object.whole("preferred-dataset-splits", 0);
  if (object.has("preferred-dataset-splits") && (system.splits < 1 || system.splits > 1'000'000))
    object.fail("preferred-dataset-splits", "must be from 1 to 1000000");
  system.memory_bytes_per_s = object.number("local-mem-bw", 0) * 1'000'000'000;
  system.peak_flops = object.number("peak-perf", 0) * 1'000'000'000'000;
  system.roofline = object.flag("roofline-enabled");
  if (system.roofline && (system.peak_flops <= 0 || system.memory_bytes_per_s <= 0))
    object.fail("roofline-enabled", "needs peak-perf and local-mem-bw above 0");
  system.replay_only = object.flag("replay-only");
  system.trace = object.flag("trace-enabled");
  system.track_memory = object.flag("track-local-mem");
  system.shared_bus = read_bus(object);
  read_implementations(object, system);
  read_custom_nodes(object, system);
  return system;
}

}  // namespace overture::astra2
