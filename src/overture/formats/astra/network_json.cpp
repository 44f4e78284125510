#include "overture/formats/astra/network_json.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/json.h"

namespace overture::formats {

using namespace network;
namespace {

using topology::DimensionKind;

constexpr int kMaxDimensions = 10;  // size of the original's dimension masks

const std::vector<std::string> kNetworkKeys{
    "topology-name", "topologies-per-dim", "dimension-type", "dimensions-count", "units-count",
    "links-count",   "link-latency",       "link-bandwidth", "nic-latency",      "router-latency",
    "hbm-latency",   "hbm-bandwidth",      "hbm-scale"};

class NetworkReader {
 public:
  NetworkReader(std::string_view text, const std::string& file) : file_(file) {
    try {
      root_ = parse_json_or_throw(text);
    } catch (const Json::parse_error& error) {
      const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
      const int line = 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
      throw UserError({.file = file, .line = line}, "is not valid JSON");
    } catch (const Json::out_of_range&) {
      throw UserError({.file = file}, "holds a number that is out of range");
    }
    if (!root_.is_object())
      throw UserError({.file = file}, "is not a JSON object", "expected { \"topology-name\": ... }");
    for (const auto& [key, value] : root_.items()) {
      if (std::find(kNetworkKeys.begin(), kNetworkKeys.end(), key) == kNetworkKeys.end())
        fail(key, "unknown key", suggest(key, kNetworkKeys));
    }
  }

  [[noreturn]] void fail(const std::string& key, const std::string& what,
                         const std::string& hint = {}) const {
    throw UserError({.file = file_, .key = key}, what, hint);
  }

  const Json& at(const std::string& key) const {
    const auto found = root_.find(key);
    if (found == root_.end()) fail(key, "is missing", "all keys are required");
    return *found;
  }

  int integer(const std::string& key) const { return to_int(at(key), key); }

  std::string word(const std::string& key) const {
    if (!at(key).is_string()) fail(key, "must be a string");
    return at(key).get<std::string>();
  }

  std::vector<double> numbers(const std::string& key) const {
    std::vector<double> values;
    for (const Json& item : list(key)) {
      if (!item.is_number()) fail(key, "must be a list of numbers");
      values.push_back(item.get<double>());
    }
    return values;
  }

  std::vector<int> integers(const std::string& key) const {
    std::vector<int> values;
    for (const Json& item : list(key)) values.push_back(to_int(item, key));
    return values;
  }

  std::vector<std::string> words(const std::string& key) const {
    std::vector<std::string> values;
    for (const Json& item : list(key)) {
      if (!item.is_string()) fail(key, "must be a list of strings");
      values.push_back(item.get<std::string>());
    }
    return values;
  }

 private:
  const Json& list(const std::string& key) const {
    if (!at(key).is_array()) fail(key, "must be a list, one entry per dimension");
    return at(key);
  }

  int to_int(const Json& item, const std::string& key) const {
    if (!item.is_number()) fail(key, "must be a whole number");
    const double value = item.get<double>();
    if (value != std::trunc(value) || std::abs(value) > std::numeric_limits<int>::max()) {
      fail(key, fmt::format("{} is not a whole number in range", write_json(item)));
    }
    return static_cast<int>(value);
  }

  std::string file_;
  Json root_;
};

template <class T>
void need_length(const NetworkReader& reader, const std::string& key, const std::vector<T>& values,
                 int dimensions) {
  if (static_cast<int>(values.size()) != dimensions) {
    reader.fail(key, fmt::format("has {} entries but there are {} dimensions", values.size(), dimensions));
  }
}

DimensionKind parse_kind(const NetworkReader& reader, const std::string& word) {
  if (word == "Ring") return DimensionKind::ring;
  if (word == "FullyConnected") return DimensionKind::fully_connected;
  if (word == "Switch") return DimensionKind::switched;
  reader.fail("topologies-per-dim", fmt::format("unknown topology \"{}\"", word),
              suggest(word, {"Ring", "FullyConnected", "Switch"}));
}

Packaging parse_packaging(const NetworkReader& reader, const std::string& word) {
  if (word == "T") return Packaging::tile;
  if (word == "N") return Packaging::node;
  if (word == "P") return Packaging::pod;
  if (word == "PP") return Packaging::pod_to_pod;
  reader.fail("dimension-type", fmt::format("unknown dimension type \"{}\"", word), "known: T, N, P, PP");
}

// One column of the file: the list, checked to have an entry per dimension.
template <class T>
std::vector<T> column(const NetworkReader& reader, const std::string& key, std::vector<T> values,
                      int dimensions) {
  need_length(reader, key, values, dimensions);
  return values;
}

}  // namespace

AnalyticalConfig parse_astra_network(std::string_view text, const std::string& file,
                                     const AstraNetworkOverrides& overrides) {
  const NetworkReader reader(text, file);
  if (reader.word("topology-name") != "Hierarchical") {
    reader.fail("topology-name", fmt::format("unknown topology \"{}\"", reader.word("topology-name")),
                "known: Hierarchical");
  }
  const int count = reader.integer("dimensions-count");
  if (count < 1 || count > kMaxDimensions) {
    reader.fail("dimensions-count", fmt::format("{} is out of range", count), "use 1 to 10 dimensions");
  }
  const auto kinds = column(reader, "topologies-per-dim", reader.words("topologies-per-dim"), count);
  const auto types = column(reader, "dimension-type", reader.words("dimension-type"), count);
  const auto sizes =
      column(reader, "units-count", overrides.units_count.value_or(reader.integers("units-count")), count);
  const auto links =
      column(reader, "links-count", overrides.links_count.value_or(reader.integers("links-count")), count);
  const auto latency =
      column(reader, "link-latency", overrides.link_latency.value_or(reader.numbers("link-latency")), count);
  const auto bandwidth = column(reader, "link-bandwidth",
                                overrides.link_bandwidth.value_or(reader.numbers("link-bandwidth")), count);
  const auto nic = column(reader, "nic-latency", reader.numbers("nic-latency"), count);
  const auto router = column(reader, "router-latency", reader.numbers("router-latency"), count);
  const auto memory_latency = column(reader, "hbm-latency", reader.numbers("hbm-latency"), count);
  const auto memory_bandwidth = column(reader, "hbm-bandwidth", reader.numbers("hbm-bandwidth"), count);
  const auto memory_scale = column(reader, "hbm-scale", reader.numbers("hbm-scale"), count);

  AnalyticalConfig config{.contention = Contention::none};
  double ranks = 1;
  for (std::size_t d = 0; d < static_cast<std::size_t>(count); ++d) {
    config.dimensions.push_back({.kind = parse_kind(reader, kinds[d]),
                                 .packaging = parse_packaging(reader, types[d]),
                                 .size = sizes[d],
                                 .links = links[d],
                                 .link_latency_ns = latency[d],
                                 .link_gib_per_s = bandwidth[d],  // its GB is 2^30 bytes
                                 .nic_latency_ns = nic[d],
                                 .router_latency_ns = router[d],
                                 .memory_latency_ns = memory_latency[d],
                                 .memory_bytes_per_ns = memory_bandwidth[d],
                                 .memory_scale = memory_scale[d]});
    check_dimension(config.dimensions.back(), file, fmt::format("dimension {}", d));
    ranks *= sizes[d];
  }
  if (ranks > std::numeric_limits<int>::max()) reader.fail("units-count", "makes more than 2^31 NPUs");
  return config;
}

}  // namespace overture::formats
