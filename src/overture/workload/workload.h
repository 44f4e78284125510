// A training job as layers: what each computes and what it communicates, in the three passes of a training
// step. Readers and generators produce it, training_loop.h runs it. It says nothing about networks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "overture/base/error.h"
#include "overture/base/units.h"
#include "overture/base/words.h"
#include "overture/system/collective.h"
#include "overture/workload/task_graph.h"

namespace overture::workload {

// How the layers are spread over the ranks. It decides the order of a training step and which network
// dimensions each pass's communication spans (dimensions_of() in training_loop.h).
enum class Parallelism : std::uint8_t {
  micro,
  data,
  model,
  distributed_inference,
  hybrid_data_model,
  hybrid_model_data,
  hybrid_transformer,
  hybrid_transformer_fwd_in_bckwd,
  hybrid_dlrm,
  hybrid_dlrm_enhanced,
  hybrid_customized,
  dlrm,  // ours: any exchange of tables, dense layers data-parallel or sharded (dlrm_training.h)
};
constexpr auto vocabulary(Parallelism) {
  return std::to_array<Word<Parallelism>>({
      {Parallelism::micro, "micro"},
      {Parallelism::data, "data"},
      {Parallelism::model, "model"},
      {Parallelism::distributed_inference, "distributed_inference"},
      {Parallelism::hybrid_data_model, "hybrid_data_model"},
      {Parallelism::hybrid_model_data, "hybrid_model_data"},
      {Parallelism::hybrid_transformer, "hybrid_transformer"},
      {Parallelism::hybrid_transformer_fwd_in_bckwd, "hybrid_transformer_fwd_in_bckwd"},
      {Parallelism::hybrid_dlrm, "hybrid_dlrm"},
      {Parallelism::hybrid_dlrm_enhanced, "hybrid_dlrm_enhanced"},
      {Parallelism::hybrid_customized, "hybrid_customized"},
      {Parallelism::dlrm, "dlrm"},
  });
}

struct Communication {
  system::CollectiveKind kind;
  Bytes size;
  Duration before{};  // what every rank does first, such as reducing among its GPUs
  // all_to_all: what each rank sends to each other one, in place of `size`.
  std::shared_ptr<const system::PairSizes> sizes{};
};

// One pass through one layer: compute, then perhaps communicate.
struct Pass {
  Duration compute{};
  std::optional<Communication> communication;
};

struct Layer {
  std::string name;
  Pass forward;
  Pass input_gradient;
  Pass weight_gradient;
  Duration update{};  // added after every collective of the layer
  // Only under hybrid_customized: data, model, hybrid_data_model or hybrid_model_data.
  Parallelism parallelism = Parallelism::data;
};

const Pass& pass_of(const Layer& layer, PassKind kind);

struct Workload {
  Parallelism parallelism = Parallelism::data;
  int model_group = 1;                // ranks that share a model; hybrid_transformer*
  std::vector<int> checkpoints;       // layers whose activations are kept; hybrid_transformer_fwd_in_bckwd
  std::vector<int> recompute_starts;  // layers whose input gradient starts a recomputation; same
  int table_layers = 1;               // the first so many layers are tables; dlrm
  int last_bottom_layer = 0;          // of the bottom MLP; hybrid_dlrm* and dlrm
  std::vector<Layer> layers;
};

// What is wrong with a workload, if anything: no layers, layer numbers that do not exist, a collective of no
// bytes, a recomputation without a checkpoint. Throws UserError at `where`.
void check_workload(const Workload& workload, const Where& where);

}  // namespace overture::workload
