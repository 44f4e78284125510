#include "overture/simulation/core_pool.h"

#include <gtest/gtest.h>

#include "overture/sim/event_queue.h"

namespace overture::simulation {
namespace {

using std::chrono::microseconds;

struct Ended {
  int job;
  Time at;
  bool operator==(const Ended&) const = default;
};

class Bench {
 public:
  Bench(int cores, std::size_t ranks) : pool_(cores, ranks, events_) {}

  void add(int job, std::size_t rank, Duration length) {
    pool_.add(
        rank, length, [] {},
        [this, job] {
          ended.push_back({job, Time{std::chrono::round<microseconds>(events_.now() - Time{})}});
        });
  }
  void interrupt(Duration length) { pool_.interrupt(length); }
  template <class Call>
  void at(Duration when, Call call) {
    events_.at(Time{when}, call);
  }
  void run() { events_.run(); }

  std::vector<Ended> ended;

 private:
  sim::EventQueue events_;
  CorePool pool_;
};

TEST(CorePool, WithACoreForEveryRankNobodyWaits) {
  Bench bench(2, 2);
  bench.add(0, 0, microseconds(10));
  bench.add(1, 1, microseconds(30));
  bench.run();
  EXPECT_EQ(bench.ended, (std::vector<Ended>{{0, Time{microseconds(10)}}, {1, Time{microseconds(30)}}}));
}

TEST(CorePool, ARankDoesOneThingAtATime) {
  Bench bench(4, 1);
  bench.add(0, 0, microseconds(10));
  bench.add(1, 0, microseconds(5));
  bench.run();
  EXPECT_EQ(bench.ended, (std::vector<Ended>{{0, Time{microseconds(10)}}, {1, Time{microseconds(15)}}}));
}

// Nobody waits longer than a turn, which is 0.7 ms on one core.
TEST(CorePool, MoreRanksThanCoresTakeTurns) {
  Bench bench(1, 2);
  bench.add(0, 0, microseconds(1000));
  bench.add(1, 1, microseconds(900));
  bench.run();
  EXPECT_EQ(bench.ended, (std::vector<Ended>{{0, Time{microseconds(1700)}}, {1, Time{microseconds(1900)}}}));
}

TEST(CorePool, WhoWaitsGetsTheCoreWhenItsThreadSleeps) {
  Bench bench(1, 2);
  bench.add(0, 0, microseconds(10));
  bench.at(microseconds(5), [&] { bench.add(1, 1, microseconds(2)); });
  bench.run();
  EXPECT_EQ(bench.ended, (std::vector<Ended>{{0, Time{microseconds(10)}}, {1, Time{microseconds(12)}}}));
}

// With two cores a turn is 1.4 ms. The third thread waits for it at the first core; the second goes on.
TEST(CorePool, AThreadThatWakesWaitsForATurnAndLeavesTheOtherCoresAlone) {
  Bench bench(2, 3);
  bench.add(0, 0, microseconds(2000));
  bench.add(1, 1, microseconds(2000));
  bench.at(microseconds(200), [&] { bench.add(2, 2, microseconds(300)); });
  bench.run();
  EXPECT_EQ(bench.ended, (std::vector<Ended>{{2, Time{microseconds(1700)}},
                                             {1, Time{microseconds(2000)}},
                                             {0, Time{microseconds(2300)}}}));
}

// At 4 us the second core falls idle and takes the thread that waits at the first.
TEST(CorePool, AnIdleCoreTakesAThreadThatWaitsForAnother) {
  Bench bench(2, 3);
  bench.add(0, 0, microseconds(10));
  bench.add(1, 1, microseconds(4));
  bench.at(microseconds(2), [&] { bench.add(2, 2, microseconds(5)); });
  bench.run();
  EXPECT_EQ(bench.ended,
            (std::vector<Ended>{
                {1, Time{microseconds(4)}}, {2, Time{microseconds(9)}}, {0, Time{microseconds(10)}}}));
}

// An idle core takes the first interrupt, and is late for the second thread; then there is none.
TEST(CorePool, InterruptsWaitForNobody) {
  Bench bench(2, 2);
  bench.add(0, 0, microseconds(10));
  bench.interrupt(microseconds(3));
  bench.at(microseconds(1), [&] {
    bench.add(1, 1, microseconds(10));
    bench.interrupt(microseconds(4));
  });
  bench.run();
  EXPECT_EQ(bench.ended, (std::vector<Ended>{{0, Time{microseconds(10)}}, {1, Time{microseconds(17)}}}));
}

}  // namespace
}  // namespace overture::simulation
