#include "overture/formats/flexflow/flexflow_graph.h"

#include "flexflow_generated.h"
#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/network/flow/flow_network.h"
#include "overture/simulation/play.h"
#include "overture/topology/star.h"
#include "overture/workload/dlrm_tasks.h"

namespace overture::formats {

using namespace workload;
namespace {

using namespace literals;

DlrmStep step() {
  DlrmStep step{.model = model::make_dlrm({.name = "small",
                                           .tables = 6,
                                           .rows = 1000,
                                           .columns = 16,
                                           .width = 64,
                                           .bottom_layers = 2,
                                           .top_layers = 3}),
                .batch = 4096,
                .nodes = 4};
  auto& fits = std::get<model::DlrmCalibration>(step.compute.by);
  fits.dense_floor = 1ms;  // exact as a float of milliseconds
  fits.concat_floor = 2ms;
  step.artefacts.fitted_tables = true;
  fits.embedding_forward = 8192ms;
  fits.embedding_backward = 16384ms;
  return step;
}

ReductionInNode reduce() {
  return [](Bytes size) { return transfer_time(size / 4, 200_Gbps); };
}

simulation::Timeline play(const TaskGraph& graph) {
  sim::EventQueue events;
  network::flow::FlowNetwork network(topology::star({.hosts = 4}), {}, events);
  return simulation::play(graph, dlrm_system(step()), network, events);
}

TEST(FlexFlowGraph, WhatIsWrittenReadsBackAndTakesAsLong) {
  const TaskGraph graph = dlrm_tasks(step());
  const TaskGraph read = parse_flexflow_graph(to_flexflow(graph, 8), "x.tg", reduce());
  EXPECT_EQ(read.ranks(), graph.ranks());
  EXPECT_EQ(read.size(), graph.size());
  EXPECT_EQ(read.edges().size(), graph.edges().size());
  EXPECT_EQ(play(read).end, play(graph).end);
}

TEST(FlexFlowGraph, AFileCutShortIsRefusedWhereverItIsCut) {
  const std::string whole = to_flexflow(dlrm_tasks(step()), 8);
  for (std::size_t length = 0; length < whole.size(); length += 1 + whole.size() / 500) {
    EXPECT_THROW(parse_flexflow_graph(std::string_view(whole).substr(0, length), "x.tg", reduce()), UserError)
        << length;
  }
}

// Any byte may be wrong: the answer is a graph or an error, never a crash.
TEST(FlexFlowGraph, AWrongByteNeverCrashesIt) {
  const std::string whole = to_flexflow(dlrm_tasks(step()), 8);
  for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 2000) {
    std::string broken = whole;
    broken[at] = static_cast<char>(broken[at] ^ 0x5a);
    try {
      parse_flexflow_graph(broken, "x.tg", reduce());
    } catch (const UserError&) {
    }
  }
}

std::string one_task(std::int16_t type, std::uint64_t device, float milliseconds,
                     std::vector<std::uint64_t> next) {
  flatbuffers::FlatBufferBuilder builder;
  const auto successors = builder.CreateVector(next);
  const std::vector tasks{flexflow::CreateTask(builder, type, 7, device, milliseconds, 10, successors)};
  const std::vector devices{flexflow::CreateDevice(builder, 0, 100, 1),
                            flexflow::CreateDevice(builder, 14, 101, 0, 2)};
  const auto task_vector = builder.CreateVector(tasks);
  const auto device_vector = builder.CreateVector(devices);
  flexflow::GraphBuilder root(builder);
  root.add_nodes(3);
  root.add_switches(1);
  root.add_tasks(task_vector);
  root.add_devices(device_vector);
  builder.Finish(root.Finish());
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

TEST(FlexFlowGraph, ReadsWhatDevicesMean) {
  const TaskGraph compute = parse_flexflow_graph(one_task(0, 100, 1.5F, {}), "x.tg", reduce());
  EXPECT_EQ(compute.compute(TaskId{0}).rank, Rank{1});
  EXPECT_EQ(compute.compute(TaskId{0}).duration, Duration{1500us});
  const TaskGraph message = parse_flexflow_graph(one_task(5, 101, 0, {}), "x.tg", reduce());
  EXPECT_EQ(message.message(TaskId{0}).from, Rank{0});
  EXPECT_EQ(message.message(TaskId{0}).to, Rank{2});
  const TaskGraph reduced = parse_flexflow_graph(one_task(6, 0, 0, {2, 0}), "x.tg", reduce());
  EXPECT_EQ(ranks_of(reduced, RankGroup{0}), (std::vector<Rank>{Rank{2}, Rank{0}}));
}

TEST(FlexFlowGraph, RefusesWhatDoesNotFitTogether) {
  const auto refused = [](const std::string& bytes) {
    EXPECT_THROW(parse_flexflow_graph(bytes, "x.tg", reduce()), UserError);
  };
  refused(one_task(0, 101, 1, {}));    // computes on a pair of nodes
  refused(one_task(5, 100, 1, {}));    // sends on a GPU
  refused(one_task(0, 5, 1, {}));      // no such device
  refused(one_task(0, 100, -1, {}));   // ends before it starts
  refused(one_task(0, 100, 1, {8}));   // followed by nothing
  refused(one_task(6, 0, 0, {3}));     // no such node
  refused(one_task(6, 0, 0, {1, 1}));  // a node twice
  refused(one_task(6, 0, 0, {}));      // nobody takes part
  refused(one_task(3, 100, 1, {}));    // an update
}

TEST(FlexFlowGraph, CannotTellWhatWaitsForAnAllReduce) {
  TaskGraph graph(2);
  const LabelId label = graph.add_label("all");
  const TaskId before = graph.add(CollectiveTask{.group = graph.add_group_of_all(), .size = 5_B}, label);
  graph.depend(before, graph.add(ComputeTask{Rank{0}, 1us}, label));
  EXPECT_THROW(to_flexflow(graph, 8), UserError);
}

}  // namespace
}  // namespace overture::formats
