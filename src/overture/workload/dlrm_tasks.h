// One training step of a DLRM as a TaskGraph: dense layers and the concatenation data-parallel over all
// nodes, every table whole on one node, an all-reduce for every dense parameter. The shape of the graph is
// that of FlexFlow in the Opera study (EuroMLSys 2024); what that study did and a real system would not, is a
// switch each.
#pragma once

#include <cstdint>
#include <vector>

#include "overture/model/dlrm.h"
#include "overture/model/dlrm_compute.h"
#include "overture/model/placement.h"
#include "overture/workload/dlrm_training.h"
#include "overture/workload/task_graph.h"

namespace overture::workload {

// The defaults are what a real system does; as_published() turns all on.
struct DlrmArtefacts {
  // Outputs of tables count 8 bytes an element, since the operator inherits the type of its int64 indices.
  bool int64_embeddings = false;
  // Messages shorter than a packet are sent as one, and shares of an all-reduce are rounded down.
  bool whole_packets = false;
  // A ring all-reduce with messages shorter than a packet ends after one round.
  bool early_ring_end = false;
  // The parameter servers get the gradients of all GPUs of a node without reducing them first.
  bool free_reduction_in_node = false;
  // Kernel and bias of a layer are reduced one by one.
  bool separate_biases = false;
  // Tables take the fitted time, ten times and more what their memory traffic explains: the backward kernel
  // was timed on indices that were never set.
  bool fitted_tables = false;
  // The tables of a node run one after the other, as if it had one GPU.
  bool tables_in_turn = false;

  static DlrmArtefacts as_published();
};

struct DlrmStep {
  model::Dlrm model;
  std::int64_t batch = 524'288;  // of all nodes together
  int nodes = 16;
  int gpus_per_node = 8;
  model::PlacementRule placement = model::PlacementRule::round_robin;
  model::Placement given{};  // the node of every table, in place of the rule
  system::AlgorithmKind all_reduce = system::kLockstepRing;
  // Rings of fibres that the network has, each through all nodes in this order: a ring all-reduce splits its
  // data over them. Empty: one, in the order of the nodes.
  std::vector<std::vector<Rank>> rings;
  Bandwidth between_gpus = Bandwidth::bits_per_second(200'000'000'000);  // within a node
  Bytes memory_per_node{8 * 80'000'000'000};                             // of eight A100 with 80 GB
  model::DlrmCompute compute;
  DlrmArtefacts artefacts;
  // Of the network on which artefacts depend: on htsim's fat tree 9,000 bytes, of which 8,936 are sent; on
  // its Opera 1,500, and short messages are not padded.
  Bytes packet{9000};
  Bytes packet_sent{8936};
};

// A training as such a step. Throws UserError for tables or dense layers that are cut.
DlrmStep dlrm_step(const DlrmTraining& training, int nodes);

// How the study carries out its collectives: all at once, in rounds.
system::SystemConfig dlrm_system(const DlrmStep& step);

// From a table to a node, and back as gradient.
Bytes table_message(const DlrmStep& step, const model::EmbeddingTable& table);
// All-reduces of one dense layer, one or two, on every ring; `group` is the number of the ring.
std::vector<CollectiveTask> layer_all_reduces(const DlrmStep& step, const model::DenseLayer& layer);

// What a graph puts on the network.
struct GraphTraffic {
  Bytes messages;
  Bytes collectives;

  double collective_fraction() const {
    return static_cast<double>(collectives.count()) / static_cast<double>((messages + collectives).count());
  }
};
// Of the step's graph, without making it.
GraphTraffic dlrm_traffic(const DlrmStep& step);

// Throws UserError when the batch does not reach all nodes or the tables do not fit.
TaskGraph dlrm_tasks(const DlrmStep& step);

}  // namespace overture::workload
