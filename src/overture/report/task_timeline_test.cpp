#include "overture/report/task_timeline.h"

#include <map>

#include <gtest/gtest.h>

namespace overture::report {
namespace {

using namespace literals;
using simulation::Timeline;
using workload::ComputeTask;
using workload::MessageTask;
using workload::TaskGraph;
using workload::TaskId;

// Rank 0 computes for 2 us and sends; rank 1 computes for 1 us and, when the message has come, for 3 us more.
struct Example {
  TaskGraph graph{2};
  TaskId first = graph.add(ComputeTask{Rank{0}, 2us}, graph.add_label("forward"));
  TaskId message = graph.add(MessageTask{Rank{0}, Rank{1}, 500_B}, graph.add_label("features"));
  TaskId early = graph.add(ComputeTask{Rank{1}, 1us}, graph.add_label("bottom"));
  TaskId late = graph.add(ComputeTask{Rank{1}, 3us}, graph.add_label("top"));
  Timeline run{.finished = 8us,
               .start = {Time{0us}, Time{2us}, Time{0us}, Time{5us}},
               .end = {Time{2us}, Time{5us}, Time{1us}, Time{8us}},
               .busy = {2us, 4us}};

  Example() {
    graph.depend(first, message);
    graph.depend(message, late);
    graph.depend(early, late);
  }
};

TEST(TaskTimeline, ATaskWaitedForWhatEndedLast) {
  const Example example;
  const auto waited = waited_for(example.graph, example.run);
  EXPECT_EQ(waited[index(example.late)], example.message);
  EXPECT_EQ(waited[index(example.message)], example.first);
  EXPECT_EQ(waited[index(example.first)], example.first) << "for nothing";
}

TEST(TaskTimeline, ComputedAndExposedTimeOfTheBusiestRankAddUpToTheRun) {
  const Example example;
  std::map<std::string, LabelTime> times;
  Duration sum{};
  for (const LabelTime& time :
       label_times(example.graph, example.run, waited_for(example.graph, example.run))) {
    times[time.name] = time;
    sum += time.compute + time.exposed;
  }
  EXPECT_EQ(sum, example.run.finished);
  EXPECT_EQ(times.at("features").exposed, Duration{4us}) << "from 1 us, when rank 1 was done, to 5 us";
  EXPECT_EQ(times.at("features").communication, Duration{3us});
  EXPECT_EQ(times.at("top").compute, Duration{3us});
  EXPECT_FALSE(times.contains("forward")) << "rank 0's alone";
}

// Everybody computes for 2 us, reduces for 3 us and computes for 1 us: described once, for all.
struct Symbolic {
  TaskGraph graph{4};
  TaskId forward = graph.add(ComputeTask{workload::kEveryone, 2us}, graph.add_label("forward"));
  TaskId reduce = graph.add(workload::CollectiveTask{.group = graph.add_group_of_all(), .size = 8_B},
                            graph.add_label("reduce"));
  TaskId update = graph.add(ComputeTask{workload::kEveryone, 1us}, graph.add_label("update"));
  Timeline run{.finished = 6us,
               .start = {Time{0us}, Time{2us}, Time{5us}},
               .end = {Time{2us}, Time{5us}, Time{6us}},
               .busy = {3us}};

  Symbolic() {
    graph.depend(forward, reduce);
    graph.depend(reduce, update);
  }
};

TEST(TaskTimeline, WhatEverybodyDoesIsCountedOnce) {
  const Symbolic example;
  std::map<std::string, LabelTime> times;
  for (const LabelTime& time :
       label_times(example.graph, example.run, waited_for(example.graph, example.run)))
    times[time.name] = time;
  EXPECT_EQ(times.at("forward").compute, Duration{2us});
  EXPECT_EQ(times.at("reduce").exposed, Duration{3us});
  EXPECT_EQ(times.at("update").compute, Duration{1us});
  EXPECT_EQ(times.at("update").exposed, Duration{});
}

}  // namespace
}  // namespace overture::report
