#include "overture/lookahead/trace.h"

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/json.h"
#include "overture/lookahead/row.h"

namespace overture::lookahead {
namespace {

// A value of the file and the way to it, for errors.
class Node {
 public:
  Node(const Json& value, std::string file, std::string key)
      : value_(value), file_(std::move(file)), key_(std::move(key)) {}

  [[noreturn]] void fail(std::string_view what, std::string_view hint = {}) const {
    throw UserError({.file = file_, .key = key_}, what, hint);
  }

  bool is_null() const { return value_.is_null(); }
  std::size_t size() const { return value_.size(); }

  const Node& map(const std::vector<std::string>& known) const {
    if (!value_.is_object()) fail("is not a map");
    for (const auto& [key, value] : value_.items()) {
      if (std::find(known.begin(), known.end(), key) == known.end())
        at(key).fail("unknown key", suggest(key, known));
    }
    return *this;
  }
  const Node& list() const {
    if (!value_.is_array()) fail("is not a list");
    return *this;
  }

  std::int64_t whole_number(std::int64_t most) const {
    const bool fits = value_.is_number_integer() && (!value_.is_number_unsigned() ||
                                                     value_.get<std::uint64_t>() <= std::uint64_t{INT64_MAX});
    if (!fits || value_.get<std::int64_t>() < 0 || value_.get<std::int64_t>() > most) {
      fail(fmt::format("is not a whole number from 0 to {}", most));
    }
    return value_.get<std::int64_t>();
  }
  std::int32_t small_number() const {
    return static_cast<std::int32_t>(whole_number(std::numeric_limits<std::int32_t>::max()));
  }

  std::optional<Node> find(const std::string& key) const {
    return value_.contains(key) ? std::optional(at(key)) : std::nullopt;
  }
  Node operator[](const std::string& key) const {
    if (!value_.contains(key)) fail(fmt::format("has no \"{}\"", key));
    return at(key);
  }
  Node operator[](std::size_t i) const { return {value_[i], file_, fmt::format("{}[{}]", key_, i)}; }

 private:
  Node at(const std::string& key) const {
    return {value_.at(key), file_, key_.empty() ? key : fmt::format("{}.{}", key_, key)};
  }

  const Json& value_;  // of the document, which outlives its nodes
  std::string file_;
  std::string key_;
};

PlannerConfig config(const Node& root) {
  const Node params =
      root["params"].map({"lookahead", "prefetch_depth", "cleanup_interval", "capacity", "trainers"});
  PlannerConfig config{.lookahead = params["lookahead"].small_number(),
                       .cleanup_interval = params["cleanup_interval"].small_number(),
                       .trainers = params["trainers"].small_number()};
  if (const auto depth = params.find("prefetch_depth")) config.prefetch_depth = depth->small_number();
  if (const Node capacity = params["capacity"]; !capacity.is_null())
    config.capacity = capacity.whole_number(INT64_MAX);
  config.table_rows.assign(static_cast<std::size_t>(root["tables"].whole_number(kMostTables)), kMostRows);
  if (const auto rows = root.find("table_rows")) {
    if (rows->list().size() != config.table_rows.size())
      rows->fail("has another length than there are tables");
    for (std::size_t t = 0; t < rows->size(); ++t) config.table_rows[t] = (*rows)[t].whole_number(kMostRows);
  }
  return config;
}

TraceSample sample(const Node& node, std::size_t tables) {
  if (node.list().size() != tables)
    node.fail(fmt::format("has {} tables instead of {}", node.size(), tables));
  TraceSample sample(tables);
  for (std::size_t t = 0; t < tables; ++t) {
    const Node ids = node[t].list();
    for (std::size_t i = 0; i < ids.size(); ++i) sample[t].push_back(ids[i].whole_number(kMostRows - 1));
  }
  return sample;
}

}  // namespace

LookupTrace parse_trace(std::string_view text, const std::string& file) {
  const Json document = parse_json(text);
  if (document.is_discarded()) throw UserError({.file = file}, "is not JSON");
  const Node root(document, file, "");
  root.map({"format", "name", "description", "params", "tables", "table_rows", "batches"});
  if (root["format"].whole_number(INT64_MAX) != 1) root["format"].fail("is not 1, the only format there is");
  LookupTrace trace{.file = file, .config = config(root)};
  const Node batches = root["batches"].list();
  for (std::size_t b = 0; b < batches.size(); ++b) {
    const Node samples = batches[b].list();
    auto& batch = trace.batches.emplace_back();
    for (std::size_t s = 0; s < samples.size(); ++s)
      batch.push_back(sample(samples[s], trace.config.table_rows.size()));
  }
  return trace;
}

LookupTrace read_trace(const std::filesystem::path& path) {
  return parse_trace(read_file(path), path.string());
}

void add_batch(Planner& planner, const TraceBatch& batch) {
  const auto trainers = static_cast<std::size_t>(planner.config().trainers);
  if (batch.size() % trainers != 0) {
    throw UserError(
        fmt::format("a batch of {} samples cannot be dealt out to {} trainers", batch.size(), trainers),
        "every trainer gets as many");
  }
  planner.begin_batch();
  for (std::size_t s = 0; s < batch.size(); ++s) {
    const auto trainer = static_cast<int>(s * trainers / batch.size());
    for (std::size_t t = 0; t < batch[s].size(); ++t) {
      planner.add(trainer, static_cast<std::int64_t>(t), std::span<const std::int64_t>(batch[s][t]));
    }
  }
  planner.end_batch();
}

}  // namespace overture::lookahead
