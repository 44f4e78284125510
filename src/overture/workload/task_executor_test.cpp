#include "overture/workload/task_executor.h"

#include <gtest/gtest.h>

#include "overture/base/error.h"

namespace overture::workload {
namespace {

using namespace literals;

// Every message takes 1 us and a nanosecond per byte, whatever else is under way.
class PlainNetwork final : public network::Network {
 public:
  explicit PlainNetwork(sim::EventQueue& events) : Network(16, events) {}
  Bytes sent;

 private:
  void carry(const network::Message& message, Action delivered) override {
    sent += message.size;
    events().after(Duration{1us} + Nanoseconds{message.size.count()}, delivered);
  }
};

struct Machine {
  sim::EventQueue events;
  PlainNetwork network{events};

  TaskRun run(const TaskGraph& graph) { return run_tasks(graph, network, events); }
};

TEST(TaskExecutor, ARankComputesOneTaskAtATimeInTheOrderOfReadiness) {
  TaskGraph graph(2);
  const LabelId label = graph.add_label("work");
  const TaskId a = graph.add(ComputeTask{Rank{0}, 5us}, label);
  const TaskId b = graph.add(ComputeTask{Rank{0}, 3us}, label);
  const TaskId c = graph.add(ComputeTask{Rank{1}, 4us}, label);
  const TaskId after_a = graph.add(ComputeTask{Rank{0}, 1us}, label);
  graph.depend(a, after_a);
  Machine machine;
  const TaskRun run = machine.run(graph);
  EXPECT_EQ(run.end[index(a)], Time{5us});
  EXPECT_EQ(run.start[index(b)], Time{5us});
  EXPECT_EQ(run.end[index(c)], Time{4us});
  EXPECT_EQ(run.start[index(after_a)], Time{8us});  // b was ready before it
  EXPECT_EQ(run.makespan, Duration{9us});
  EXPECT_EQ(run.exposed(), Duration::zero());
}

TEST(TaskExecutor, AMessageWaitsForItsSenderAndWakesItsReceiver) {
  TaskGraph graph(2);
  const LabelId label = graph.add_label("work");
  const TaskId before = graph.add(ComputeTask{Rank{0}, 2us}, label);
  const TaskId message = graph.add(MessageTask{Rank{0}, Rank{1}, 500_B}, label);
  const TaskId after = graph.add(ComputeTask{Rank{1}, 2us}, label);
  graph.depend(before, message);
  graph.depend(message, after);
  Machine machine;
  const TaskRun run = machine.run(graph);
  EXPECT_EQ(run.end[index(message)], Time{3500ns});
  EXPECT_EQ(run.makespan, Duration{5500ns});
  EXPECT_EQ(run.exposed(), Duration{3500ns});
}

TEST(TaskExecutor, ACollectiveTakesItsDelayAndItsRounds) {
  TaskGraph graph(4);
  const LabelId label = graph.add_label("reduce");
  Rounds rounds = all_reduce(AllReduce::ring, 4000_B, 4, {});
  rounds.delay = 10us;
  graph.add(CollectiveTask{graph.add_group_of_all(), rounds, 4000_B}, label);
  Machine machine;
  EXPECT_EQ(machine.run(graph).makespan, Duration{10us + 6 * 2us});
  EXPECT_EQ(machine.network.sent, traffic(graph).collectives);
  EXPECT_EQ(machine.network.sent, Bytes{2 * 3 * 4000});
}

TEST(TaskExecutor, AGroupOfOneReducesAtOnce) {
  TaskGraph graph(2);
  const LabelId label = graph.add_label("reduce");
  const Rounds rounds = all_reduce(AllReduce::ring, 4000_B, 1, {});
  graph.add(CollectiveTask{graph.add_group({Rank{1}}), rounds, 4000_B}, label);
  Machine machine;
  EXPECT_EQ(machine.run(graph).makespan, Duration::zero());
}

TEST(TaskExecutor, SaysSoWhenTasksWaitForEachOther) {
  TaskGraph graph(1);
  const LabelId label = graph.add_label("work");
  const TaskId a = graph.add(ComputeTask{Rank{0}, 1us}, label);
  const TaskId b = graph.add(ComputeTask{Rank{0}, 1us}, label);
  graph.depend(a, b);
  graph.depend(b, a);
  Machine machine;
  EXPECT_THROW(machine.run(graph), UserError);
}

TEST(Rounds, EveryAlgorithmSendsTwiceTheDataForAllButOneRank) {
  for (const int ranks : {2, 3, 16, 100}) {
    const Bytes size{ranks * 1000};
    const Bytes expected = size * (2 * (ranks - 1));
    EXPECT_EQ(traffic(all_reduce(AllReduce::ring, size, ranks, {}), ranks), expected);
    EXPECT_EQ(traffic(all_reduce(AllReduce::parameter_server, size, ranks, {}), ranks), expected);
    EXPECT_EQ(traffic(all_reduce(AllReduce::distributed_parameter_server, size, ranks, {}), ranks), expected);
  }
}

TEST(Rounds, WithoutTheRemainderLessIsSent) {
  EXPECT_EQ(all_reduce(AllReduce::ring, 1003_B, 4, {}).each, 251_B);
  EXPECT_EQ(all_reduce(AllReduce::ring, 1003_B, 4, {.drop_remainder = true}).each, 250_B);
}

// 16 ranks, packets of 9,000 bytes: below 144,000 one round of S * 2 * 15/16 / 16; up to 270,000 the first
// round of thirty is the last.
TEST(Rounds, AShortRingEndsEarly) {
  const AllReduceRules rules{.drop_remainder = true, .end_ring_early_below = 9000_B};
  const auto ring = [&](std::int64_t size) { return all_reduce(AllReduce::ring, Bytes{size}, 16, rules); };
  EXPECT_EQ(ring(143'999).count, 1);
  EXPECT_EQ(ring(143'999).each, Bytes{143'999 * 30 / 16 / 16});
  EXPECT_EQ(ring(144'000).count, 1);
  EXPECT_EQ(ring(144'000).each, 9000_B);
  EXPECT_EQ(ring(270'000).count, 1);
  EXPECT_EQ(ring(270'001).count, 30);
}

TEST(Rounds, NoMessageIsShorterThanTheSmallest) {
  EXPECT_EQ(all_reduce(AllReduce::distributed_parameter_server, 4_B, 16, {.smallest_message = 8936_B}).each,
            8936_B);
  EXPECT_EQ(all_reduce(AllReduce::distributed_parameter_server, 4_B, 16, {.drop_remainder = true}).each, 1_B);
}

}  // namespace
}  // namespace overture::workload
