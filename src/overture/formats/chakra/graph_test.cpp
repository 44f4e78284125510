#include "overture/formats/chakra/graph.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "overture/base/testing.h"
#include "overture/formats/chakra/inspect.h"
#include "overture/formats/chakra/reader.h"
#include "overture/formats/chakra/writer.h"

namespace overture::chakra {
namespace {

using workload::TaskGraph;
using workload::TaskId;
using workload::TaskKind;

class GraphFiles : public testing::Test {
 protected:
  ~GraphFiles() override { std::filesystem::remove_all(folder_); }
  std::string prefix() const { return (folder_ / "w").string(); }
  void write(const TaskGraph& graph) const {
    for (int rank = 0; rank < graph.ranks(); ++rank)
      write_trace(to_trace(graph, rank), rank_file(prefix(), rank));
  }

 private:
  static std::filesystem::path make() {
    std::string name = (std::filesystem::temp_directory_path() / "chakragXXXXXX").string();
    return mkdtemp(name.data());
  }
  std::filesystem::path folder_ = make();
};

// Rank 0 computes and sends to rank 1, then ranks 1 and 2 gather.
TaskGraph three_ranks() {
  TaskGraph graph(3);
  const auto label = graph.add_label("x");
  const TaskId compute = graph.add(workload::ComputeTask{Rank{0}, Nanoseconds{1500}}, label);
  const TaskId message = graph.add(workload::MessageTask{Rank{0}, Rank{1}, Bytes{100}}, label);
  const TaskId gather = graph.add(workload::CollectiveTask{.group = graph.add_group({Rank{1}, Rank{2}}),
                                                           .kind = system::CollectiveKind::all_gather,
                                                           .size = Bytes{7}},
                                  label);
  graph.depend(compute, message);
  graph.depend(message, gather);
  return graph;
}

TEST_F(GraphFiles, AGraphComesBackFromItsTraces) {
  const TaskGraph before = three_ranks();
  write(before);
  EXPECT_EQ(groups_json(before), "{\"1\": [1, 2]}\n");
  const TaskGraph after = read_graph(prefix(), {.groups = {{1, {1, 2}}}}).graph;
  ASSERT_EQ(after.size(), before.size());
  EXPECT_EQ(after.compute(TaskId{0}).duration, Nanoseconds{1500});
  EXPECT_EQ(after.message(TaskId{1}).to, Rank{1});
  EXPECT_EQ(after.kind(TaskId{2}), TaskKind::collective);
  EXPECT_EQ(after.collective(TaskId{2}).size, Bytes{7});
  ASSERT_EQ(after.edges().size(), 2U);
  EXPECT_EQ(after.edges()[1].before, TaskId{1});
  EXPECT_EQ(after.edges()[1].after, TaskId{2});
}

TaskGraph symmetric(int ranks) {
  TaskGraph graph(ranks);
  const auto label = graph.add_label("step");
  const TaskId compute = graph.add(workload::ComputeTask{workload::kEveryone, Nanoseconds{2000}}, label);
  const TaskId reduce =
      graph.add(workload::CollectiveTask{.group = graph.add_group_of_all(), .size = Bytes{1 << 20}}, label);
  graph.depend(compute, reduce);
  return graph;
}

TEST_F(GraphFiles, TracesThatSayTheSameStandForMoreRanks) {
  write(symmetric(4));
  const TracedGraph traced = read_graph(prefix(), {.ranks = 1000});
  EXPECT_TRUE(traced.graph.symbolic());
  EXPECT_EQ(traced.graph.ranks(), 1000);
  EXPECT_EQ(traced.graph.size(), 2U);
  EXPECT_NE(traced.note.find("stand for 1000 ranks"), std::string::npos);
}

TEST_F(GraphFiles, TracesThatNameRanksDoNot) {
  write(three_ranks());
  const std::string text = user_error([&] { read_graph(prefix(), {.ranks = 6, .groups = {{1, {1, 2}}}}); });
  EXPECT_NE(text.find("cannot run on 6"), std::string::npos) << text;
}

TEST_F(GraphFiles, ASendThatNobodyReceivesNamesBothRanks) {
  write(three_ranks());
  write_trace(to_trace(symmetric(3), 0), rank_file(prefix(), 1));
  const std::string text = user_error([&] { read_graph(prefix(), {.groups = {{1, {1, 2}}}}); });
  EXPECT_NE(text.find("rank 0 sends 100 bytes to rank 1, which never receives them"), std::string::npos)
      << text;
}

TEST_F(GraphFiles, CollectivesThatDoNotFitNameBothRanks) {
  write(symmetric(2));
  TaskGraph other(2);
  other.add(
      workload::CollectiveTask{
          .group = other.add_group_of_all(), .kind = system::CollectiveKind::all_to_all, .size = Bytes{9}},
      other.add_label("odd"));
  write_trace(to_trace(other, 1), rank_file(prefix(), 1));
  const std::string text = user_error([&] { read_graph(prefix()); });
  EXPECT_NE(text.find("rank 1 starts all_to_all of 9 bytes where rank 0 starts all_reduce"),
            std::string::npos)
      << text;
}

TEST_F(GraphFiles, AnInspectionFindsTheLongestChain) {
  RankTrace trace;
  const auto a = add_node(trace, {.id = 1, .duration_micros = 5, .kind = NodeKind::compute}, "a", {});
  add_node(trace, {.id = 2, .duration_micros = 50, .kind = NodeKind::compute}, "b", {});
  const auto c =
      add_node(trace, {.id = 3, .duration_micros = 60, .kind = NodeKind::compute}, "c", std::array{a});
  const Inspection found = inspect(trace);
  EXPECT_EQ(found.critical_micros, 65U);
  EXPECT_EQ(found.critical_path, (std::vector<std::uint32_t>{a, c}));
  EXPECT_EQ(found.roots, 2U);
}

}  // namespace
}  // namespace overture::chakra
