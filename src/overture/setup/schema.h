// What a setup contains, described once per struct for reading, writing and explaining (visitors.h). Keys,
// units, defaults and help live here and nowhere else.
#pragma once

#include <string>

#include "overture/setup/visitors.h"
#include "overture/simulation/simulation.h"

namespace overture::setup {

template <class V>
void describe(V& v, system::SharedBus& b) {
  v.from("ASTRA-sim 1.0's shared bus");
  v.required("latency", b.latency, "L of LogGP");
  v.required("overhead", b.overhead, "o of LogGP");
  v.required("gap", b.gap, "g of LogGP");
  v.required("gap_per_byte", NanosecondsField{b.gap_per_byte_ns}, "G of LogGP: time per byte");
  v.field("local_reduction", b.local_reduction, "Time to reduce 100 bytes");
}

template <class V>
void describe(V& v, simulation::SimulationConfig& c) {
  system::SystemConfig& s = c.system;
  v.from("ASTRA-sim 1.0's system file, where it is left out there");
  v.integers(
      "dimensions", c.dimensions,
      "How collectives see the network: so many ranks along each dimension, innermost first. Default: the "
      "network's own");
  v.field("scheduling", s.scheduling,
          "Which collective goes first when several wait: the newest or the oldest");
  v.field("chunks", s.splits, "Chunks per collective");
  v.field("all_to_all_chunks", s.all_to_all_splits, "Chunks per all-to-all; 0: as many as `chunks`");
  v.field("active_chunks", s.active_chunks, "Chunks that may run in a dimension at a time");
  v.field("queues_per_dimension", s.queues_per_dimension,
          "Queues per dimension; of two or more, half run in the other direction");
  v.field("endpoint_delay", s.endpoint_delay, "Delay before every send and after every receive");
  for (const auto& [kind, word] : kWords<system::CollectiveKind>) {
    v.words(std::string(word), s.implementation(kind), explain_algorithms(kind));
  }
  v.field("optimization", s.optimization,
          "All-reduce over several dimensions: whole on each (baseline), or reduce-scatter inwards and "
          "all-gather back");
  v.field("intra_order", s.intra_order, "Order of the chunks that wait for a dimension");
  v.field("inter_order", s.inter_order, "Order in which a chunk visits the dimensions");
  v.field("tree_always_reduces", s.tree_always_reduces,
          "double_binary_tree does a whole all-reduce whatever it is asked for, as ASTRA-sim's does");
  v.field("rendezvous", s.rendezvous, "Every message starts with a handshake of 8 KiB");
  v.optional_group("shared_bus", s.shared_bus, "A LogGP bus at every endpoint, instead of the endpoint delay",
                   [](auto& group, system::SharedBus& b) { describe(group, b); });
  v.from("ours: exact times; ASTRA-sim 1.0 counts whole nanoseconds");
  v.field("step", c.step, "Extra time of every step of the training loop; ASTRA-sim: 1 ns");
  v.field("cycle", s.cycle, "Resolution of endpoint timing; ASTRA-sim: 1 ns");
}

template <class V>
void describe(V& v, workload::Pass& p) {
  v.from("neutral: what is not given takes no time");
  v.field("compute", p.compute, "Compute time on one NPU");
  v.optional_group("communication", p.communication,
                   "Collective of this pass; leave it out where there is none",
                   [](auto& group, workload::Communication& c) {
                     group.required("collective", c.kind, "Kind of collective");
                     group.required("size", c.size,
                                    "Bytes that one NPU holds before it; of an all-gather, one NPU's shard");
                   });
}

template <class V>
void describe(V& v, workload::Layer& l) {
  v.from("neutral: what is not given takes no time");
  v.required("name", l.name, "Name that reports show");
  v.group("forward", "Forward pass", [&](auto& group) { describe(group, l.forward); });
  v.group("input_gradient", "Backward pass: gradient of the inputs",
          [&](auto& group) { describe(group, l.input_gradient); });
  v.group("weight_gradient", "Backward pass: gradient of the weights",
          [&](auto& group) { describe(group, l.weight_gradient); });
  v.field("update", l.update, "Time added after every collective of the layer");
  v.field("parallelism", l.parallelism,
          "Only under hybrid_customized: data, model, hybrid_data_model or hybrid_model_data");
}

template <class V>
void describe(V& v, workload::Workload& w) {
  v.from("ASTRA-sim 1.0's workload file, where it is left out there");
  v.field("parallelism", w.parallelism,
          "How the layers are spread over the NPUs, and the order of a training step");
  v.field("model_group", w.model_group, "hybrid_transformer: NPUs that share a model");
  v.integers("checkpoints", w.checkpoints,
             "hybrid_transformer_fwd_in_bckwd: layers whose activations are kept");
  v.integers("recompute_starts", w.recompute_starts,
             "hybrid_transformer_fwd_in_bckwd: layers that recompute first");
  v.field("last_bottom_layer", w.last_bottom_layer, "hybrid_dlrm: the last layer of the bottom MLP");
  v.list("layers", w.layers, "Layers in forward order; layer 0 of a hybrid_dlrm is the embedding",
         [](auto& item, workload::Layer& l) { describe(item, l); });
}

}  // namespace overture::setup
