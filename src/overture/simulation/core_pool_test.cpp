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
          ended.push_back({job, events_.now()});
        });
  }
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

// Two share a core until one is done at 20 us; the other has 20 us left, and the core for itself.
TEST(CorePool, MoreRanksThanCoresShareThemFairly) {
  Bench bench(1, 2);
  bench.add(0, 0, microseconds(10));
  bench.add(1, 1, microseconds(30));
  bench.run();
  EXPECT_EQ(bench.ended, (std::vector<Ended>{{0, Time{microseconds(20)}}, {1, Time{microseconds(40)}}}));
}

TEST(CorePool, WhoComesLaterSlowsDownTheOthersFromThenOn) {
  Bench bench(1, 2);
  bench.add(0, 0, microseconds(10));
  bench.at(microseconds(5), [&] { bench.add(1, 1, microseconds(2)); });
  bench.run();
  EXPECT_EQ(bench.ended, (std::vector<Ended>{{1, Time{microseconds(9)}}, {0, Time{microseconds(12)}}}));
}

// The third of three threads shares the first core with the first; the second has a core for itself.
TEST(CorePool, AThreadThatWakesSharesOneCoreAndLeavesTheOthersAlone) {
  Bench bench(2, 3);
  bench.add(0, 0, microseconds(10));
  bench.add(1, 1, microseconds(10));
  bench.at(microseconds(2), [&] { bench.add(2, 2, microseconds(3)); });
  bench.run();
  EXPECT_EQ(bench.ended,
            (std::vector<Ended>{
                {2, Time{microseconds(8)}}, {1, Time{microseconds(10)}}, {0, Time{microseconds(13)}}}));
}

// At 4 us the second core falls idle and takes one of the two threads of the first.
TEST(CorePool, AnIdleCoreTakesAThreadFromOneThatHasSeveral) {
  Bench bench(2, 3);
  bench.add(0, 0, microseconds(10));
  bench.add(1, 1, microseconds(4));
  bench.at(microseconds(2), [&] { bench.add(2, 2, microseconds(5)); });
  bench.run();
  ASSERT_EQ(bench.ended.size(), 3U);
  EXPECT_EQ(bench.ended[0], (Ended{1, Time{microseconds(4)}}));
  EXPECT_EQ(bench.ended[1].job, 2);
  EXPECT_NEAR(static_cast<double>((bench.ended[1].at - Time{}).count()), 8e6, 10);
  EXPECT_NEAR(static_cast<double>((bench.ended[2].at - Time{}).count()), 11e6, 10);
}

}  // namespace
}  // namespace overture::simulation
