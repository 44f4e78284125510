#include "overture/workload/dlrm_tasks.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "overture/base/check.h"
#include "overture/base/error.h"
#include "overture/system/rounds.h"

namespace overture::workload {
namespace {

using model::DenseLayer;
using model::EmbeddingTable;
using model::ForwardBackward;

void require_sound(const DlrmStep& step) {
  if (step.nodes < 1 || step.gpus_per_node < 1)
    throw UserError("a DLRM trains on at least one node and one GPU");
  if (step.model.tables.empty()) throw UserError("a DLRM needs at least one embedding table");
  for (const std::vector<Rank>& ring : step.rings)
    check(ring.size() == static_cast<std::size_t>(step.nodes), "a ring goes through all nodes");
  if (step.batch < std::int64_t{step.nodes} * step.gpus_per_node) {
    throw UserError(fmt::format("a batch of {} is too small for {} nodes of {} GPUs", step.batch, step.nodes,
                                step.gpus_per_node));
  }
}

system::RoundRules rules(const DlrmStep& step) {
  system::RoundRules rules;
  if (step.artefacts.whole_packets) {
    rules.drop_remainder = true;
    rules.smallest_message = step.packet_sent;
  }
  if (step.artefacts.early_ring_end) rules.end_ring_early_below = step.packet;
  return rules;
}

Duration reduction_first(const DlrmStep& step, Bytes size) {
  if (step.artefacts.free_reduction_in_node && step.all_reduce != system::kLockstepRing)
    return Duration::zero();
  return reduction_in_node(size, step.gpus_per_node, step.between_gpus);
}

// Only a ring all-reduce knows how to use more than one ring.
bool uses_rings(const DlrmStep& step) {
  return step.all_reduce == system::kLockstepRing && !step.rings.empty();
}

std::vector<RankGroup> add_groups(TaskGraph& graph, const DlrmStep& step) {
  if (!uses_rings(step)) return {graph.add_group_of_all()};
  std::vector<RankGroup> groups;
  for (const std::vector<Rank>& ring : step.rings) groups.push_back(graph.add_group(ring));
  return groups;
}

// Builds the graph operator by operator: forward in order, backward in reverse, as FlexFlow does.
class Builder {
 public:
  explicit Builder(const DlrmStep& step)
      : step_(step),
        graph_(step.nodes),
        groups_(add_groups(graph_, step)),
        owner_(step.given.empty() ? model::place_tables(step.model.tables, step.nodes, step.placement)
                                  : step.given),
        samples_(std::max<std::int64_t>(1, step.batch / step.nodes / step.gpus_per_node)) {
    model::require_fit(step.model.tables, owner_, step.nodes, step.memory_per_node);
    tables_on_ = model::tables_per_node(owner_, step.nodes);
    const std::size_t messages = step.model.tables.size() * static_cast<std::size_t>(step.nodes) * 2;
    const std::size_t parts =
        2 * (step.model.bottom.size() + step.model.top.size() + 1) * static_cast<std::size_t>(step.nodes);
    graph_.reserve(messages + parts, 2 * messages + 4 * parts);
  }

  TaskGraph build() {
    for (std::size_t i = 0; i < step_.model.bottom.size(); ++i)
      dense_forward("bottom", i, step_.model.bottom[i]);
    tables_forward();
    concat_forward();
    for (std::size_t i = 0; i < step_.model.top.size(); ++i) dense_forward("top", i, step_.model.top[i]);
    for (std::size_t i = step_.model.top.size(); i-- > 0;) dense_backward("top", i, step_.model.top[i]);
    concat_backward();
    for (std::size_t i = step_.model.bottom.size(); i-- > 0;)
      dense_backward("bottom", i, step_.model.bottom[i]);
    return std::move(graph_);
  }

 private:
  using Parts = std::vector<TaskId>;  // one for every node

  // The next operator of the chain on every node, after the one before it.
  Parts add_parts(Duration duration, const std::string& name) {
    const LabelId label = graph_.add_label(name);
    Parts parts;
    for (int node = 0; node < step_.nodes; ++node) {
      parts.push_back(graph_.add(ComputeTask{.rank = Rank{node}, .duration = duration}, label));
      if (!last_.empty()) graph_.depend(last_[static_cast<std::size_t>(node)], parts.back());
    }
    last_ = parts;
    return parts;
  }

  void dense_forward(std::string_view where, std::size_t i, const DenseLayer& layer) {
    forward_.push_back(add_parts(dense(layer).forward, fmt::format("{} {} forward", where, i)));
  }

  void dense_backward(std::string_view where, std::size_t i, const DenseLayer& layer) {
    const model::DensePasses passes = dense(layer);
    const Parts parts =
        add_parts(passes.input_gradient + passes.weight_gradient, fmt::format("{} {} backward", where, i));
    after_forward(parts);
    const LabelId label = graph_.add_label(fmt::format("{} {} all-reduce", where, i));
    for (const CollectiveTask& task : layer_all_reduces(step_, layer)) {
      CollectiveTask placed = task;
      placed.group = groups_[static_cast<std::size_t>(task.group)];
      graph_.add(placed, label, parts);
    }
  }

  model::DensePasses dense(const DenseLayer& layer) const {
    return dense_passes(step_.compute, step_.model, layer, samples_);
  }

  // Backward of an operator also waits for its forward.
  void after_forward(const Parts& parts) {
    for (std::size_t node = 0; node < parts.size(); ++node) graph_.depend(forward_.back()[node], parts[node]);
    forward_.pop_back();
  }

  void tables_forward() {
    const LabelId label = graph_.add_label("table forward");
    for (std::size_t t = 0; t < owner_.size(); ++t) {
      tables_.push_back(
          graph_.add(ComputeTask{.rank = Rank{owner_[t]}, .duration = table_time(t).forward}, label));
    }
  }

  // As long as the node is busy with the table. GPUs that have a table each work at the same time.
  ForwardBackward table_time(std::size_t t) const {
    const EmbeddingTable& table = step_.model.tables[t];
    const auto* fits = std::get_if<model::DlrmCalibration>(&step_.compute.by);
    check(fits != nullptr || !step_.artefacts.fitted_tables, "only fits have fitted tables");
    const ForwardBackward time =
        step_.artefacts.fitted_tables
            ? fitted_embedding_time(*fits, step_.batch)
            : gather_passes(step_.compute, table.row() * table.bag * step_.batch, table.row());
    if (step_.artefacts.tables_in_turn) return time;
    const int at_once = std::min(step_.gpus_per_node, tables_on_[static_cast<std::size_t>(owner_[t])]);
    return {.forward = time.forward / at_once, .backward = time.backward / at_once};
  }

  void concat_forward() {
    forward_.push_back(add_parts(interaction().forward, "concat forward"));
    const LabelId label = graph_.add_label("features");
    for (std::size_t t = 0; t < owner_.size(); ++t) {
      for (int node = 0; node < step_.nodes; ++node) {
        send(Rank{owner_[t]}, Rank{node}, t, tables_[t], last_[static_cast<std::size_t>(node)], label);
      }
    }
  }

  void concat_backward() {
    const Parts parts = add_parts(interaction().backward, "concat backward");
    after_forward(parts);
    const LabelId table = graph_.add_label("table backward");
    const LabelId label = graph_.add_label("gradients");
    for (std::size_t t = 0; t < owner_.size(); ++t) {
      const TaskId backward = graph_.add(
          ComputeTask{.rank = Rank{owner_[t]}, .duration = table_time(t).backward}, table, {tables_[t]});
      for (int node = 0; node < step_.nodes; ++node) {
        send(Rank{node}, Rank{owner_[t]}, t, parts[static_cast<std::size_t>(node)], backward, label);
      }
    }
  }

  ForwardBackward interaction() const { return interaction_passes(step_.compute, step_.model, samples_); }

  // Within a node nothing is sent.
  void send(Rank from, Rank to, std::size_t table, TaskId before, TaskId after, LabelId label) {
    if (from == to) return graph_.depend(before, after);
    const Bytes size = table_message(step_, step_.model.tables[table]);
    graph_.depend(graph_.add(MessageTask{.from = from, .to = to, .size = size}, label, {before}), after);
  }

  const DlrmStep& step_;
  TaskGraph graph_;
  std::vector<RankGroup> groups_;
  model::Placement owner_;
  std::int64_t samples_;  // of a GPU
  std::vector<int> tables_on_;
  Parts last_;
  std::vector<Parts> forward_;  // of the operators whose backward is still to come
  std::vector<TaskId> tables_;
};

}  // namespace

DlrmArtefacts DlrmArtefacts::as_published() {
  return {.int64_embeddings = true,
          .whole_packets = true,
          .early_ring_end = true,
          .free_reduction_in_node = true,
          .separate_biases = true,
          .fitted_tables = true,
          .tables_in_turn = true};
}

DlrmStep dlrm_step(const DlrmTraining& training, int nodes) {
  if (training.sharding != TableSharding::table_wise || !training.plan.empty() ||
      training.dense != DenseParallelism::data_parallel) {
    throw UserError({.key = "workload.dlrm"}, "a step of tasks has whole tables and whole dense layers",
                    "write sharding: table_wise and dense: data_parallel");
  }
  DlrmStep step{.model = training.model, .batch = training.batch, .nodes = nodes};
  step.gpus_per_node = training.gpus_per_node;
  step.given = placed(training, nodes);
  step.between_gpus = training.between_gpus;
  step.memory_per_node = training.memory_per_gpu * training.gpus_per_node;
  step.compute = training.compute;
  return step;
}

system::SystemConfig dlrm_system(const DlrmStep& step) {
  system::SystemConfig config{.endpoint_delay = Duration{}, .active_chunks = std::numeric_limits<int>::max()};
  config.implementation(system::CollectiveKind::all_reduce) = {.per_dimension = {{step.all_reduce}},
                                                               .flat = true};
  config.rounds = rules(step);
  return config;
}

Bytes table_message(const DlrmStep& step, const EmbeddingTable& table) {
  const Bytes row = step.artefacts.int64_embeddings ? Bytes{8 * table.columns} : table.row();
  const Bytes size = row * (step.batch / step.nodes);
  return step.artefacts.whole_packets ? std::max(size, step.packet_sent) : size;
}

std::vector<CollectiveTask> layer_all_reduces(const DlrmStep& step, const DenseLayer& layer) {
  const Bytes number = size_of(step.model.gradients);
  std::vector<Bytes> sizes{step.model.gradient(layer)};
  if (step.artefacts.separate_biases) sizes = {number * layer.kernel(), number * layer.bias()};
  const int rings = uses_rings(step) ? static_cast<int>(step.rings.size()) : 1;
  std::vector<CollectiveTask> tasks;
  for (const Bytes size : sizes) {
    for (int ring = 0; ring < rings; ++ring) {
      const Bytes part{size.count() * (ring + 1) / rings - size.count() * ring / rings};
      tasks.push_back({.group = RankGroup{ring}, .size = part, .before = reduction_first(step, size)});
    }
  }
  return tasks;
}

GraphTraffic dlrm_traffic(const DlrmStep& step) {
  require_sound(step);
  GraphTraffic sum;
  for (const EmbeddingTable& table : step.model.tables) {
    sum.messages += table_message(step, table) * (2 * (step.nodes - 1));
  }
  for (const auto* layers : {&step.model.bottom, &step.model.top}) {
    for (const DenseLayer& layer : *layers) {
      for (const CollectiveTask& task : layer_all_reduces(step, layer)) {
        sum.collectives +=
            traffic(system::make_rounds(step.all_reduce, task.size, step.nodes, rules(step)), step.nodes);
      }
    }
  }
  return sum;
}

TaskGraph dlrm_tasks(const DlrmStep& step) {
  require_sound(step);
  return Builder(step).build();
}

}  // namespace overture::workload
