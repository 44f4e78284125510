#include "overture/workload/workload.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/workload/names.h"

namespace overture::workload {
namespace {

void check_layer_numbers(const Workload& workload, const std::vector<int>& numbers, const std::string& what,
                         const Where& where) {
  const auto count = static_cast<int>(workload.layers.size());
  for (const int number : numbers) {
    if (number >= 0 && number < count) continue;
    throw UserError(where, fmt::format("{} layer {} does not exist", what, number),
                    fmt::format("layers are 0 to {}", count - 1));
  }
}

void check_recomputation(const Workload& workload, const Where& where) {
  const auto& kept = workload.checkpoints;
  for (const int start : workload.recompute_starts) {
    if (std::find(kept.begin(), kept.end(), start) != kept.end()) {
      throw UserError(where, fmt::format("layer {} is a checkpoint and has nothing to recompute", start));
    }
    if (std::none_of(kept.begin(), kept.end(), [&](int checkpoint) { return checkpoint < start; })) {
      throw UserError(where, fmt::format("layer {} recomputes, but there is no checkpoint before it", start));
    }
  }
}

void check_layer(const Workload& workload, const Layer& layer, const Where& where) {
  for (const Pass* pass : {&layer.forward, &layer.input_gradient, &layer.weight_gradient}) {
    if (pass->communication && !pass->communication->sizes && pass->communication->size <= Bytes{}) {
      throw UserError(where, fmt::format("layer {} communicates 0 bytes", layer.name),
                      "leave out what carries nothing");
    }
  }
  if (workload.parallelism == Parallelism::hybrid_customized && !allowed_per_layer(layer.parallelism)) {
    throw UserError(where, fmt::format("layer {} cannot be {}", layer.name, astra_name(layer.parallelism)),
                    "a layer is DATA, MODEL, HYBRID_DATA_MODEL or HYBRID_MODEL_DATA");
  }
}

}  // namespace

const Pass& pass_of(const Layer& layer, PassKind kind) {
  switch (kind) {
    case PassKind::forward: return layer.forward;
    case PassKind::input_gradient: return layer.input_gradient;
    case PassKind::weight_gradient: return layer.weight_gradient;
  }
  return layer.forward;
}

void check_workload(const Workload& workload, const Where& where) {
  if (workload.layers.empty()) throw UserError(where, "has no layers", "a workload has at least one layer");
  const bool dlrm = workload.parallelism == Parallelism::hybrid_dlrm ||
                    workload.parallelism == Parallelism::hybrid_dlrm_enhanced ||
                    workload.parallelism == Parallelism::dlrm;
  if (dlrm) check_layer_numbers(workload, {workload.last_bottom_layer}, "last bottom", where);
  check_layer_numbers(workload, workload.checkpoints, "checkpoint", where);
  check_layer_numbers(workload, workload.recompute_starts, "recomputing", where);
  check_recomputation(workload, where);
  for (const Layer& layer : workload.layers) check_layer(workload, layer, where);
}

}  // namespace overture::workload
