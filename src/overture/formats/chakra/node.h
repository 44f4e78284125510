// One rank's Chakra execution trace in memory: nodes with what they do, what they wait for and what they
// carry. The file format is reader.h's and writer.h's business; what a node costs is the simulator's. A node
// takes sizeof(Node), its name and four bytes for every parent: some 130 bytes in all.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace overture::chakra {

// Numbers as in the files; what is above collective is newer than we are and is kept as it came.
enum class NodeKind : std::uint8_t {
  invalid = 0,
  metadata = 1,
  memory_load = 2,
  memory_store = 3,
  compute = 4,
  send = 5,
  receive = 6,
  collective = 7,
};
constexpr int kNodeKinds = 8;
std::string_view name(NodeKind kind);

enum class Collective : std::uint8_t {
  all_reduce = 0,
  reduce = 1,
  all_gather = 2,
  gather = 3,
  scatter = 4,
  broadcast = 5,
  all_to_all = 6,
  reduce_scatter = 7,
  reduce_scatter_block = 8,
  barrier = 9,
};
constexpr int kCollectives = 10;
std::string_view name(Collective kind);

// Which attributes a node has; the others hold 0.
enum class Has : std::uint16_t {
  comm_type = 1,
  comm_size = 2,
  tensor_size = 4,
  num_ops = 8,
  source = 16,
  destination = 32,
  tag = 64,
  dimensions = 128,
  cpu = 256,  // is_cpu_op, and it is true
  cpu_said = 512,
  nanoseconds = 1024,
};

struct Node {
  std::uint64_t id = 0;
  std::uint64_t start_micros = 0;
  std::uint64_t duration_micros = 0;
  std::uint64_t duration_ns = 0;  // only with Has::nanoseconds: our own, finer attribute
  std::uint64_t comm_size = 0;
  std::uint64_t tensor_size = 0;
  std::uint64_t num_ops = 0;
  std::uint32_t name_begin = 0;
  std::uint32_t name_size = 0;
  std::uint32_t first_parent = 0;
  std::uint32_t parents = 0;
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::uint32_t tag = 0;
  std::uint32_t priority = 0;
  std::uint32_t group = 0;        // place in RankTrace::group_names(); 0 is everybody
  std::uint32_t dimensions = 0;   // bit d: the collective involves dimension d
  std::uint32_t extra_begin = 0;  // fields that we do not know, as they came
  std::uint32_t extra_size = 0;
  std::uint16_t has = 0;
  NodeKind kind = NodeKind::invalid;
  std::uint8_t comm_type = 0;

  bool is(Has what) const { return (has & static_cast<std::uint16_t>(what)) != 0; }
  void set(Has what) { has = static_cast<std::uint16_t>(has | static_cast<std::uint16_t>(what)); }
  bool on_cpu() const { return is(Has::cpu); }
  bool communicates() const {
    return kind == NodeKind::send || kind == NodeKind::receive || kind == NodeKind::collective;
  }
  Collective collective() const { return static_cast<Collective>(comm_type); }
};

class RankTrace {
 public:
  // Where it came from, for messages.
  std::string file;
  std::string version;
  std::vector<Node> nodes;             // in the order of the file
  std::vector<std::uint32_t> parents;  // places in `nodes`, node by node
  std::string names;                   // of all nodes, one after the other
  std::string extras;                  // likewise, what we do not know
  std::string metadata;                // attributes of the whole file, as they came
  std::vector<std::string> group_names{""};
  // Attributes that nobody here reads: name and how often. Only the first hundred names.
  std::vector<std::pair<std::string, std::uint64_t>> unknown;

  std::string_view name(const Node& node) const {
    return std::string_view(names).substr(node.name_begin, node.name_size);
  }
  std::string_view extra(const Node& node) const {
    return std::string_view(extras).substr(node.extra_begin, node.extra_size);
  }
  std::span<const std::uint32_t> parents_of(const Node& node) const {
    return std::span(parents).subspan(node.first_parent, node.parents);
  }
  // The name of a node's group; empty if it is everybody.
  std::string_view group(const Node& node) const {
    const std::string& name = group_names[node.group];
    return name == "0" ? std::string_view() : name;
  }
  // Bytes that it occupies.
  std::size_t memory() const;
};

// The dependencies seen from the parents, to walk a trace from its first nodes to its last.
struct Dependents {
  std::vector<std::uint32_t> missing;                // parents of each node
  std::vector<std::vector<std::uint32_t>> children;  // of each node
  std::vector<std::uint32_t> ready;                  // nodes without parents
};
Dependents dependents_of(const RankTrace& trace);

}  // namespace overture::chakra
