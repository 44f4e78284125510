#include <gtest/gtest.h>

#include "overture/base/error.h"
#include "overture/simulation/play.h"

namespace overture::simulation {
namespace {

using namespace literals;

using namespace workload;
using system::AlgorithmKind;

// Every message takes 1 us and a nanosecond per byte, whatever else is under way.
class PlainNetwork final : public network::Network {
 public:
  using Network::Network;
  Bytes sent;

 private:
  void carry(const network::Message& message, Action delivered) override {
    sent += message.size;
    events().after(Duration{1us} + Nanoseconds{message.size.count()}, delivered);
  }
};

system::SystemConfig all_reduce_by(AlgorithmKind algorithm) {
  system::SystemConfig config{.endpoint_delay = 0ns};
  config.implementation(system::CollectiveKind::all_reduce) = {.per_dimension = {{algorithm}}, .flat = true};
  return config;
}

struct Setting {
  explicit Setting(int ranks) : network(ranks, events) {}
  sim::EventQueue events;
  PlainNetwork network;
  AlgorithmKind algorithm = system::kLockstepRing;

  Timeline run(const TaskGraph& graph) {
    return play(graph, all_reduce_by(algorithm), one_dimension(network.ranks()), network, events);
  }
};

TEST(Executor, ARankComputesOneTaskAtATimeInTheOrderOfReadiness) {
  TaskGraph graph(2);
  const LabelId label = graph.add_label("work");
  const TaskId a = graph.add(ComputeTask{Rank{0}, 5us}, label);
  const TaskId b = graph.add(ComputeTask{Rank{0}, 3us}, label);
  const TaskId c = graph.add(ComputeTask{Rank{1}, 4us}, label);
  const TaskId after_a = graph.add(ComputeTask{Rank{0}, 1us}, label);
  graph.depend(a, after_a);
  Setting machine(graph.ranks());
  const Timeline run = machine.run(graph);
  EXPECT_EQ(run.end[index(a)], Time{5us});
  EXPECT_EQ(run.start[index(b)], Time{5us});
  EXPECT_EQ(run.end[index(c)], Time{4us});
  EXPECT_EQ(run.start[index(after_a)], Time{8us});  // b was ready before it
  EXPECT_EQ(run.finished, Duration{9us});
  EXPECT_EQ(run.exposed(), Duration::zero());
}

TEST(Executor, AMessageWaitsForItsSenderAndWakesItsReceiver) {
  TaskGraph graph(2);
  const LabelId label = graph.add_label("work");
  const TaskId before = graph.add(ComputeTask{Rank{0}, 2us}, label);
  const TaskId message = graph.add(MessageTask{Rank{0}, Rank{1}, 500_B}, label);
  const TaskId after = graph.add(ComputeTask{Rank{1}, 2us}, label);
  graph.depend(before, message);
  graph.depend(message, after);
  Setting machine(graph.ranks());
  const Timeline run = machine.run(graph);
  EXPECT_EQ(run.end[index(message)], Time{3500ns});
  EXPECT_EQ(run.finished, Duration{5500ns});
  EXPECT_EQ(run.exposed(), Duration{3500ns});
}

TEST(Executor, ACollectiveTakesItsDelayAndItsRounds) {
  TaskGraph graph(4);
  const LabelId label = graph.add_label("reduce");
  graph.add(CollectiveTask{.group = graph.add_group_of_all(), .size = 4000_B, .before = 10us, .after = 3us},
            label);
  Setting machine(4);
  EXPECT_EQ(machine.run(graph).finished, Duration{10us + 6 * 2us + 3us});
  EXPECT_EQ(machine.network.sent, Bytes{2 * 3 * 4000});
}

TEST(Executor, AGroupByNameReducesOnItsOwn) {
  for (const AlgorithmKind algorithm :
       std::initializer_list<AlgorithmKind>{system::kRing, system::kDirect, system::kHalvingDoubling,
                                            system::kLockstepRing, system::kDoubleBinaryTree}) {
    TaskGraph graph(8);
    const LabelId label = graph.add_label("reduce");
    graph.add(CollectiveTask{.group = graph.add_group({Rank{7}, Rank{1}, Rank{4}, Rank{2}}), .size = 4000_B},
              label);
    Setting machine(8);
    machine.algorithm = algorithm;
    EXPECT_GT(machine.run(graph).finished, Duration{}) << name(algorithm);
    EXPECT_EQ(machine.network.sent, Bytes{2 * 3 * 4000}) << name(algorithm);
  }
}

TEST(Executor, AGroupOfOneReducesAtOnce) {
  TaskGraph graph(2);
  const LabelId label = graph.add_label("reduce");
  graph.add(CollectiveTask{.group = graph.add_group({Rank{1}}), .size = 4000_B}, label);
  Setting machine(2);
  EXPECT_EQ(machine.run(graph).finished, Duration::zero());
}

TEST(Executor, GroupsSmallerThanTheMachineAreTheirOwn) {
  TaskGraph graph(4);  // on eight hosts
  const LabelId label = graph.add_label("reduce");
  graph.add(CollectiveTask{.group = graph.add_group_of_all(), .size = 4000_B}, label);
  Setting machine(8);
  EXPECT_EQ(machine.run(graph).finished, 6 * Duration{2us});
}

TEST(Executor, ASizeForEveryPairIsSentOnce) {
  TaskGraph graph(3);
  const LabelId label = graph.add_label("exchange");
  auto sizes = std::make_shared<system::PairSizes>(3);
  sizes->at(0, 1) = 100_B;
  sizes->at(2, 0) = 5000_B;
  graph.add(
      CollectiveTask{
          .group = graph.add_group_of_all(), .kind = system::CollectiveKind::all_to_all, .sizes = sizes},
      label);
  Setting machine(3);
  system::SystemConfig config{.endpoint_delay = 0ns};
  config.implementation(system::CollectiveKind::all_to_all) = {.per_dimension = {{system::kDirect}}};
  const Timeline run = play(graph, config, one_dimension(3), machine.network, machine.events);
  EXPECT_EQ(run.finished, Duration{6us});
  EXPECT_EQ(machine.network.sent, 5100_B);
}

TEST(Executor, BroadcastAndBarrierNeedNoConfiguration) {
  for (const auto kind : {system::CollectiveKind::broadcast, system::CollectiveKind::barrier}) {
    TaskGraph graph(8);
    const LabelId label = graph.add_label("tell");
    graph.add(CollectiveTask{.group = graph.add_group_of_all(), .kind = kind, .size = 1_B}, label);
    Setting machine(8);
    EXPECT_EQ(machine.run(graph).finished, 3 * Duration{1001ns}) << name(kind);
  }
}

TEST(Executor, SaysSoWhenTasksWaitForEachOther) {
  TaskGraph graph(1);
  const LabelId label = graph.add_label("work");
  const TaskId a = graph.add(ComputeTask{Rank{0}, 1us}, label);
  const TaskId b = graph.add(ComputeTask{Rank{0}, 1us}, label);
  graph.depend(a, b);
  graph.depend(b, a);
  Setting machine(graph.ranks());
  EXPECT_THROW(machine.run(graph), UserError);
}

}  // namespace
}  // namespace overture::simulation
