// A DLRM in a setup, `workload: {dlrm: ...}`: its keys, and the training that they describe.
#pragma once

#include <string>
#include <vector>

#include "overture/setup/planned_tables.h"
#include "overture/setup/train_setup.h"
#include "overture/setup/visitors.h"
#include "overture/workload/dlrm_training.h"

namespace overture::setup {

// An MLP, by the outputs of its layers or by how many layers of how many outputs.
struct MlpSetup {
  std::vector<int> widths;
  int depth = 0;
  int width = 0;
};

struct TablesSetup {
  int count = 1;
  std::uint64_t rows = 0;
  int columns = 0;
  int pooling = 1;
};

struct DlrmSetup {
  int dense_features = 0;
  MlpSetup bottom;
  MlpSetup top;
  TablesSetup equal{.count = 0};
  std::vector<TablesSetup> table_list;
  std::string table_file;
  model::Interaction interaction = model::Interaction::dot;
  model::NumberType weights = model::NumberType::fp32;
  model::NumberType gradients = model::NumberType::fp32;
  model::NumberType rows = model::NumberType::fp32;
  embedding::OptimizerKind optimizer = embedding::OptimizerKind::sgd;
  bool biases = true;
  std::uint64_t batch = 0;
  int gpus_per_node = 1;
  workload::TableSharding sharding = workload::TableSharding::table_wise;
  model::PlacementRule placement = model::PlacementRule::round_robin;
  std::vector<int> place;
  std::vector<PlannedTables> plan;
  workload::DenseParallelism dense = workload::DenseParallelism::data_parallel;
  Bandwidth between_gpus = workload::DlrmTraining{}.between_gpus;
  Bytes memory = workload::DlrmTraining{}.memory_per_gpu;
  std::string compute = "a100";
  Bandwidth gather{};
  double table_backward = 2;
};

// Files are found beside `setup`, the setup's own. Throws UserError that names its key.
workload::DlrmTraining make_training(const DlrmSetup& dlrm, const std::string& setup);

template <class V>
void describe(V& v, MlpSetup& m) {
  v.integers("widths", m.widths, "Outputs of every layer");
  v.field("depth", m.depth, "In place of widths: number of layers");
  v.field("width", m.width, "With depth: outputs of every layer; the last one of the top MLP has one");
}

template <class V>
void describe(V& v, TablesSetup& t) {
  v.field("count", t.count, "Number of equal tables");
  v.field("rows", t.rows, "Rows of each table");
  v.field("columns", t.columns, "Columns of each table: the length of its rows");
  v.field("pooling", t.pooling, "Rows that are summed for a sample");
}

template <class V>
void describe(V& v, DlrmSetup& d) {
  v.from("ours");
  v.field("dense_features", d.dense_features, "Inputs of the bottom MLP");
  v.group("bottom", "The MLP over the dense features", [&](auto& group) { describe(group, d.bottom); });
  v.group("top", "The MLP over the interaction", [&](auto& group) { describe(group, d.top); });
  v.group("tables", "Embedding tables: all alike, in a list, or in a file", [&](auto& group) {
    describe(group, d.equal);
    group.list("list", d.table_list, "Tables of different kinds",
               [](auto& item, TablesSetup& t) { describe(item, t); });
    group.field("file", d.table_file, "CSV beside the setup: rows,columns,pooling, a line per table");
  });
  v.field("interaction", d.interaction,
          "dot: the product of every pair of vectors; cat: all of them side by side");
  v.group("precision", "Number types of what is computed and sent", [&](auto& group) {
    group.field("weights", d.weights, "Weights of the dense layers, and computing");
    group.field("gradients", d.gradients, "Gradients of the dense layers");
    group.field("rows", d.rows, "Rows of the tables and what they give");
  });
  v.field("optimizer", d.optimizer,
          "Optimizer of the rows; what it keeps of them takes memory of the nodes, too");
  v.field("biases", d.biases, "Dense layers have biases, which are reduced with the weights");
  v.field("batch", d.batch, "Samples per iteration, over all ranks");
  v.field("gpus_per_node", d.gpus_per_node,
          "GPUs behind every rank of the network; they share its batch and its tables");
  v.field("sharding", d.sharding,
          "table_wise: whole tables; column_wise and row_wise: an equal share of every rank; data_parallel: "
          "all tables on every rank");
  v.field("placement", d.placement, "table_wise: table t on rank t mod ranks, or the largest first");
  v.integers("place", d.place, "table_wise: the rank of every table, in place of the rule");
  describe_plan(
      v, d.plan,
      "Sharding of each table on its own, in the order of the tables, in place of sharding and placement; "
      "`overture plan` writes it");
  v.field("dense", d.dense,
          "Dense layers: every rank has all weights, or a share of them, gathered for each pass");
  v.field("between_gpus", d.between_gpus, "Rate inside a node, for gradients that its GPUs reduce first");
  v.field("memory", d.memory, "Memory of a GPU for tables");
  v.from("the Opera study's fits for an A100, without its artefacts");
  v.field("compute", d.compute,
          "a100, a100:FILE.csv, roofline:312 TFLOPS,1.5 TB/s, roofline:60 TFLOPS, table:FILE.csv, "
          "scale-sim:FILE.cfg, or machine:FILE.yaml of `overture calibrate`");
  v.from("neutral: the memory of the roofline");
  v.field("gather", d.gather, "Rate at which rows are read; with table and scale-sim it must be given");
  v.from("rows are read and written again");
  v.field("table_backward", d.table_backward, "Backward pass of the tables, in forward passes");
}

}  // namespace overture::setup
