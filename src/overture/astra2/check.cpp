#include "overture/astra2/check.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/text.h"

namespace overture::astra2 {
namespace {

using chakra::Has;
using chakra::Node;
using chakra::NodeKind;

class NodeChecker {
 public:
  NodeChecker(const Config& config, const Program& program, int npu)
      : config_(config), program_(program), npu_(npu) {}

  void check(const Node& node) {
    node_ = &node;
    if (config_.system.replay_only) return;
    if (static_cast<int>(node.kind) >= chakra::kNodeKinds)
      fail("type", fmt::format("{} is a kind that ASTRA-sim does not simulate", static_cast<int>(node.kind)));
    if (node.communicates() && node.on_cpu())
      fail("is_cpu_op", "a communication cannot run on the CPU", "set it to false");
    if (node.kind == NodeKind::memory_load || node.kind == NodeKind::memory_store) memory();
    if (node.kind == NodeKind::compute && config_.system.roofline && !node.on_cpu()) roofline();
    if (node.kind == NodeKind::send || node.kind == NodeKind::receive) point_to_point();
    if (node.kind == NodeKind::collective) collective();
  }

 private:
  [[noreturn]] void fail(std::string_view field, std::string_view what, std::string_view hint = {}) const {
    throw UserError({.file = program_.trace.file, .key = fmt::format("node {}: {}", node_->id, field)}, what,
                    hint);
  }
  void require(Has what, std::string_view field) const {
    if (!node_->is(what)) fail(field, "is missing", fmt::format("a {} node needs it", name(node_->kind)));
  }

  void memory() const {
    require(Has::tensor_size, "tensor_size");
    if (config_.memory.kind == MemoryFile::Kind::none)
      fail("type", "remote memory is used, but the memory file says NO_MEMORY_EXPANSION");
  }

  void roofline() const {
    require(Has::num_ops, "num_ops");
    require(Has::tensor_size, "tensor_size");
  }

  void point_to_point() const {
    require(Has::comm_size, "comm_size");
    require(Has::tag, "comm_tag");
    const bool sends = node_->kind == NodeKind::send;
    const std::string_view other = sends ? "comm_dst" : "comm_src";
    const std::string_view own = sends ? "comm_src" : "comm_dst";
    require(sends ? Has::destination : Has::source, other);
    const std::uint32_t peer = sends ? node_->destination : node_->source;
    const bool says_own = node_->is(sends ? Has::source : Has::destination);
    const std::uint32_t said = sends ? node_->source : node_->destination;
    if (says_own && said != static_cast<std::uint32_t>(npu_))
      fail(own, fmt::format("is {}, but this is the trace of rank {}", said, npu_));
    if (peer >= static_cast<std::uint32_t>(config_.network.npus()))
      fail(other,
           fmt::format("rank {} does not exist; the network has {} NPUs", peer, config_.network.npus()));
    if (peer == static_cast<std::uint32_t>(npu_)) fail(other, "a rank cannot send to itself");
    if (node_->comm_size == 0)
      fail("comm_size", "is 0; ASTRA-sim stops at an empty message", "at least 1 byte");
  }

  void collective() const {
    require(Has::comm_type, "comm_type");
    require(Has::comm_size, "comm_size");
    using chakra::Collective;
    switch (node_->collective()) {
      case Collective::all_reduce: return played(Played::all_reduce);
      case Collective::all_gather: return played(Played::all_gather);
      case Collective::reduce_scatter: return played(Played::reduce_scatter);
      case Collective::all_to_all: return played(Played::all_to_all);
      case Collective::broadcast: return;
      default:
        fail("comm_type", fmt::format("ASTRA-sim does not simulate {}", name(node_->collective())),
             "`overture simulate` with workload.chakra plays a barrier");
    }
  }

  void played(Played kind) const {
    const auto k = static_cast<std::size_t>(kind);
    const bool own = config_.system.custom_nodes.contains(node_->id) || !config_.system.custom[k].empty();
    if (!own && config_.system.implementations[k].empty()) {
      throw UserError({.file = config_.system.file, .key = implementation_key(kind)}, "is missing",
                      fmt::format("node {} of {} needs it", node_->id, program_.trace.file));
    }
    if (config_.system.splits <= 0)
      throw UserError({.file = config_.system.file, .key = "preferred-dataset-splits"}, "is missing",
                      "such as 4");
    if (!own && kind == Played::all_gather &&
        node_->comm_size < static_cast<std::uint64_t>(config_.system.splits))
      fail("comm_size", "an all-gather of fewer bytes than preferred-dataset-splits has empty chunks");
    const bool reduces = kind == Played::all_reduce || kind == Played::reduce_scatter;
    if (reduces && !own && config_.system.memory_bytes_per_s <= 0)
      throw UserError({.file = config_.system.file, .key = "local-mem-bw"}, "is missing or 0",
                      "reductions take their time from it, in GB/s");
    group();
  }

  void group() const {
    const std::string_view text = program_.trace.group(*node_);
    if (text.empty()) return;
    const auto number = parse_number<int>(text);
    if (!number)
      fail("pg_name", fmt::format("\"{}\" is not a number", text),
           "groups are named by numbers, as in the group file");
    const auto found = config_.groups.find(*number);
    if (found == config_.groups.end())
      fail("pg_name", fmt::format("there is no group {}", *number),
           "give the group file with --comm-group-configuration");
    if (std::find(found->second.begin(), found->second.end(), npu_) == found->second.end())
      fail("pg_name", fmt::format("rank {} is not in group {}", npu_, *number));
  }

  const Config& config_;
  const Program& program_;
  int npu_;
  const Node* node_ = nullptr;
};

}  // namespace

void require_runnable(const Config& config, const Program& program, int npu) {
  NodeChecker checker(config, program, npu);
  for (const Node& node : program.trace.nodes) checker.check(node);
}

}  // namespace overture::astra2
