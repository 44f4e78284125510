#include "overture/workload/training_loop.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "overture/base/check.h"

namespace overture::workload {
namespace {

using enum PassKind;
using system::CollectiveKind;
using system::SchedulingPolicy;

// What a loop is written against: it reads like a program that computes and waits, and leaves the graph of
// it. What comes next depends on the frontier, that is on the last thing done and on the collectives waited
// for since.
class Emitter {
 public:
  Emitter(const Workload& workload, const LoopOptions& options, int ranks,
          const system::LogicalDimensions& logical)
      : workload_(workload),
        options_(options),
        logical_(logical),
        graph_(ranks),
        outstanding_(workload.layers.size()),
        step_label_(graph_.add_label(std::string("step"))) {
    labels_.resize(workload.layers.size());
    groups_.resize(workload.layers.size());
    for (int layer = 0; layer < layers(); ++layer) {
      for (const PassKind kind : {forward, input_gradient, weight_gradient}) add_pass(layer, kind);
    }
  }

  TaskGraph take() { return std::move(graph_); }

  const Workload& workload() const { return workload_; }
  int layers() const { return static_cast<int>(workload_.layers.size()); }
  int passes() const { return options_.passes; }
  SchedulingPolicy policy() const { return options_.policy; }

  // Are the weights of a dense layer gathered before they are used?
  bool is_sharded(int layer) const {
    return layer >= workload_.table_layers && layer < layers() &&
           layer_at(layer).forward.communication.has_value();
  }

  void begin_iteration() { graph_.begin_iteration(); }

  void compute(int layer, PassKind kind) {
    const Duration length = pass_of(layer_at(layer), kind).compute;
    if (length > Duration{}) advance(ComputeTask{kEveryone, length}, labels(layer)[index_of(kind)]);
  }
  void step() { advance(PauseTask{options_.step}, step_label_); }

  // Goes on at once.
  void issue(int layer, PassKind kind, SchedulingPolicy policy) {
    if (const auto task = emit(layer, kind, policy)) outstanding(layer, kind).push_back(*task);
  }
  // Waits until the layer has no collective of this kind outstanding.
  void finished(int layer, PassKind kind) {
    std::vector<TaskId>& waited = outstanding(layer, kind);
    frontier_.insert(frontier_.end(), waited.begin(), waited.end());
    waited.clear();
  }
  void issue_and_wait(int layer, PassKind kind, SchedulingPolicy policy) {
    if (const auto task = emit(layer, kind, policy)) frontier_.push_back(*task);
  }

 private:
  static std::size_t index_of(PassKind kind) { return static_cast<std::size_t>(kind); }
  const Layer& layer_at(int layer) const { return workload_.layers[static_cast<std::size_t>(layer)]; }
  std::array<LabelId, kPassKinds>& labels(int layer) { return labels_[static_cast<std::size_t>(layer)]; }
  std::vector<TaskId>& outstanding(int layer, PassKind kind) {
    return outstanding_[static_cast<std::size_t>(layer)][index_of(kind)];
  }

  void add_pass(int layer, PassKind kind) {
    const std::string& name = layer_at(layer).name;
    labels(layer)[index_of(kind)] =
        graph_.add_label({.name = fmt::format("{} {}", name, workload::name(kind)),
                          .layer = name,
                          .layer_number = layer,
                          .pass = kind});
    if (const auto& communication = pass_of(layer_at(layer), kind).communication) {
      groups_[static_cast<std::size_t>(layer)][index_of(kind)] =
          communication->sizes ? graph_.add_group(everybody())
                               : graph_.add_group_along(dimensions_of(workload_, layer, kind, logical_));
    }
  }

  // By name: sizes of pairs know ranks, not dimensions.
  std::vector<Rank> everybody() const {
    std::vector<Rank> ranks;
    for (int rank = 0; rank < graph_.ranks(); ++rank) ranks.push_back(Rank{rank});
    return ranks;
  }

  template <class Task>
  void advance(const Task& task, LabelId label) {
    frontier_.assign(1, graph_.add(task, label, frontier_));
  }
  std::optional<TaskId> emit(int layer, PassKind kind, SchedulingPolicy policy) {
    const auto& communication = pass_of(layer_at(layer), kind).communication;
    if (!communication) return std::nullopt;
    return graph_.add(CollectiveTask{.group = groups_[static_cast<std::size_t>(layer)][index_of(kind)],
                                     .kind = communication->kind,
                                     .size = communication->size,
                                     .policy = policy,
                                     .before = communication->before,
                                     .after = layer_at(layer).update,
                                     .sizes = communication->sizes},
                      labels(layer)[index_of(kind)], frontier_);
  }

  const Workload& workload_;
  const LoopOptions& options_;
  const system::LogicalDimensions& logical_;
  TaskGraph graph_;
  std::vector<std::array<LabelId, kPassKinds>> labels_;
  std::vector<std::array<RankGroup, kPassKinds>> groups_;
  std::vector<std::array<std::vector<TaskId>, kPassKinds>> outstanding_;
  std::vector<TaskId> frontier_;
  LabelId step_label_;
};

// One collective over and over, nothing computed.
void micro(Emitter& t) {
  for (int pass = 0; pass < t.passes(); ++pass) {
    t.begin_iteration();
    t.issue(0, weight_gradient, t.policy());
  }
}

void data_parallel(Emitter& t) {
  for (int pass = 0; pass < t.passes(); ++pass) {
    t.begin_iteration();
    for (int i = 0; i < t.layers(); ++i) {
      t.finished(i, weight_gradient);
      t.compute(i, forward);
      t.step();
    }
    for (int i = t.layers() - 1; i >= 0; --i) {
      t.compute(i, weight_gradient);
      t.issue(i, weight_gradient, t.policy());
      t.step();
      if (i == 0) break;  // nothing wants the input gradient of the first layer
      t.compute(i, input_gradient);
      t.step();
    }
  }
}

// Forward through a layer, which hands its activations on before the next starts.
void go_forward(Emitter& t, int layer) {
  t.finished(layer, weight_gradient);
  t.compute(layer, forward);
  t.issue_and_wait(layer, forward, t.policy());
  t.step();
}

void inference(Emitter& t) {
  for (int pass = 0; pass < t.passes(); ++pass) {
    t.begin_iteration();
    for (int i = 0; i < t.layers(); ++i) go_forward(t, i);
  }
}

struct ModelParallelRules {
  bool first_input_gradient;  // is it communicated, too?
  bool weight_gradients;      // are they communicated at all?
};

// Where a recomputation that starts at layer i goes back to.
int checkpoint_before(const Workload& workload, int i) {
  int nearest = 0;
  for (const int checkpoint : workload.checkpoints) {
    if (checkpoint <= i) nearest = std::max(nearest, checkpoint);
  }
  return nearest;
}

// Model parallel and its hybrids. With checkpoints, a layer marked so recomputes the activations that its
// backward pass needs: forward again from the nearest checkpoint, until the next layer is one so marked.
void model_parallel(Emitter& t, ModelParallelRules rules) {
  const auto& starts = t.workload().recompute_starts;
  const auto starts_recomputation = [&](int i) {
    return std::find(starts.begin(), starts.end(), i) != starts.end();
  };
  for (int pass = 0; pass < t.passes(); ++pass) {
    t.begin_iteration();
    for (int i = 0; i < t.layers(); ++i) go_forward(t, i);
    for (int i = t.layers() - 1; i >= 0; --i) {
      if (starts_recomputation(i)) {
        t.step();
        int j = checkpoint_before(t.workload(), i);
        do go_forward(t, j);
        while (!starts_recomputation(++j));
        i = j;  // usually the layer that asked; the original goes on wherever it meets a marked one
      }
      t.compute(i, input_gradient);
      if (i > 0 || rules.first_input_gradient) t.issue(i, input_gradient, SchedulingPolicy::lifo);
      t.step();
      t.compute(i, weight_gradient);
      if (rules.weight_gradients) t.issue(i, weight_gradient, SchedulingPolicy::fifo);
      t.finished(i, input_gradient);
      t.step();
    }
  }
}

// Layer 0 is the embedding: its all-to-all overlaps the bottom MLP, whose last layer waits for it. The
// enhanced loop lets the all-to-all of the gradients overlap the next iteration.
void dlrm(Emitter& t, bool wait_for_embedding_gradient) {
  const int bottom = t.workload().last_bottom_layer;
  for (int pass = 0; pass < t.passes(); ++pass) {
    t.begin_iteration();
    for (int i = 0; i < t.layers(); ++i) {
      t.finished(i, weight_gradient);
      t.compute(i, forward);
      const auto& communication = t.workload().layers[static_cast<std::size_t>(i)].forward.communication;
      if (communication && communication->kind == CollectiveKind::all_to_all) {
        t.issue(i, forward, SchedulingPolicy::highest);
      } else if (i == bottom) {
        t.finished(0, forward);
      }
      t.step();
    }
    for (int i = t.layers() - 1; i >= 0; --i) {
      t.compute(i, weight_gradient);
      t.issue(i, weight_gradient, t.policy());
      if (wait_for_embedding_gradient) t.finished(i, input_gradient);
      t.step();
      if (i == 0) break;
      t.compute(i, input_gradient);
      if (i == bottom + 1) t.issue(0, input_gradient, SchedulingPolicy::highest);
      t.step();
    }
  }
}

// A DLRM of ours. The tables' exchanges, whatever they are, overlap the bottom MLP; their gradients come back
// before the tables are updated. A sharded layer is gathered while the one before it computes, in both
// directions.
void recommender(Emitter& t) {
  const int bottom = t.workload().last_bottom_layer;
  const int tables = t.workload().table_layers;
  const int last = t.layers() - 1;
  const auto gather = [&](int i, PassKind kind) {
    if (i < tables || i > last) return;
    t.finished(i, weight_gradient);
    t.issue(i, kind, SchedulingPolicy::fifo);
  };
  const auto each_table = [&](auto act) {
    for (int i = 0; i < tables; ++i) act(i);
  };
  for (int pass = 0; pass < t.passes(); ++pass) {
    t.begin_iteration();
    for (int i = 0; i <= last; ++i) {
      t.finished(i, weight_gradient);
      if (i >= tables) t.finished(i, forward);
      if (t.is_sharded(i + 1)) gather(i + 1, forward);
      t.compute(i, forward);
      if (i < tables) t.issue(i, forward, SchedulingPolicy::highest);
      if (i == bottom) each_table([&](int table) { t.finished(table, forward); });
      t.step();
    }
    for (int i = last; i >= tables; --i) {
      t.finished(i, input_gradient);
      if (t.is_sharded(i - 1)) gather(i - 1, input_gradient);
      t.compute(i, weight_gradient);
      t.issue(i, weight_gradient, t.policy());
      t.step();
      t.compute(i, input_gradient);
      if (i == bottom + 1)
        each_table([&](int table) { t.issue(table, input_gradient, SchedulingPolicy::highest); });
      t.step();
    }
    each_table([&](int table) {
      t.finished(table, input_gradient);
      t.compute(table, weight_gradient);
      t.issue(table, weight_gradient, t.policy());
      t.step();
    });
  }
}

void emit_loop(Emitter& t) {
  switch (t.workload().parallelism) {
    case Parallelism::micro: return micro(t);
    case Parallelism::data: return data_parallel(t);
    case Parallelism::distributed_inference: return inference(t);
    case Parallelism::model:
      return model_parallel(t, {.first_input_gradient = false, .weight_gradients = false});
    case Parallelism::hybrid_data_model:
    case Parallelism::hybrid_model_data:
    case Parallelism::hybrid_customized:
      return model_parallel(t, {.first_input_gradient = false, .weight_gradients = true});
    case Parallelism::hybrid_transformer:
    case Parallelism::hybrid_transformer_fwd_in_bckwd:
      return model_parallel(t, {.first_input_gradient = true, .weight_gradients = true});
    case Parallelism::hybrid_dlrm: return dlrm(t, true);
    case Parallelism::hybrid_dlrm_enhanced: return dlrm(t, false);
    case Parallelism::dlrm: return recommender(t);
  }
  check(false, "every parallelism has a loop");
}

}  // namespace

TaskGraph training_graph(const Workload& workload, const LoopOptions& options, int ranks,
                         const system::LogicalDimensions& logical) {
  Emitter emitter(workload, options, ranks, logical);
  emit_loop(emitter);
  return emitter.take();
}

system::DimensionMask dimensions_of(const Workload& workload, int layer, PassKind kind,
                                    const system::LogicalDimensions& logical) {
  const auto count = static_cast<std::size_t>(logical.count());
  const system::DimensionMask all(count, true);
  const system::DimensionMask none(count, false);
  const bool weights = kind == PassKind::weight_gradient;
  const auto first = [&](int n) {
    system::DimensionMask mask(count, false);
    std::fill_n(mask.begin(), std::min<std::size_t>(static_cast<std::size_t>(n), count), true);
    return mask;
  };
  const auto rest = [&](int n) {
    system::DimensionMask mask = first(n);
    mask.flip();
    return mask;
  };
  const Parallelism parallelism = workload.parallelism == Parallelism::hybrid_customized
                                      ? workload.layers[static_cast<std::size_t>(layer)].parallelism
                                      : workload.parallelism;
  switch (parallelism) {
    case Parallelism::micro:
    case Parallelism::data: return weights ? all : none;
    case Parallelism::model:
    case Parallelism::distributed_inference: return weights ? none : all;
    case Parallelism::hybrid_data_model: return weights ? rest(1) : first(1);
    case Parallelism::hybrid_model_data: return weights ? first(1) : rest(1);
    case Parallelism::hybrid_transformer:
    case Parallelism::hybrid_transformer_fwd_in_bckwd:
      return weights ? rest(logical.model_dimensions) : first(logical.model_dimensions);
    case Parallelism::hybrid_dlrm:
    case Parallelism::hybrid_dlrm_enhanced: return weights || layer == 0 ? all : none;
    case Parallelism::dlrm: return all;
    case Parallelism::hybrid_customized: break;
  }
  return none;
}

}  // namespace overture::workload
