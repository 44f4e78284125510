#include "overture/sim/event_queue.h"

#include <cmath>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "overture/base/random.h"
#include "overture/sim/testing.h"

namespace overture::sim {
namespace {

using namespace literals;

TEST(EventQueue, RunsEventsInTimeOrder) {
  EventQueue events;
  std::vector<int> order;
  events.at(Time{20ns}, [&] { order.push_back(2); });
  events.at(Time{10ns}, [&] { order.push_back(1); });
  EXPECT_EQ(events.pending(), 2);
  events.run();
  EXPECT_EQ(order, (std::vector{1, 2}));
  EXPECT_EQ(events.now(), Time{20ns});
  EXPECT_EQ(events.pending(), 0);
  EXPECT_EQ(events.executed(), 2);
}

TEST(EventQueue, TiesRunInTheOrderTheyWereScheduled) {
  EventQueue events;
  std::vector<int> order;
  for (int i = 0; i < 1000; ++i) events.at(Time{5ns}, [&order, i] { order.push_back(i); });
  events.run();
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(order[i], i);
}

TEST(EventQueue, TiesKeepTheirOrderWhenScheduledFarApart) {
  EventQueue events;
  std::vector<int> order;
  // The first comes while the tie is a second away, the next while it is a millisecond away, and so on.
  for (int i = 0; i < 4; ++i) {
    const Time then{Duration{1s} - Duration{1s} / static_cast<std::int64_t>(std::pow(1000, i))};
    events.at(then, [&events, &order, i] { events.at(Time{1s}, [&order, i] { order.push_back(i); }); });
  }
  for (int i = 0; i < 5000; ++i)
    events.at(Time{1s * i / 2500}, [] {});  // company that makes the buckets split
  events.run();
  EXPECT_EQ(order, (std::vector{0, 1, 2, 3}));
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

TEST(EventQueue, RunsOneEventAStep) {
  EventQueue events;
  int runs = 0;
  EXPECT_FALSE(events.step());
  events.after(1ns, [&] { ++runs; });
  events.after(2ns, [&] { ++runs; });
  EXPECT_TRUE(events.step());
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(events.step());
  EXPECT_FALSE(events.step());
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(events.now(), Time{2ns});
}

TEST(EventQueue, RunsUntilALimitAndStandsThere) {
  EventQueue events;
  std::vector<int> order;
  events.at(Time{10ns}, [&] { order.push_back(1); });
  events.at(Time{30ns}, [&] { order.push_back(3); });
  EXPECT_TRUE(events.run_until(Time{10ns}));
  EXPECT_EQ(order, (std::vector{1}));
  EXPECT_TRUE(events.run_until(Time{20ns}));
  EXPECT_EQ(events.now(), Time{20ns});
  events.after(5ns, [&] { order.push_back(2); });
  EXPECT_FALSE(events.run_until(Time{40ns}));
  EXPECT_EQ(order, (std::vector{1, 2, 3}));
  EXPECT_EQ(events.now(), Time{40ns});
}

TEST(EventQueue, ReachesTheEndOfTime) {
  EventQueue events;
  std::vector<Time> times;
  const auto note = [&] { times.push_back(events.now()); };
  for (const Time when : {Time::max(), Time{1_ps}, Time::max() - 1_ps, Time{}}) events.at(when, note);
  events.run();
  EXPECT_EQ(times, (std::vector{Time{}, Time{1_ps}, Time::max() - 1_ps, Time::max()}));
}

// Quadratic work would take minutes here.
TEST(EventQueue, CopesWithCrowdedInstants) {
  EventQueue events;
  int runs = 0;
  const auto count = [&runs] { ++runs; };
  for (int i = 0; i < 200'000; ++i) events.at(Time{2us}, count);
  for (int i = 0; i < 200'000; ++i) {
    events.at(Time{1us}, [&events, count] {
      events.after(Duration{0}, count);
      events.after(1_ps, count);
    });
  }
  EXPECT_TRUE(events.run_until(Time{500ns}));
  for (int i = 0; i < 200'000; ++i) events.after(Duration{i}, count);
  events.run();
  EXPECT_EQ(runs, 800'000);
  EXPECT_EQ(events.executed(), 1'000'000);
}

TEST(EventQueueDeathTest, SchedulingInThePastAborts) {
  EventQueue events;
  events.at(Time{10ns}, [] {});
  events.run();
  EXPECT_DEATH(events.at(Time{9ns}, [] {}), "not scheduled in the past");
  EXPECT_DEATH(events.after(-1_ps, [] {}), "not scheduled in the past");
}

Duration up_to(Duration longest, RandomStream& random) {
  return Duration{static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(longest.count()) + 1))};
}

Duration exponential(Duration average, RandomStream& random) {
  return Duration{std::llround(static_cast<double>(-average.count()) * std::log(1 - random.unit()))};
}

// Events that go on for ever, each scheduling the next.
struct Clockwork {
  void tick() {
    events.after(exponential(1us, random), [this] { tick(); });
  }

  EventQueue events;
  RandomStream random = RandomStreams(1).make("clockwork");
};

TEST(EventQueue, AllocatesNothingInSteadyState) {
  for (const int pending : {1, 50, 1'000, 30'000}) {
    Clockwork clockwork;
    for (int i = 0; i < pending; ++i) clockwork.tick();
    for (int i = 0; i < 20 * pending; ++i) clockwork.events.step();
    const std::uint64_t before = allocations();
    for (int i = 0; i < 500'000; ++i) clockwork.events.step();
    EXPECT_EQ(allocations(), before) << pending << " pending";
    EXPECT_EQ(clockwork.events.pending(), pending);
  }
}

struct Mix {
  const char* name;
  Duration (*delay)(RandomStream&);
};
std::ostream& operator<<(std::ostream& out, const Mix& mix) { return out << mix.name; }

const Mix kMixes[] = {
    {"constant", [](RandomStream&) { return Duration{500ns}; }},
    {"all_now", [](RandomStream&) { return Duration{0}; }},
    {"picoseconds", [](RandomStream& random) { return up_to(3_ps, random); }},
    {"uniform", [](RandomStream& random) { return up_to(1us, random); }},
    {"seconds", [](RandomStream& random) { return up_to(10s, random); }},
    {"exponential", [](RandomStream& random) { return exponential(1us, random); }},
    {"clumps",
     [](RandomStream& random) { return up_to(random.below(4) == 0 ? Duration{1us} : 60_ps, random); }},
    {"few_constants",
     [](RandomStream& random) {
       constexpr Duration kDelays[] = {5120_ps, 120ns, 500ns, 1us};
       return kDelays[random.below(4)];
     }},
    {"mostly_near_some_far",
     [](RandomStream& random) { return random.below(10) == 0 ? Duration{1h} : up_to(100ns, random); }},
    {"bursts", [](RandomStream& random) { return random.below(20) == 0 ? Duration{1ms} : Duration{0}; }},
    {"every_magnitude",
     [](RandomStream& random) { return up_to(Duration{std::int64_t{1} << random.below(62)}, random); }},
};

// Plays a random simulation on the queue and on a model, and compares every event.
class Rehearsal {
 public:
  Rehearsal(const Mix& mix, std::uint64_t seed) : mix_(mix), random_(RandomStreams(seed).make(mix.name)) {}

  void play(std::size_t population, int budget) {
    budget_ = budget;
    population_ = population;
    for (std::size_t i = 0; i < population; ++i) schedule();
    while (events_.run_until(pause())) {
      ASSERT_FALSE(expected_.empty());
      ASSERT_GT(expected_.begin()->first, events_.now());
      // At times so many that a part of the queue that has been sorted already must be given up.
      const int more = random_.below(20) == 0 ? 200 : 1;
      for (int i = 0; i < more && budget_ > 0; ++i) schedule();
    }
    EXPECT_TRUE(expected_.empty());
    EXPECT_EQ(mistakes_, 0);
    EXPECT_EQ(events_.executed(), scheduled_);
  }

 private:
  // Mostly a little after the next event, at times long before it or after many.
  Time pause() {
    if (expected_.empty() || random_.below(1000) == 0) return Time::max();
    const Duration gap = expected_.begin()->first - events_.now();
    if (random_.below(2) == 0) return events_.now() + up_to(gap, random_);
    return std::max(expected_.begin()->first, events_.now() + delay());
  }

  Duration delay() { return std::min(mix_.delay(random_), Time::max() - events_.now()); }

  void schedule() {
    const Time when = events_.now() + delay();
    const std::uint64_t id = scheduled_++;
    expected_.emplace(when, id);
    events_.at(when, [this, id] { run(id); });
  }

  void run(std::uint64_t id) {
    const auto next = expected_.begin();
    mistakes_ += next->second != id || next->first != events_.now();
    expected_.erase(next);
    mistakes_ += events_.pending() != expected_.size();
    if (--budget_ <= 0) return;
    const std::uint64_t children = random_.below(expected_.size() < population_ ? 4 : 2);
    for (std::uint64_t i = 0; i < children; ++i) schedule();
  }

  const Mix& mix_;
  RandomStream random_;
  EventQueue events_;
  std::multimap<Time, std::uint64_t> expected_;  // keeps the order of insertion among equals
  std::uint64_t scheduled_ = 0;
  std::size_t population_ = 0;
  int budget_ = 0;
  int mistakes_ = 0;
};

class EventQueueMix : public testing::TestWithParam<Mix> {};

TEST_P(EventQueueMix, RunsLikeAStablySortedList) {
  for (const std::size_t population : {1, 10, 100, 1'000, 20'000}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE("population " + std::to_string(population) + ", seed " + std::to_string(seed));
      Rehearsal(GetParam(), seed).play(population, 40'000);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Delays, EventQueueMix, testing::ValuesIn(kMixes),
                         [](const auto& mix) { return std::string(mix.param.name); });

// Near and far events alike, whatever was taken out before.
TEST(EventQueue, TellsWhenTheNextEventIsDue) {
  EventQueue events;
  EXPECT_EQ(events.next_time(), Time::max());
  RandomStream random = RandomStreams(7).make("times");
  std::multiset<Time> due;
  for (int i = 0; i < 2000; ++i) {
    const Time when =
        events.now() + Duration{static_cast<std::int64_t>(random.below(1ULL << random.below(40)))};
    due.insert(when);
    events.at(when, [&due] { due.erase(due.begin()); });
    ASSERT_EQ(events.next_time(), *due.begin());
    if (random.below(2) == 0) events.step();
    ASSERT_EQ(events.next_time(), due.empty() ? Time::max() : *due.begin());
  }
}

}  // namespace
}  // namespace overture::sim
