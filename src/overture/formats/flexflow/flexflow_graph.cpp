#include "overture/formats/flexflow/flexflow_graph.h"

#include <cmath>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "flexflow_generated.h"
#include <flatbuffers/flatbuffers.h>
#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/files.h"

namespace overture::formats {

using namespace workload;
namespace {

enum class Type : std::int16_t { forward = 0, backward = 1, message = 5, all_reduce = 6 };
constexpr std::int16_t kGpu = 0;
constexpr std::int16_t kPair = 14;
constexpr std::uint32_t kMostNodes = 1 << 20;
constexpr float kLongestTask = 3.6e6F;  // an hour, in milliseconds
constexpr std::uint64_t kLargest = std::uint64_t{1} << 50;

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& file, const ReductionInNode& in_node)
      : file_(file), in_node_(in_node), source_(verified(bytes)), graph_(static_cast<int>(nodes())) {}

  TaskGraph read() {
    if (source_.devices() != nullptr) {
      for (const auto* device : *source_.devices()) add_device(*device);
    }
    if (source_.tasks() == nullptr || source_.tasks()->size() == 0) fail("has no tasks");
    for (const char* name : {"forward", "backward", "message", "all-reduce"})
      labels_.push_back(graph_.add_label(name));
    for (const auto* task : *source_.tasks()) add_task(*task);
    for (const auto* task : *source_.tasks()) connect(*task);
    return std::move(graph_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw UserError({.file = file_}, what); }

  const flexflow::Graph& verified(std::string_view bytes) const {
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    flatbuffers::Verifier verifier(data, bytes.size(), 64, 1 << 30);
    if (bytes.size() < 8 || !flexflow::VerifyGraphBuffer(verifier))
      fail("is not a task graph of FlexFlow, or is cut short");
    return *flexflow::GetGraph(data);
  }

  std::uint32_t nodes() const {
    if (source_.nodes() < 1 || source_.nodes() > kMostNodes) {
      fail(fmt::format("has {} nodes; from 1 to {} would work", source_.nodes(), kMostNodes));
    }
    return source_.nodes();
  }

  Rank rank(std::uint64_t node, std::string_view whose) const {
    if (node >= source_.nodes()) {
      fail(fmt::format("{} names node {}, but nodes are 0 to {}", whose, node, source_.nodes() - 1));
    }
    return Rank{static_cast<std::int32_t>(node)};
  }

  void add_device(const flexflow::Device& device) {
    Place place{.from = Rank{0}, .to = Rank{0}, .pair = device.type() == kPair};
    if (device.type() == kGpu) {
      place.from = rank(device.node(), "a device");
    } else if (place.pair) {
      const std::uint64_t base = std::uint64_t{source_.nodes()} + source_.switches();
      place.from = rank(device.pair() / base, "a device");
      place.to = rank(device.pair() % base, "a device");
    } else {
      return;  // links of other kinds of graphs; a task on one is refused
    }
    places_[device.id()] = place;
  }

  void add_task(const flexflow::Task& task) {
    TaskId id{};
    switch (static_cast<Type>(task.type())) {
      case Type::forward:
      case Type::backward: {
        if (!(task.milliseconds() >= 0 && task.milliseconds() <= kLongestTask)) {
          fail(fmt::format("task {} takes {} ms", task.id(), task.milliseconds()));
        }
        const Duration duration{std::llround(static_cast<double>(task.milliseconds()) * 1e9)};
        id = graph_.add(ComputeTask{.rank = place(task, false).from, .duration = duration},
                        label(task.type()));
        break;
      }
      case Type::message: {
        const Place& between = place(task, true);
        id = graph_.add(MessageTask{.from = between.from, .to = between.to, .size = size(task)}, label(2));
        break;
      }
      case Type::all_reduce: id = add_all_reduce(task); break;
      default: fail(fmt::format("task {} is of type {}; 0, 1, 5 and 6 are known", task.id(), task.type()));
    }
    if (!ids_.emplace(task.id(), id).second) fail(fmt::format("task {} appears twice", task.id()));
  }

  TaskId add_all_reduce(const flexflow::Task& task) {
    std::vector<Rank> ranks;
    if (task.next() != nullptr) {
      for (const std::uint64_t node : *task.next()) ranks.push_back(rank(node, "an all-reduce"));
    }
    if (ranks.empty()) fail(fmt::format("all-reduce {} has no nodes", task.id()));
    if (std::set(ranks.begin(), ranks.end()).size() != ranks.size()) {
      fail(fmt::format("all-reduce {} names a node twice", task.id()));
    }
    const auto [group, added] = groups_.try_emplace(ranks);
    if (added) group->second = graph_.add_group(ranks);
    return graph_.add(
        CollectiveTask{.group = group->second, .size = size(task), .before = in_node_(size(task))}, label(3));
  }

  void connect(const flexflow::Task& task) {
    if (static_cast<Type>(task.type()) == Type::all_reduce || task.next() == nullptr) return;
    for (const std::uint64_t next : *task.next()) {
      const auto found = ids_.find(next);
      if (found == ids_.end())
        fail(fmt::format("task {} is followed by task {}, which does not exist", task.id(), next));
      graph_.depend(ids_.at(task.id()), found->second);
    }
  }

  Bytes size(const flexflow::Task& task) const {
    if (task.bytes() > kLargest) fail(fmt::format("task {} moves {} bytes", task.id(), task.bytes()));
    return Bytes{static_cast<std::int64_t>(task.bytes())};
  }
  LabelId label(int number) const { return labels_[static_cast<std::size_t>(number)]; }

  struct Place {
    Rank from;
    Rank to;
    bool pair;
  };
  const Place& place(const flexflow::Task& task, bool pair) const {
    const auto found = places_.find(task.device());
    if (found == places_.end() || found->second.pair != pair) {
      fail(fmt::format("task {} needs a {}, but its device {} is none", task.id(),
                       pair ? "pair of nodes" : "GPU", task.device()));
    }
    return found->second;
  }

  const std::string& file_;
  const ReductionInNode& in_node_;
  const flexflow::Graph& source_;
  TaskGraph graph_;
  std::vector<LabelId> labels_;
  std::unordered_map<std::uint64_t, Place> places_;
  std::unordered_map<std::uint64_t, TaskId> ids_;
  std::map<std::vector<Rank>, RankGroup> groups_;
};

class Writer {
 public:
  Writer(const TaskGraph& graph, int gpus_per_node)
      : graph_(graph), gpus_per_node_(gpus_per_node), next_(graph.size()) {
    for (const TaskGraph::Edge& edge : graph.edges()) {
      if (graph.kind(edge.before) == TaskKind::collective) {
        throw UserError("a task waits for an all-reduce, which FlexFlow's task graphs cannot express");
      }
      next_[index(edge.before)].push_back(index(edge.after));
    }
  }

  std::string write() {
    for (std::uint64_t node = 0; node < ranks(); ++node) {
      devices_.push_back(flexflow::CreateDevice(builder_, kGpu, node, node));
    }
    for (std::uint32_t i = 0; i < graph_.size(); ++i) tasks_.push_back(task(TaskId{i}));
    const auto tasks = builder_.CreateVector(tasks_);
    const auto devices = builder_.CreateVector(devices_);
    flexflow::GraphBuilder root(builder_);
    root.add_gpus_per_node(static_cast<std::uint32_t>(gpus_per_node_));
    root.add_nodes(static_cast<std::uint32_t>(graph_.ranks()));
    root.add_switches(kSwitches);
    root.add_tasks(tasks);
    root.add_devices(devices);
    builder_.Finish(root.Finish());
    return {reinterpret_cast<const char*>(builder_.GetBufferPointer()), builder_.GetSize()};
  }

 private:
  static constexpr std::uint32_t kSwitches = 1;  // as in the study's graphs, for any network

  std::uint64_t ranks() const { return static_cast<std::uint64_t>(graph_.ranks()); }

  flatbuffers::Offset<flexflow::Task> task(TaskId id) {
    std::vector<std::uint64_t> next = next_[index(id)];
    std::uint64_t device = 0;
    float milliseconds = 0;
    std::uint64_t bytes = 0;
    Type type = Type::forward;
    switch (graph_.kind(id)) {
      case TaskKind::compute: {
        const ComputeTask task = graph_.compute(id);
        type = graph_.name(id).ends_with("backward") ? Type::backward : Type::forward;
        device = static_cast<std::uint64_t>(index(task.rank));
        milliseconds = static_cast<float>(static_cast<double>(task.duration.count()) / 1e9);
        break;
      }
      case TaskKind::pause: throw UserError("a pause, which FlexFlow's task graphs cannot express");
      case TaskKind::message: {
        const MessageTask task = graph_.message(id);
        type = Type::message;
        device = pair(task.from, task.to);
        bytes = static_cast<std::uint64_t>(task.size.count());
        break;
      }
      case TaskKind::collective: {
        const CollectiveTask& task = graph_.collective(id);
        type = Type::all_reduce;
        bytes = static_cast<std::uint64_t>(task.size.count());
        for (const Rank rank : ranks_of(graph_, task.group))
          next.push_back(static_cast<std::uint64_t>(index(rank)));
        break;
      }
    }
    const auto successors = builder_.CreateVector(next);
    return flexflow::CreateTask(builder_, static_cast<std::int16_t>(type), index(id), device, milliseconds,
                                bytes, successors);
  }

  // A device for each pair of nodes that sends, made when first asked for.
  std::uint64_t pair(Rank from, Rank to) {
    const std::uint64_t property = static_cast<std::uint64_t>(index(from)) * (ranks() + kSwitches) +
                                   static_cast<std::uint64_t>(index(to));
    const auto [known, added] = pairs_.try_emplace(property, ranks() + pairs_.size());
    if (added) devices_.push_back(flexflow::CreateDevice(builder_, kPair, known->second, 0, property));
    return known->second;
  }

  const TaskGraph& graph_;
  int gpus_per_node_;
  flatbuffers::FlatBufferBuilder builder_;
  std::vector<std::vector<std::uint64_t>> next_;
  std::vector<flatbuffers::Offset<flexflow::Task>> tasks_;
  std::vector<flatbuffers::Offset<flexflow::Device>> devices_;
  std::unordered_map<std::uint64_t, std::uint64_t> pairs_;
};

}  // namespace

TaskGraph parse_flexflow_graph(std::string_view bytes, const std::string& file,
                               const ReductionInNode& in_node) {
  return Reader(bytes, file, in_node).read();
}

TaskGraph read_flexflow_graph(const std::filesystem::path& path, const ReductionInNode& in_node) {
  return parse_flexflow_graph(read_file(path), path.string(), in_node);
}

std::string to_flexflow(const TaskGraph& graph, int gpus_per_node) {
  return Writer(graph, gpus_per_node).write();
}

}  // namespace overture::formats
