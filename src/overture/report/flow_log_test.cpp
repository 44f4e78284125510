#include "overture/report/flow_log.h"

#include <gtest/gtest.h>

namespace overture::report {
namespace {

using namespace literals;

network::Delivery delivery(std::uint32_t task, std::int32_t chunk) {
  return {.message = {.from = Rank{1}, .to = Rank{2}, .size = 64_B, .name = {.task = task, .chunk = chunk}},
          .start = Time{1us},
          .end = Time{3us}};
}

TEST(FlowLog, NamesTheTaskOfEveryMessage) {
  workload::TaskGraph graph(4);
  const auto all = graph.add_group_of_all();
  graph.begin_iteration();
  graph.add(workload::MessageTask{Rank{1}, Rank{2}, 64_B}, graph.add_label("table, forward"));
  graph.begin_iteration();
  graph.add(workload::CollectiveTask{.group = all, .size = 64_B}, graph.add_label("top 3 all-reduce"));
  FlowLog log;
  log.add(delivery(0, -1));
  log.add(delivery(1, 7));
  log.add(delivery(network::kNoTask, -1));
  EXPECT_EQ(log.csv(graph),
            "from,to,bytes,start_us,end_us,task,what,kind,iteration,chunk\n"
            "1,2,64,1.000000,3.000000,0,\"table, forward\",message,0,\n"
            "1,2,64,1.000000,3.000000,1,top 3 all-reduce,all_reduce,1,7\n"
            "1,2,64,1.000000,3.000000,,,,,\n");
}

TEST(FlowLog, WritesNothingOfTooManyMessages) {
  const workload::TaskGraph graph(4);
  FlowLog log(2);
  for (int i = 0; i < 3; ++i) log.add(delivery(network::kNoTask, -1));
  EXPECT_EQ(log.csv(graph), "");
}

}  // namespace
}  // namespace overture::report
