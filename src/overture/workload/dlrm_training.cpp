#include "overture/workload/dlrm_training.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/text.h"

namespace overture::workload {
namespace {

using model::DenseLayer;
using model::EmbeddingTable;
using system::CollectiveKind;

// Sizes of that many pairs are 128 MB.
constexpr int kMostUneven = 4096;
constexpr const char* kTables = "Embedding";

std::int64_t rounded_up(std::int64_t amount, std::int64_t parts) { return (amount + parts - 1) / parts; }

template <class Of>
Bytes sum(const model::Dlrm& model, Of of) {
  Bytes sum;
  for (const EmbeddingTable& table : model.tables) sum += of(table);
  return sum;
}

Bytes gather_size(const EmbeddingTable& table) { return table.row() * table.bag; }

Bytes pooled_of_all(const model::Dlrm& model) {
  return sum(model, [](const EmbeddingTable& table) { return table.row(); });
}
Bytes gathered_of_all(const model::Dlrm& model) { return sum(model, gather_size); }
Bytes size_of_all(const model::Dlrm& model) {
  return sum(model, [](const EmbeddingTable& table) { return table.size(); });
}
Bytes memory_of_all(const model::Dlrm& model) {
  return sum(model, [](const EmbeddingTable& table) { return table.memory(); });
}

class Maker {
 public:
  Maker(const DlrmTraining& training, int ranks)
      : training_(training),
        model_(training.model),
        ranks_(ranks),
        samples_(rounded_up(training.batch, ranks)),
        gpu_samples_(rounded_up(training.batch, std::int64_t{ranks} * training.gpus_per_node)) {}

  Workload make() {
    require_reach();
    workload_.parallelism = Parallelism::dlrm;
    if (training_.plan.empty()) {
      workload_.layers.push_back(tables());
    } else {
      workload_.layers = planned_tables();
    }
    workload_.table_layers = static_cast<int>(workload_.layers.size());
    for (std::size_t i = 0; i < model_.bottom.size(); ++i)
      workload_.layers.push_back(dense(fmt::format("MLP_Bottom_{}", i), model_.bottom[i], i > 0));
    workload_.last_bottom_layer = workload_.table_layers - 1 + static_cast<int>(model_.bottom.size());
    workload_.layers.push_back(interaction());
    for (std::size_t i = 0; i < model_.top.size(); ++i)
      workload_.layers.push_back(dense(fmt::format("MLP_Top_{}", i), model_.top[i], true));
    return std::move(workload_);
  }

 private:
  void require_reach() const {
    if (training_.batch >= std::int64_t{ranks_} * training_.gpus_per_node) return;
    throw UserError(fmt::format("a batch of {} is too small for {} of {}", training_.batch,
                                counted(ranks_, "rank"), counted(training_.gpus_per_node, "GPU")),
                    "take a larger batch or a smaller network");
  }

  Layer tables() {
    switch (training_.sharding) {
      case TableSharding::table_wise: return table_wise();
      case TableSharding::column_wise: return column_wise();
      case TableSharding::row_wise: return row_wise();
      case TableSharding::data_parallel: return replicated();
    }
    return {};
  }

  Layer embedding(Duration forward, Duration backward) const {
    Layer layer{.name = kTables};
    layer.forward.compute = forward;
    layer.weight_gradient.compute = backward;
    return layer;
  }
  // Rows of the whole batch that a rank gathers with all its GPUs.
  model::ForwardBackward gather(Bytes rows, int gpus_at_work) const {
    return gather_passes(training_.compute, rows / std::max(gpus_at_work, 1), mean_row());
  }
  Bytes mean_row() const {
    std::int64_t lookups = 0;
    for (const EmbeddingTable& table : model_.tables) lookups += table.bag;
    return gathered_of_all(model_) / std::max<std::int64_t>(lookups, 1);
  }

  // The ranks wait for the one that gathers most: they are in step.
  Layer table_wise() const {
    const model::Placement owner = placed(training_, ranks_);
    std::vector<Bytes> pooled(static_cast<std::size_t>(ranks_));
    std::vector<Bytes> gathers(static_cast<std::size_t>(ranks_));
    for (std::size_t t = 0; t < owner.size(); ++t) {
      const auto rank = static_cast<std::size_t>(owner[t]);
      pooled[rank] += model_.tables[t].row() * samples_;
      gathers[rank] += gather_size(model_.tables[t]) * (samples_ * ranks_);
    }
    const std::vector<int> count = model::tables_per_node(owner, ranks_);
    model::ForwardBackward longest{};
    for (std::size_t rank = 0; rank < gathers.size(); ++rank)
      keep_longer(longest, gathers[rank], count[rank]);
    return exchanged(longest, pooled);
  }

  void keep_longer(model::ForwardBackward& longest, Bytes rows, int shards) const {
    const auto time = gather(rows, std::min(shards, training_.gpus_per_node));
    longest = {std::max(longest.forward, time.forward), std::max(longest.backward, time.backward)};
  }

  Layer exchanged(const model::ForwardBackward& time, const std::vector<Bytes>& pooled) const {
    Layer layer = embedding(time.forward, time.backward);
    exchange(layer, pooled);
    return layer;
  }

  // `pooled` is what every rank sends to every other one.
  void exchange(Layer& layer, const std::vector<Bytes>& pooled) const {
    const bool even = std::ranges::all_of(pooled, [&](Bytes size) { return size == pooled.front(); });
    if (even) {
      layer.forward.communication = {CollectiveKind::all_to_all, pooled.front() * ranks_};
      layer.input_gradient.communication = layer.forward.communication;
      return;
    }
    if (ranks_ > kMostUneven) {
      throw UserError(fmt::format("{} tables lie unevenly on {} ranks; that is simulated up to {} ranks",
                                  model_.tables.size(), ranks_, kMostUneven),
                      "write sharding: column_wise, or a number of equal tables that the ranks divide");
    }
    auto out = std::make_shared<system::PairSizes>(ranks_);
    auto back = std::make_shared<system::PairSizes>(ranks_);
    for (int from = 0; from < ranks_; ++from) {
      for (int to = 0; to < ranks_; ++to) {
        if (from == to) continue;
        out->at(from, to) = back->at(to, from) = pooled[static_cast<std::size_t>(from)];
      }
    }
    layer.forward.communication = {CollectiveKind::all_to_all, {}, {}, std::move(out)};
    layer.input_gradient.communication = {CollectiveKind::all_to_all, {}, {}, std::move(back)};
  }

  Layer column_wise() const {
    if (model_.pooled_columns() < ranks_) {
      throw UserError(
          fmt::format("there are fewer columns ({}) than ranks ({})", model_.pooled_columns(), ranks_),
          "write sharding: row_wise");
    }
    require_share_fits();
    const auto time =
        gather(Bytes{rounded_up((gathered_of_all(model_) * (samples_ * ranks_)).count(), ranks_)},
               training_.gpus_per_node);
    return exchanged(time, {Bytes{rounded_up((pooled_of_all(model_) * samples_).count(), ranks_)}});
  }

  Layer row_wise() const {
    require_share_fits();
    Layer layer = in_rows(gathered_of_all(model_), pooled_of_all(model_));
    layer.name = kTables;
    return layer;
  }

  // Of a sample.
  Layer in_rows(Bytes gathered, Bytes pooled) const {
    const auto time = gather(gathered * samples_, training_.gpus_per_node);
    Layer layer = embedding(time.forward, time.backward);
    layer.name = "Embedding_rows";
    const Bytes own = pooled * samples_;
    layer.forward.communication = {CollectiveKind::reduce_scatter, own * ranks_};
    layer.input_gradient.communication = {CollectiveKind::all_gather, own};
    return layer;
  }

  Layer replicated() const {
    require_fits(memory_of_all(model_));
    Layer layer = in_copies(gathered_of_all(model_), size_of_all(model_));
    layer.name = kTables;
    return layer;
  }

  Layer in_copies(Bytes gathered, Bytes size) const {
    const auto time = gather(gathered * samples_, training_.gpus_per_node);
    Layer layer = embedding(time.forward, time.backward);
    layer.name = "Embedding_copies";
    layer.weight_gradient.communication = all_reduce(size);
    return layer;
  }

  // A layer for every kind of exchange that the plan has.
  std::vector<Layer> planned_tables() const {
    model::require_sound(training_.plan, model_.tables, ranks_);
    const model::TableLoads loads = model::loads_of(training_.plan, model_.tables, ranks_);
    require_fits(loads.fullest());
    std::vector<Layer> layers;
    if (std::ranges::any_of(loads.nodes, [](const auto& node) { return node.shards > 0; }))
      layers.push_back(planned_shards(loads));
    if (loads.row_wise_pooled > Bytes{})
      layers.push_back(in_rows(loads.row_wise_gathered, loads.row_wise_pooled));
    if (loads.copies_size > Bytes{}) layers.push_back(in_copies(loads.copies_gathered, loads.copies_size));
    return layers;
  }

  Layer planned_shards(const model::TableLoads& loads) const {
    std::vector<Bytes> pooled;
    model::ForwardBackward longest{};
    for (const model::TableLoads::OfNode& node : loads.nodes) {
      pooled.push_back(node.pooled * samples_);
      keep_longer(longest, node.gathered * (samples_ * ranks_), node.shards);
    }
    return exchanged(longest, pooled);
  }

  void require_share_fits() const { require_fits(Bytes{rounded_up(memory_of_all(model_).count(), ranks_)}); }
  void require_fits(Bytes size) const {
    const Bytes memory = training_.memory_per_gpu * training_.gpus_per_node;
    if (size <= memory) return;
    throw UserError(
        fmt::format("the tables of a rank need {}, but it has {}", to_string(size), to_string(memory)),
        "use more ranks, fewer tables or fewer rows");
  }

  Communication all_reduce(Bytes size) const {
    return {CollectiveKind::all_reduce, size,
            reduction_in_node(size, training_.gpus_per_node, training_.between_gpus)};
  }

  Layer dense(std::string name, const DenseLayer& of, bool input_gradient) const {
    const model::DensePasses passes = dense_passes(training_.compute, model_, of, gpu_samples_);
    Layer layer{.name = std::move(name)};
    layer.forward.compute = passes.forward;
    if (input_gradient) layer.input_gradient.compute = passes.input_gradient;
    layer.weight_gradient.compute = passes.weight_gradient;
    layer.weight_gradient.communication = all_reduce(model_.gradient(of));
    if (training_.dense == DenseParallelism::sharded) shard(layer, of);
    return layer;
  }

  void shard(Layer& layer, const DenseLayer& of) const {
    layer.weight_gradient.communication->kind = CollectiveKind::reduce_scatter;
    const Bytes part{rounded_up(model_.weights_of(of).count(), ranks_)};
    layer.forward.communication = {CollectiveKind::all_gather, part};
    layer.input_gradient.communication = {CollectiveKind::all_gather, part};
  }

  Layer interaction() const {
    const auto time = interaction_passes(training_.compute, model_, gpu_samples_);
    Layer layer{.name = "Interaction"};
    layer.forward.compute = time.forward;
    layer.input_gradient.compute = time.backward;
    return layer;
  }

  const DlrmTraining& training_;
  const model::Dlrm& model_;
  int ranks_;
  std::int64_t samples_;      // of a rank
  std::int64_t gpu_samples_;  // of one of its GPUs
  Workload workload_;
};

}  // namespace

model::Placement placed(const DlrmTraining& training, int ranks) {
  const auto& tables = training.model.tables;
  model::Placement owner =
      training.given.empty() ? model::place_tables(tables, ranks, training.placement) : training.given;
  if (owner.size() != tables.size()) {
    throw UserError(fmt::format("{} places for {} tables", owner.size(), tables.size()),
                    "name the rank of every table");
  }
  for (std::size_t t = 0; t < owner.size(); ++t) {
    if (owner[t] >= 0 && owner[t] < ranks) continue;
    throw UserError(fmt::format("table {} is on rank {}, but ranks are 0 to {}", t, owner[t], ranks - 1));
  }
  model::require_fit(tables, owner, ranks, training.memory_per_gpu * training.gpus_per_node);
  return owner;
}

Duration reduction_in_node(Bytes size, int gpus_per_node, Bandwidth between_gpus) {
  if (gpus_per_node == 1) return Duration::zero();
  return transfer_time(size * 2 / gpus_per_node, between_gpus);
}

Workload dlrm_workload(const DlrmTraining& training, int ranks) {
  require_sound(training.model);
  return Maker(training, ranks).make();
}

Workload astra_form(const Workload& dlrm) {
  Workload form = dlrm;
  if (dlrm.table_layers != 1)
    throw UserError("tables are sharded in several ways, which ASTRA-sim's HYBRID_DLRM cannot express");
  form.parallelism = Parallelism::hybrid_dlrm;
  const auto refuse = [](const Layer& layer, std::string_view what) {
    throw UserError(
        fmt::format("layer {} {}, which ASTRA-sim's HYBRID_DLRM cannot express", layer.name, what));
  };
  for (const Layer& layer : form.layers) {
    for (const Pass* pass : {&layer.forward, &layer.input_gradient, &layer.weight_gradient}) {
      const auto& communication = pass->communication;
      if (!communication) continue;
      if (communication->sizes) refuse(layer, "sends each rank its own size");
      if (communication->before > Duration{}) refuse(layer, "is first reduced inside a node");
      const bool weights = pass == &layer.weight_gradient;
      if (communication->kind != (weights ? CollectiveKind::all_reduce : CollectiveKind::all_to_all))
        refuse(layer, "has another exchange than all-to-all of tables and all-reduce of weights");
    }
  }
  return form;
}

}  // namespace overture::workload
