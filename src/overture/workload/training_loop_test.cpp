// Every training loop as a line of text: what is computed, what is issued, and what waits for which
// collective.
#include "overture/workload/training_loop.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "overture/topology/hierarchy.h"

namespace overture::workload {
namespace {

using system::CollectiveKind;
using system::SchedulingPolicy;

Pass pass(std::optional<CollectiveKind> kind) {
  Pass pass{.compute = Duration{1}};
  if (kind) pass.communication = Communication{*kind, Bytes{64}};
  return pass;
}
Layer layer(std::optional<CollectiveKind> forward, std::optional<CollectiveKind> input,
            std::optional<CollectiveKind> weights) {
  return {.name = "layer",
          .forward = pass(forward),
          .input_gradient = pass(input),
          .weight_gradient = pass(weights)};
}
Layer busy_layer() {
  return layer(CollectiveKind::all_reduce, CollectiveKind::all_reduce, CollectiveKind::all_reduce);
}

// F0, I0, W0: a pass of layer 0 is computed; a dot: a step. f0, i0, w0: its collective is issued: ^ lifo, _
// fifo, ! highest. Each of the first waits for the one before; in brackets are the collectives that it, or
// what is issued after it, waits for as well.
class Program {
 public:
  Program(const TaskGraph& graph) : graph_(graph), waits_(graph.size()) {
    for (const TaskGraph::Edge& edge : graph.edges()) waits_[index(edge.after)].push_back(edge.before);
    for (std::uint32_t i = 0; i < graph.size(); ++i) add(TaskId{i});
  }
  const std::string& text() const { return text_; }

 private:
  bool is_collective(TaskId id) const { return graph_.kind(id) == TaskKind::collective; }
  std::string name(TaskId id, const char* letters) const {
    const Label& label = graph_.labels()[static_cast<std::size_t>(graph_.label(id))];
    return fmt::format("{}{}", letters[static_cast<int>(label.pass)], label.layer_number);
  }

  void add(TaskId id) {
    if (!text_.empty()) text_ += " ";
    if (is_collective(id)) {
      text_ += name(id, "fiw") + "^_!"[static_cast<int>(graph_.collective(id).policy)];
    } else {
      text_ += graph_.kind(id) == TaskKind::pause ? "." : name(id, "FIW");
    }
    std::string collectives;
    bool after_last = !last_;
    for (const TaskId one : waits_[index(id)]) {
      if (is_collective(one)) {
        collectives += (collectives.empty() ? "" : ",") + name(one, "fiw");
      } else {
        after_last = after_last || one == *last_;
      }
    }
    EXPECT_TRUE(after_last) << text_;
    if (!collectives.empty()) text_ += "(" + collectives + ")";
    if (!is_collective(id)) last_ = id;
  }

  const TaskGraph& graph_;
  std::vector<std::vector<TaskId>> waits_;
  std::optional<TaskId> last_;  // computed, or a step
  std::string text_;
};

std::string program(const Workload& workload, SchedulingPolicy policy, int passes = 1) {
  const system::LogicalDimensions logical =
      system::logical_dimensions(topology::Hierarchy({{topology::DimensionKind::switched, 4}}));
  const TaskGraph graph = training_graph(workload, {.passes = passes, .policy = policy}, 4, logical);
  EXPECT_EQ(graph.iterations().size(), static_cast<std::size_t>(passes));
  return Program(graph).text();
}

TEST(TrainingLoop, MicroIssuesOneCollectiveOverAndOver) {
  const Workload workload{.parallelism = Parallelism::micro, .layers = {busy_layer(), busy_layer()}};
  EXPECT_EQ(program(workload, SchedulingPolicy::fifo, 3), "w0_ w0_ w0_");
}

TEST(TrainingLoop, DataParallelWaitsForItsWeightsLayerByLayer) {
  const Workload workload{.parallelism = Parallelism::data, .layers = {busy_layer(), busy_layer()}};
  EXPECT_EQ(program(workload, SchedulingPolicy::fifo, 2),
            "F0 . F1 . W1 w1_ . I1 . W0 w0_ . "
            "F0(w0) . F1(w1) . W1 w1_ . I1 . W0 w0_ .");
}

TEST(TrainingLoop, InferenceHandsItsActivationsOn) {
  const Workload workload{.parallelism = Parallelism::distributed_inference,
                          .layers = {busy_layer(), busy_layer()}};
  EXPECT_EQ(program(workload, SchedulingPolicy::fifo), "F0 f0_ .(f0) F1 f1_ .(f1)");
}

TEST(TrainingLoop, ModelParallelLoopsDifferInWhichGradientsTheySend) {
  Workload workload{.layers = {busy_layer(), busy_layer()}};
  const auto of = [&](Parallelism parallelism) {
    workload.parallelism = parallelism;
    return program(workload, SchedulingPolicy::highest);
  };
  const std::string forward = "F0 f0! .(f0) F1 f1! .(f1) ";
  EXPECT_EQ(of(Parallelism::model), forward + "I1 i1^ . W1 .(i1) I0 . W0 .");
  for (const Parallelism hybrid :
       {Parallelism::hybrid_data_model, Parallelism::hybrid_model_data, Parallelism::hybrid_customized})
    EXPECT_EQ(of(hybrid), forward + "I1 i1^ . W1 w1_ .(i1) I0 . W0 w0_ .");
  for (const Parallelism hybrid :
       {Parallelism::hybrid_transformer, Parallelism::hybrid_transformer_fwd_in_bckwd})
    EXPECT_EQ(of(hybrid), forward + "I1 i1^ . W1 w1_ .(i1) I0 i0^ . W0 w0_ .(i0)");
}

TEST(TrainingLoop, ARecomputationStartsAtTheLastCheckpointBeforeTheLayer) {
  const Workload workload{.parallelism = Parallelism::hybrid_transformer_fwd_in_bckwd,
                          .checkpoints = {1, 0, 3},
                          .recompute_starts = {2},
                          .layers = std::vector<Layer>(4, layer({}, {}, {}))};
  EXPECT_EQ(program(workload, SchedulingPolicy::lifo),
            "F0 . F1 . F2 . F3 . I3 . W3 . . F1 . I2 . W2 . I1 . W1 . I0 . W0 .");
}

TEST(TrainingLoop, TheEmbeddingsExchangesOverlapTheBottomMlp) {
  Workload workload{.last_bottom_layer = 1, .layers = std::vector<Layer>(3, busy_layer())};
  workload.layers[0].forward.communication->kind = CollectiveKind::all_to_all;
  const std::string all_but_the_end = "F0 f0! . F1 .(f0) F2 . W2 w2_ . I2 i0! . W1 w1_ . I1 . W0 w0_ .";
  workload.parallelism = Parallelism::hybrid_dlrm_enhanced;
  EXPECT_EQ(program(workload, SchedulingPolicy::fifo), all_but_the_end);
  workload.parallelism = Parallelism::hybrid_dlrm;
  EXPECT_EQ(program(workload, SchedulingPolicy::fifo), all_but_the_end + "(i0)");
}

// Layer 2 is sharded: it is gathered while layer 1 computes on the way forward, and layer 3 on the way back.
TEST(TrainingLoop, AShardedLayerIsGatheredWhileTheOneBeforeItComputes) {
  const auto reduced = CollectiveKind::all_reduce;
  const auto gathered = CollectiveKind::all_gather;
  const auto exchanged = CollectiveKind::all_to_all;
  const Workload workload{.parallelism = Parallelism::dlrm,
                          .table_layers = 1,
                          .last_bottom_layer = 1,
                          .layers = {layer(exchanged, exchanged, reduced), layer({}, {}, reduced),
                                     layer(gathered, gathered, reduced), layer({}, {}, reduced)}};
  const std::string back = "i2_ W3 w3^ . I3 . W2(i2) w2^ . I2 i0! . W1 w1^ . I1 . W0(i0) w0^ .";
  EXPECT_EQ(program(workload, SchedulingPolicy::lifo, 2),
            "F0 f0! . f2_ F1 .(f0) F2(f2) . F3 . " + back +
                " F0(w0) f0! . f2_(w1,w2) F1(w1,w2) .(f0) F2(f2) . F3(w3) . " + back);
}

}  // namespace
}  // namespace overture::workload
