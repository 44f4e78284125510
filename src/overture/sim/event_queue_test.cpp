#include "overture/sim/event_queue.h"

#include <gtest/gtest.h>

namespace overture::sim {
namespace {

using namespace literals;

TEST(EventQueue, RunsEventsInTimeOrder) {
  EventQueue events;
  std::vector<int> order;
  events.at(Time{20ns}, [&] { order.push_back(2); });
  events.at(Time{10ns}, [&] { order.push_back(1); });
  events.run();
  EXPECT_EQ(order, (std::vector{1, 2}));
  EXPECT_EQ(events.now(), Time{20ns});
}

TEST(EventQueue, TiesRunInTheOrderTheyWereScheduled) {
  EventQueue events;
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) events.at(Time{5ns}, [&order, i] { order.push_back(i); });
  events.run();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[i], i);
}

TEST(EventQueue, AnEventForNowRunsAfterThoseAlreadyQueuedForNow) {
  EventQueue events;
  std::vector<int> order;
  events.at(Time{5ns}, [&] {
    order.push_back(1);
    events.after(Duration{0}, [&] { order.push_back(3); });
  });
  events.at(Time{5ns}, [&] { order.push_back(2); });
  events.run();
  EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

}  // namespace
}  // namespace overture::sim
