#include "overture/formats/chakra/reader.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>
#include <protozero/pbf_reader.hpp>

#include "overture/base/error.h"
#include "overture/formats/chakra/attribute.h"
#include "overture/formats/chakra/records.h"

namespace overture::chakra {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

// More would overflow times in picoseconds and sums of bytes.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 50;
constexpr std::uint64_t kMostMicros = 100ULL * 24 * 3600 * 1'000'000;  // a hundred days
constexpr std::size_t kMostUnknownNames = 100;
constexpr std::size_t kMostArena = 0xffff'ffff;

std::string_view bytes_of(const protozero::data_view& data) { return {data.data(), data.size()}; }

class TraceReader {
 public:
  TraceReader(const std::string& file, const ReadOptions& options) : options_(options), records_(file) {
    trace_.file = file;
  }

  RankTrace read() {
    std::string_view record;
    if (!records_.next(record)) fail("has no records", "a trace begins with a metadata record");
    if (!is_node(record)) {
      take_metadata(record);
    } else {
      take(record);  // the oldest generators wrote no metadata
    }
    while (records_.next(record)) take(record);
    if (trace_.nodes.empty()) fail("has no nodes", "a trace without work cannot be simulated");
    resolve_parents();
    check_cycles();
    trace_.names.shrink_to_fit();
    trace_.nodes.shrink_to_fit();
    trace_.parents.shrink_to_fit();
    return std::move(trace_);
  }

 private:
  [[noreturn]] void fail(std::string_view what, std::string_view hint = {}) const {
    throw UserError({.file = trace_.file}, what, hint);
  }
  [[noreturn]] void fail_node(std::uint64_t id, std::string_view field, std::string_view what,
                              std::string_view hint = {}) const {
    throw UserError({.file = trace_.file, .key = fmt::format("node {}: {}", id, field)}, what, hint);
  }

  // A node begins with its id, a varint; metadata with a text or a message.
  static bool is_node(std::string_view record) { return !record.empty() && record.front() == '\x08'; }

  void take_metadata(std::string_view record) {
    try {
      pbf_reader reader(record.data(), record.size());
      while (reader.next()) {
        const bool text = reader.wire_type() == pbf_wire_type::length_delimited;
        if (reader.tag() == 1 && text) {
          const std::string_view value = bytes_of(reader.get_view());
          // Before it had a version, the metadata's first field was an attribute.
          if (!value.empty() && value.front() != '\x0a') trace_.version = value;
        } else {
          reader.skip();
        }
      }
    } catch (const protozero::exception& e) {
      fail(
          fmt::format("at byte {}: the metadata is not a protobuf message ({})", records_.offset(), e.what()),
          "a Chakra trace is a file of protobuf records, plain or gzipped");
    }
    if (options_.keep_unknown) trace_.metadata = record;
  }

  void take(std::string_view record) {
    Node& node = trace_.nodes.emplace_back();
    node.first_parent = static_cast<std::uint32_t>(parent_ids_.size());
    node.extra_begin = static_cast<std::uint32_t>(trace_.extras.size());
    try {
      // Only in the proto2 schemas attributes are field 11, and then field 5 is a text.
      if (!dialect_) dialect_ = dialect_of(record);
      pbf_reader reader(record.data(), record.size());
      const char* from = record.data();
      while (reader.next()) {
        take_field(node, reader, from);
        from = reader.data().data();
      }
    } catch (const protozero::exception& e) {
      fail(fmt::format("at byte {}: node {}: the record is not a protobuf message ({})", records_.offset(),
                       node.id, e.what()),
           "a Chakra trace is a file of protobuf records, plain or gzipped");
    }
    node.parents = static_cast<std::uint32_t>(parent_ids_.size()) - node.first_parent;
    node.extra_size = static_cast<std::uint32_t>(trace_.extras.size()) - node.extra_begin;
    if (parent_ids_.size() > kMostArena || trace_.names.size() > kMostArena ||
        trace_.extras.size() > kMostArena)
      fail("is too large: more than 4 GiB of names, parents or attributes");
  }

  static std::optional<Dialect> dialect_of(std::string_view record) {
    pbf_reader reader(record.data(), record.size());
    std::optional<Dialect> found;
    while (reader.next()) {
      const bool message = reader.wire_type() == pbf_wire_type::length_delimited;
      if (reader.tag() == 11 && message) {
        if (is_proto2_attribute(bytes_of(reader.get_view()))) return Dialect::proto2;
        continue;
      }
      if (reader.tag() == 10 && message) found = Dialect::current;
      reader.skip();
    }
    return found;
  }

  // Its second field is a number, the type; since 0.0.4 it is a text.
  static bool is_proto2_attribute(std::string_view message) {
    pbf_reader reader(message.data(), message.size());
    bool typed = false;
    while (reader.next()) {
      typed = typed || (reader.tag() == 2 && reader.wire_type() == pbf_wire_type::varint);
      reader.skip();
    }
    return typed;
  }

  void take_field(Node& node, pbf_reader& reader, const char* from) {
    const bool number = reader.wire_type() == pbf_wire_type::varint;
    const bool bytes = reader.wire_type() == pbf_wire_type::length_delimited;
    const bool old = dialect_ == Dialect::proto2;
    const auto tag = reader.tag();
    if (tag == 1 && number) {
      node.id = reader.get_uint64();
    } else if (tag == 2 && bytes) {
      take_name(node, bytes_of(reader.get_view()));
    } else if (tag == 3 && number) {
      take_kind(node, reader.get_uint64());
    } else if ((tag == 4 || (tag == 5 && !old)) && (number || bytes)) {
      take_parents(reader, number);
    } else if (tag == 6 && number && !old) {
      node.start_micros = reader.get_uint64();
    } else if (tag == 7 && number && !old) {
      node.duration_micros = reader.get_uint64();
      if (node.duration_micros > kMostMicros)
        fail_node(node.id, "duration_micros", "is longer than a hundred days");
    } else if (((tag == 10 && !old) || (tag == 11 && old)) && bytes) {
      take_attribute(node, bytes_of(reader.get_view()), from, reader);
    } else {
      reader.skip();
      keep(node, from, reader);
    }
  }

  void take_name(Node& node, std::string_view name) {
    if (!options_.names) return;
    node.name_begin = static_cast<std::uint32_t>(trace_.names.size());
    node.name_size = static_cast<std::uint32_t>(name.size());
    trace_.names += name;
  }

  void take_kind(Node& node, std::uint64_t kind) {
    if (kind > 255) fail_node(node.id, "type", fmt::format("{} is no node type", kind));
    node.kind = static_cast<NodeKind>(kind);
  }

  void take_parents(pbf_reader& reader, bool single) {
    if (single) return parent_ids_.push_back(reader.get_uint64());
    for (const std::uint64_t id : reader.get_packed_uint64()) parent_ids_.push_back(id);
  }

  void keep(const Node& node, const char* from, const pbf_reader& reader) {
    // Fields of the proto2 schemas would mean something else in what is written; its attributes, field 11,
    // even to a reader that has seen no others. Process groups come in a metadata node's inputs.
    const bool means_the_same = dialect_ != Dialect::proto2 && reader.tag() != 11;
    if (options_.keep_unknown ? !means_the_same : node.kind != NodeKind::metadata) return;
    trace_.extras.append(from, static_cast<std::size_t>(reader.data().data() - from));
  }

  void take_attribute(Node& node, std::string_view message, const char* from, const pbf_reader& reader) {
    const Attribute attribute = parse_attribute(message, *dialect_);
    if (known(node, attribute)) return;
    count_unknown(attribute.name);
    keep(node, from, reader);
  }

  bool known(Node& node, const Attribute& a) {
    const std::string_view name = a.name;
    switch (name.size()) {
      case 7:
        if (name == "num_ops") return number(node, a, Has::num_ops, node.num_ops);
        if (name == "pg_name") return group(node, a);
        if (name == "runtime" && dialect_ == Dialect::proto2) return duration(node, a);
        return false;
      case 8:
        if (name == "comm_src") return rank(node, a, Has::source, node.source);
        if (name == "comm_dst") return rank(node, a, Has::destination, node.destination);
        if (name == "comm_tag") return rank(node, a, Has::tag, node.tag);
        return false;
      case 9:
        if (name == "comm_size") return number(node, a, Has::comm_size, node.comm_size);
        if (name == "comm_type") return comm_type(node, a);
        if (name == "is_cpu_op") return cpu(node, a);
        return false;
      case 10: return name == "comm_group" && group(node, a);
      case 11:
        if (name == "tensor_size") return number(node, a, Has::tensor_size, node.tensor_size);
        if (name == "duration_ns") return number(node, a, Has::nanoseconds, node.duration_ns);
        return false;
      case 12: return name == "involved_dim" && dimensions(node, a);
      case 13: return name == "comm_priority" && rank(node, a, Has::nanoseconds, node.priority, false);
      default: return false;
    }
  }

  void require_natural(const Node& node, const Attribute& a) const {
    if (a.value == Attribute::Value::negative)
      fail_node(node.id, a.name, fmt::format("is negative: {}", static_cast<std::int64_t>(a.real)));
    if (a.value != Attribute::Value::natural) fail_node(node.id, a.name, "is not a whole number");
  }

  bool number(Node& node, const Attribute& a, Has what, std::uint64_t& value) {
    require_natural(node, a);
    if (a.number > kMostBytes)
      fail_node(node.id, a.name, fmt::format("is too large: {}", a.number), "at most 2^50");
    value = a.number;
    node.set(what);
    return true;
  }

  bool duration(Node& node, const Attribute& a) {
    require_natural(node, a);
    if (a.number > kMostMicros) fail_node(node.id, a.name, "is longer than a hundred days");
    node.duration_micros = a.number;
    return true;
  }

  bool rank(Node& node, const Attribute& a, Has what, std::uint32_t& value, bool mark = true) {
    require_natural(node, a);
    if (a.number > 0xffff'ffff) fail_node(node.id, a.name, fmt::format("is too large: {}", a.number));
    value = static_cast<std::uint32_t>(a.number);
    if (mark) node.set(what);
    return true;
  }

  bool comm_type(Node& node, const Attribute& a) {
    require_natural(node, a);
    std::uint64_t type = a.number;
    if (dialect_ == Dialect::proto2) {
      constexpr Collective kOld[] = {Collective::all_reduce, Collective::all_to_all, Collective::all_gather,
                                     Collective::reduce_scatter, Collective::broadcast};
      if (type >= std::size(kOld)) fail_node(node.id, a.name, fmt::format("{} is no collective", type));
      type = static_cast<std::uint64_t>(kOld[type]);
    }
    if (type >= kCollectives)
      fail_node(node.id, a.name, fmt::format("{} is no collective", type), "known: 0 to 9");
    node.comm_type = static_cast<std::uint8_t>(type);
    node.set(Has::comm_type);
    return true;
  }

  bool cpu(Node& node, const Attribute& a) {
    require_natural(node, a);
    node.set(Has::cpu_said);
    if (a.number != 0) node.set(Has::cpu);
    return true;
  }

  bool group(Node& node, const Attribute& a) {
    std::string text(a.text);
    if (a.value == Attribute::Value::natural)
      text = std::to_string(a.number);
    else if (a.value != Attribute::Value::text)
      fail_node(node.id, a.name, "is not a text");
    if (text == last_group_) {
      node.group = last_group_place_;
      return true;
    }
    const auto [place, added] = group_places_.try_emplace(text, trace_.group_names.size());
    if (added) trace_.group_names.push_back(text);
    last_group_ = text;
    node.group = last_group_place_ = static_cast<std::uint32_t>(text.empty() ? 0 : place->second);
    return true;
  }

  bool dimensions(Node& node, const Attribute& a) {
    if (a.value != Attribute::Value::flags) fail_node(node.id, a.name, "is not a list of true and false");
    const std::vector<bool> flags = parse_flags(a);
    if (flags.size() > 32) fail_node(node.id, a.name, "has more than 32 dimensions");
    node.dimensions = 0;
    for (std::size_t d = 0; d < flags.size(); ++d) {
      if (flags[d]) node.dimensions |= 1U << d;
    }
    node.set(Has::dimensions);
    return true;
  }

  void count_unknown(std::string_view name) {
    for (auto& [known, count] : trace_.unknown) {
      if (known == name) {
        ++count;
        return;
      }
    }
    if (trace_.unknown.size() < kMostUnknownNames)
      trace_.unknown.emplace_back(std::string(name.substr(0, 200)), 1);
  }

  // Ids to places. Most traces number their nodes in order, so that a place is found by looking beside it.
  void resolve_parents() {
    const std::vector<std::pair<std::uint64_t, std::uint32_t>> ids = sorted_ids();
    trace_.parents.reserve(parent_ids_.size());
    for (Node& node : trace_.nodes) {
      const auto begin = static_cast<std::uint32_t>(trace_.parents.size());
      for (std::uint32_t p = 0; p < node.parents; ++p) {
        const std::uint64_t id = parent_ids_[node.first_parent + p];
        trace_.parents.push_back(place_of(ids, id, node));
      }
      node.first_parent = begin;
      const auto first = trace_.parents.begin() + begin;
      if (node.parents > 1) {  // a parent may be there for its data and for its order
        std::sort(first, trace_.parents.end());
        trace_.parents.erase(std::unique(first, trace_.parents.end()), trace_.parents.end());
        node.parents = static_cast<std::uint32_t>(trace_.parents.size()) - begin;
      }
    }
    parent_ids_ = {};
  }

  std::vector<std::pair<std::uint64_t, std::uint32_t>> sorted_ids() const {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> ids;
    ids.reserve(trace_.nodes.size());
    for (const Node& node : trace_.nodes) ids.emplace_back(node.id, static_cast<std::uint32_t>(ids.size()));
    if (!std::is_sorted(ids.begin(), ids.end())) std::sort(ids.begin(), ids.end());
    for (std::size_t i = 1; i < ids.size(); ++i) {
      if (ids[i].first == ids[i - 1].first) fail_node(ids[i].first, "id", "there are two nodes with this id");
    }
    return ids;
  }

  std::uint32_t place_of(const std::vector<std::pair<std::uint64_t, std::uint32_t>>& ids, std::uint64_t id,
                         const Node& node) const {
    // Without gaps the place follows from the id.
    const std::uint64_t guess = id - ids.front().first;
    if (guess < ids.size() && ids[guess].first == id) return ids[guess].second;
    const auto found =
        std::lower_bound(ids.begin(), ids.end(), std::pair<std::uint64_t, std::uint32_t>{id, 0});
    if (found == ids.end() || found->first != id)
      fail_node(node.id, "data_deps or ctrl_deps",
                fmt::format("waits for node {}, which is not in the file", id));
    return found->second;
  }

  // Kahn's algorithm; the usual trace, whose parents come first, is seen to have no cycle on the way.
  void check_cycles() const {
    bool ordered = true;
    for (std::uint32_t n = 0; ordered && n < trace_.nodes.size(); ++n) {
      for (const std::uint32_t parent : trace_.parents_of(trace_.nodes[n])) ordered = ordered && parent < n;
    }
    if (ordered) return;
    auto [missing, children, ready] = dependents_of(trace_);
    std::size_t done = 0;
    while (done < ready.size()) {
      const std::uint32_t node = ready[done++];
      for (const std::uint32_t child : children[node]) {
        if (--missing[child] == 0) ready.push_back(child);
      }
    }
    if (done == trace_.nodes.size()) return;
    const auto stuck = std::find_if(missing.begin(), missing.end(), [](std::uint32_t m) { return m > 0; });
    report_cycle(static_cast<std::uint32_t>(stuck - missing.begin()), missing);
  }

  // Walks up from a node that never gets ready until one comes again.
  [[noreturn]] void report_cycle(std::uint32_t node, const std::vector<std::uint32_t>& missing) const {
    std::vector<bool> seen(trace_.nodes.size());
    while (!seen[node]) {
      seen[node] = true;
      for (const std::uint32_t parent : trace_.parents_of(trace_.nodes[node])) {
        if (missing[parent] > 0) {
          node = parent;
          break;
        }
      }
    }
    fail_node(trace_.nodes[node].id, "data_deps or ctrl_deps", "waits for itself, by way of other nodes");
  }

  ReadOptions options_;
  RecordReader records_;
  RankTrace trace_;
  std::optional<Dialect> dialect_;
  std::vector<std::uint64_t> parent_ids_;
  std::unordered_map<std::string, std::size_t> group_places_{{"", 0}};
  std::string last_group_;
  std::uint32_t last_group_place_ = 0;
};

}  // namespace

RankTrace read_trace(const std::string& file, const ReadOptions& options) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) throw UserError({.file = file}, "is a folder, not a trace");
  return TraceReader(file, options).read();
}

std::string rank_file(const std::string& prefix, int rank) {
  const auto place = prefix.find("%d");
  if (place == std::string::npos) return fmt::format("{}.{}.et", prefix, rank);
  return prefix.substr(0, place) + std::to_string(rank) + prefix.substr(place + 2);
}

int count_ranks(const std::string& prefix, int most) {
  int ranks = 0;
  std::error_code error;
  while (ranks < most && std::filesystem::exists(rank_file(prefix, ranks), error)) ++ranks;
  if (ranks == 0) {
    throw UserError({.file = rank_file(prefix, 0)}, "does not exist",
                    "a workload is the part before .0.et of its files, or a name with %d for the rank");
  }
  return ranks;
}

}  // namespace overture::chakra
