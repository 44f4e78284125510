#include "overture/astra2/files.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <protozero/pbf_reader.hpp>
#include <yaml-cpp/yaml.h>

#include "overture/astra2/json_object.h"
#include "overture/base/error.h"
#include "overture/base/files.h"

namespace overture::astra2 {
namespace {

using topology::DimensionKind;

constexpr int kMostNpus = 1 << 20;

template <class T>
std::vector<T> list(const YAML::Node& root, const std::string& file, const char* key) {
  const YAML::Node node = root[key];
  if (!node) throw UserError({.file = file, .key = key}, "is missing", "a list with an entry per dimension");
  if (!node.IsSequence())
    throw UserError({.file = file, .line = node.Mark().line + 1, .key = key}, "is not a list",
                    "such as [ 8 ]");
  std::vector<T> values;
  for (const YAML::Node& value : node) {
    try {
      values.push_back(value.as<T>());
    } catch (const YAML::Exception&) {
      throw UserError({.file = file, .line = value.Mark().line + 1, .key = key},
                      fmt::format("\"{}\" does not fit here", value.IsScalar() ? value.Scalar() : "a list"));
    }
  }
  return values;
}

DimensionKind dimension_kind(const std::string& word, const std::string& file) {
  if (word == "Ring") return DimensionKind::ring;
  if (word == "FullyConnected") return DimensionKind::fully_connected;
  if (word == "Switch") return DimensionKind::switched;
  throw UserError({.file = file, .key = "topology"}, fmt::format("unknown topology \"{}\"", word),
                  suggest(word, {"Ring", "FullyConnected", "Switch"}));
}

void require_sound(const NetworkFile& network, const std::string& file) {
  double npus = 1;
  for (const Dimension& dimension : network.dimensions) {
    if (dimension.npus < 2)
      throw UserError({.file = file, .key = "npus_count"}, "every dimension has at least 2 NPUs");
    if (!(dimension.gib_per_s > 0)) throw UserError({.file = file, .key = "bandwidth"}, "must be above 0");
    if (!(dimension.latency_ns >= 0))
      throw UserError({.file = file, .key = "latency"}, "must not be negative");
    npus *= dimension.npus;
  }
  if (npus > kMostNpus) throw UserError({.file = file, .key = "npus_count"}, "more than a million NPUs");
  if (network.congestion_aware && network.dimensions.size() > 1) {
    throw UserError({.file = file, .key = "topology"}, "the congestion-aware backend has one dimension only",
                    "use the congestion-unaware one, or `overture simulate` on a flow or packet network");
  }
}

}  // namespace

NetworkFile read_network(const std::string& file, bool congestion_aware) {
  NetworkFile network{.congestion_aware = congestion_aware};
  YAML::Node root;
  try {
    root = YAML::Load(read_file(file));
  } catch (const YAML::Exception& e) {
    throw UserError({.file = file, .line = e.mark.line + 1}, e.msg);
  }
  if (!root.IsMap())
    throw UserError({.file = file}, "is not a network of ASTRA-sim 2",
                    "keys: topology, npus_count, bandwidth, latency");
  const auto kinds = list<std::string>(root, file, "topology");
  const auto npus = list<int>(root, file, "npus_count");
  const auto bandwidth = list<double>(root, file, "bandwidth");
  const auto latency = list<double>(root, file, "latency");
  if (kinds.empty()) throw UserError({.file = file, .key = "topology"}, "has no dimension");
  if (npus.size() != kinds.size() || bandwidth.size() != kinds.size() || latency.size() != kinds.size()) {
    throw UserError({.file = file},
                    fmt::format("topology has {} entries, npus_count {}, bandwidth {}, latency {}",
                                kinds.size(), npus.size(), bandwidth.size(), latency.size()),
                    "one entry per dimension in each");
  }
  for (std::size_t d = 0; d < kinds.size(); ++d)
    network.dimensions.push_back({dimension_kind(kinds[d], file), npus[d], bandwidth[d], latency[d]});
  require_sound(network, file);
  return network;
}

MemoryFile read_memory(const std::string& file) {
  const JsonObject object(file);
  MemoryFile memory;
  const std::string kind = object.text("memory-type", "NO_MEMORY_EXPANSION");
  if (kind == "PER_NPU_MEMORY_EXPANSION")
    memory.kind = MemoryFile::Kind::per_npu;
  else if (kind == "PER_NODE_MEMORY_EXPANSION")
    memory.kind = MemoryFile::Kind::per_node;
  else if (kind == "MEMORY_POOL")
    memory.kind = MemoryFile::Kind::pool;
  else if (kind != "NO_MEMORY_EXPANSION")
    object.fail("memory-type", fmt::format("unknown type \"{}\"", kind),
                suggest(kind, {"NO_MEMORY_EXPANSION", "PER_NPU_MEMORY_EXPANSION", "PER_NODE_MEMORY_EXPANSION",
                               "MEMORY_POOL"}));
  memory.nodes = static_cast<int>(object.whole("num-nodes", 0));
  memory.npus_per_node = static_cast<int>(object.whole("num-npus-per-node", 0));
  memory.latency_ns = static_cast<std::uint64_t>(object.whole("remote-mem-latency", 0));
  memory.bytes_per_ns = static_cast<std::uint64_t>(object.whole("remote-mem-bw", 0));
  if (memory.kind != MemoryFile::Kind::none && memory.bytes_per_ns == 0)
    object.fail("remote-mem-bw", "is missing or below 1 GB/s", "whole GB/s");
  if (memory.kind == MemoryFile::Kind::per_node && memory.npus_per_node < 1)
    object.fail("num-npus-per-node", "is missing or 0");
  return memory;
}

std::map<int, std::vector<int>> read_groups(const std::string& file, int npus) {
  std::map<int, std::vector<int>> groups;
  if (file.find("empty") != std::string::npos) return groups;  // so says the original
  const JsonObject object(file);
  for (const auto& [key, value] : object.all().items()) {
    int number = 0;
    try {
      number = std::stoi(key);
    } catch (const std::exception&) {
      object.fail(key, "a group's name must be a number above 0");
    }
    if (number < 1) object.fail(key, "a group's name must be a number above 0", "0 means all NPUs");
    if (!value.is_array() || value.empty()) object.fail(key, "is not a list of ranks");
    std::vector<int>& ranks = groups[number];
    for (const Json& rank : value) {
      if (!rank.is_number_integer()) object.fail(key, "is not a list of ranks");
      const auto r = rank.get<std::int64_t>();
      if (r < 0 || r >= npus)
        object.fail(key, fmt::format("rank {} does not exist; there are {} NPUs", r, npus));
      if (std::find(ranks.begin(), ranks.end(), static_cast<int>(r)) != ranks.end())
        object.fail(key, fmt::format("rank {} appears twice", r));
      ranks.push_back(static_cast<int>(r));
    }
  }
  return groups;
}

Config read_config(const Files& files, bool congestion_aware) {
  if (files.queues < 1 || files.queues > 1024)
    throw UserError({.key = "--num-queues-per-dim"}, "must be from 1 to 1024");
  if (!(files.injection_scale >= 0)) throw UserError({.key = "--injection-scale"}, "must not be negative");
  Config config;
  config.network = read_network(files.network, congestion_aware);
  config.system = read_system(files.system, files.injection_scale);
  config.memory = files.memory.empty() ? MemoryFile{} : read_memory(files.memory);
  config.groups = read_groups(files.groups, config.network.npus());
  config.queues = files.queues;
  config.rendezvous = files.rendezvous;
  if (config.memory.kind == MemoryFile::Kind::per_node &&
      config.memory.nodes * config.memory.npus_per_node < config.network.npus()) {
    throw UserError({.file = files.memory, .key = "num-nodes"},
                    fmt::format("{} nodes of {} NPUs are fewer than {} NPUs", config.memory.nodes,
                                config.memory.npus_per_node, config.network.npus()));
  }
  return config;
}

std::vector<std::shared_ptr<const Program>> read_programs(const std::string& prefix, int npus,
                                                          const chakra::ReadOptions& options) {
  const int there = chakra::count_ranks(prefix, npus);
  if (there < npus) {
    throw UserError({.file = chakra::rank_file(prefix, there)}, "does not exist",
                    fmt::format("the network has {} NPUs, and every one needs a trace", npus));
  }
  std::vector<std::shared_ptr<const Program>> programs;
  std::unordered_map<std::string, std::shared_ptr<const Program>> small;  // by content
  constexpr std::size_t kSmall = std::size_t{1} << 20;
  for (int npu = 0; npu < npus; ++npu) {
    const std::string file = chakra::rank_file(prefix, npu);
    std::string content = read_file(file);
    const auto found = small.find(content);
    if (found != small.end()) {
      programs.push_back(found->second);
      continue;
    }
    programs.push_back(std::make_shared<const Program>(chakra::read_trace(file, options)));
    if (content.size() <= kSmall) small.emplace(std::move(content), programs.back());
  }
  return programs;
}

std::map<int, std::vector<int>> groups_of(const chakra::RankTrace& trace, int npus) {
  std::map<int, std::vector<int>> groups;
  for (const chakra::Node& node : trace.nodes) {
    if (node.kind != chakra::NodeKind::metadata) continue;
    const std::string_view extra = trace.extra(node);
    protozero::pbf_reader fields(extra.data(), extra.size());
    while (fields.next(8, protozero::pbf_wire_type::length_delimited)) {
      std::string text;
      protozero::pbf_reader inputs = fields.get_message();
      while (inputs.next(1, protozero::pbf_wire_type::length_delimited)) text = inputs.get_string();
      // A list in a text in a list: ['[{"pg_name": "0", "ranks": []}]'].
      if (text.size() < 4) continue;
      const Json list = parse_json(std::string_view(text).substr(2, text.size() - 4));
      if (!list.is_array()) continue;
      for (const Json& group : list) {
        if (!group.is_object() || !group.contains("pg_name") || !group.contains("ranks") ||
            !group["pg_name"].is_string())
          continue;
        std::vector<int> ranks;
        for (const Json& rank : group["ranks"]) {
          if (rank.is_number_integer()) ranks.push_back(rank.get<int>());
        }
        if (ranks.empty()) {
          for (int npu = 0; npu < npus; ++npu) ranks.push_back(npu);
        }
        groups[std::atoi(group["pg_name"].get<std::string>().c_str())] = std::move(ranks);
      }
    }
  }
  return groups;
}

std::vector<std::string> warnings(const Config& config) {
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < kPlayed; ++k) {
    const auto& list = config.system.implementations[k];
    if (list.empty() || list.size() >= config.network.dimensions.size()) continue;
    if (std::any_of(list.begin(), list.end(), [](const Implementation& i) { return i.everybody; })) continue;
    texts.push_back(fmt::format(
        "{} has {} entries for {} dimensions: as ASTRA-sim does, only the "
        "first dimensions are simulated, so the time is too short",
        implementation_key(static_cast<Played>(k)), list.size(), config.network.dimensions.size()));
  }
  if (config.system.track_memory)
    texts.emplace_back("track-local-mem: memory is not tracked, and no memory trace is written");
  return texts;
}

}  // namespace overture::astra2
