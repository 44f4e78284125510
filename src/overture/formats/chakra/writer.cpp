#include "overture/formats/chakra/writer.h"

#include <algorithm>

#include <protozero/pbf_writer.hpp>

#include "overture/base/check.h"
#include "overture/base/files.h"
#include "overture/base/gzip.h"
#include "overture/formats/chakra/records.h"

namespace overture::chakra {
namespace {

using protozero::pbf_writer;

// One attribute at a time; the field numbers are those of the value types.
class AttributeWriter {
 public:
  explicit AttributeWriter(pbf_writer& node) : node_(node) {}

  void flag(const char* name, bool value) {
    add(name, [value](pbf_writer& a) { a.add_bool(27, value); });
  }
  void int32(const char* name, std::uint32_t value) {
    add(name, [value](pbf_writer& a) { a.add_int32(7, static_cast<std::int32_t>(value)); });
  }
  void int64(const char* name, std::uint64_t value) {
    add(name, [value](pbf_writer& a) { a.add_int64(9, static_cast<std::int64_t>(value)); });
  }
  void uint64(const char* name, std::uint64_t value) {
    add(name, [value](pbf_writer& a) { a.add_uint64(13, value); });
  }
  void text(const char* name, const std::string& value) {
    add(name, [&value](pbf_writer& a) { a.add_string(29, value); });
  }
  void flags(const char* name, std::uint32_t bits) {
    add(name, [bits](pbf_writer& a) {
      std::string list;
      {
        pbf_writer writer(list);
        std::string packed;
        for (std::uint32_t rest = bits; rest != 0 || packed.size() < 4; rest >>= 1)
          packed.push_back(static_cast<char>(rest & 1U));
        writer.add_bytes(1, packed);
      }
      a.add_message(28, list);
    });
  }

 private:
  template <class F>
  void add(const char* name, F value) {
    std::string message;
    pbf_writer attribute(message);
    attribute.add_string(1, name);
    value(attribute);
    node_.add_message(10, message);
  }

  pbf_writer& node_;
};

void write_attributes(pbf_writer& writer, const RankTrace& trace, const Node& node) {
  AttributeWriter attribute(writer);
  if (node.is(Has::cpu_said) || node.is(Has::cpu)) attribute.flag("is_cpu_op", node.on_cpu());
  if (node.is(Has::comm_type)) attribute.int64("comm_type", node.comm_type);
  if (node.is(Has::comm_size)) attribute.int64("comm_size", node.comm_size);
  if (node.group != 0) attribute.text("pg_name", trace.group_names[node.group]);
  if (node.is(Has::dimensions)) attribute.flags("involved_dim", node.dimensions);
  if (node.priority != 0) attribute.int32("comm_priority", node.priority);
  if (node.is(Has::source)) attribute.int32("comm_src", node.source);
  if (node.is(Has::destination)) attribute.int32("comm_dst", node.destination);
  if (node.is(Has::tag)) attribute.int32("comm_tag", node.tag);
  if (node.is(Has::num_ops)) attribute.int64("num_ops", node.num_ops);
  if (node.is(Has::tensor_size)) attribute.uint64("tensor_size", node.tensor_size);
  if (node.is(Has::nanoseconds)) attribute.uint64("duration_ns", node.duration_ns);
}

std::string encode_node(const RankTrace& trace, const Node& node) {
  std::string record;
  pbf_writer writer(record);
  writer.add_uint64(1, node.id);
  writer.add_string(2, std::string(trace.name(node)));
  writer.add_enum(3, static_cast<std::int32_t>(node.kind));
  std::vector<std::uint64_t> parents;
  for (const std::uint32_t parent : trace.parents_of(node)) parents.push_back(trace.nodes[parent].id);
  if (!parents.empty()) writer.add_packed_uint64(5, parents.begin(), parents.end());
  if (node.start_micros != 0) writer.add_uint64(6, node.start_micros);
  if (node.duration_micros != 0) writer.add_uint64(7, node.duration_micros);
  write_attributes(writer, trace, node);
  record += trace.extra(node);
  return record;
}

}  // namespace

std::uint32_t add_node(RankTrace& trace, Node node, std::string_view name,
                       std::span<const std::uint32_t> parents) {
  node.name_begin = static_cast<std::uint32_t>(trace.names.size());
  node.name_size = static_cast<std::uint32_t>(name.size());
  trace.names += name;
  node.first_parent = static_cast<std::uint32_t>(trace.parents.size());
  node.parents = static_cast<std::uint32_t>(parents.size());
  trace.parents.insert(trace.parents.end(), parents.begin(), parents.end());
  trace.nodes.push_back(node);
  return static_cast<std::uint32_t>(trace.nodes.size() - 1);
}

std::uint32_t group_place(RankTrace& trace, std::string_view name) {
  const auto found = std::find(trace.group_names.begin(), trace.group_names.end(), name);
  if (found == trace.group_names.end()) {
    trace.group_names.emplace_back(name);
    return static_cast<std::uint32_t>(trace.group_names.size() - 1);
  }
  return static_cast<std::uint32_t>(found - trace.group_names.begin());
}

std::string encode(const RankTrace& trace) {
  std::string metadata = trace.metadata;
  if (metadata.empty()) pbf_writer(metadata).add_string(1, trace.version.empty() ? "0.0.4" : trace.version);
  std::string file;
  append_record(file, metadata);
  for (const Node& node : trace.nodes) append_record(file, encode_node(trace, node));
  return file;
}

void write_trace(const RankTrace& trace, const std::filesystem::path& file) {
  const std::string text = encode(trace);
  write_file(file, file.extension() == ".gz" ? gzipped(text) : text);
}

}  // namespace overture::chakra
