#include "overture/simulation/stragglers.h"

#include <cmath>

#include <gtest/gtest.h>

namespace overture::simulation {
namespace {

using namespace std::chrono_literals;

network::NodeFault slower(int node, double factor, Duration from = {}, std::optional<Duration> until = {}) {
  network::NodeFault fault;
  fault.node = node;
  fault.slowdown = factor;
  fault.from = from;
  fault.until = until;
  return fault;
}

TEST(Stragglers, ASlowNodeTakesSoManyTimesAsLong) {
  const Stragglers one({.nodes = {slower(1, 3)}}, 4);
  EXPECT_EQ(one.end(0, Time{1us}, 2us, 0), Time{3us});
  EXPECT_EQ(one.end(1, Time{1us}, 2us, 0), Time{7us});
  EXPECT_EQ(one.last_end(Time{1us}, 2us, 0), Time{7us});
}

TEST(Stragglers, OnlyWhileTheFaultLasts) {
  const Stragglers one({.nodes = {slower(0, 2, 4us, 8us)}}, 1);
  EXPECT_EQ(one.end(0, Time{0us}, 4us, 0), Time{4us});
  EXPECT_EQ(one.end(0, Time{2us}, 3us, 0), Time{6us});  // 2 us of work, then 1 us at half the pace
  EXPECT_EQ(one.end(0, Time{2us}, 5us, 0), Time{9us});  // 2, then 2 until 8 us, then 1
  EXPECT_EQ(one.end(0, Time{8us}, 5us, 0), Time{13us});
}

TEST(Stragglers, FaultsOfOneNodeMultiply) {
  const Stragglers both({.nodes = {slower(0, 2), slower(0, 3)}}, 1);
  EXPECT_EQ(both.end(0, Time{}, 1us, 0), Time{6us});
}

TEST(Stragglers, ADeadNodeNeverEndsUnlessItComesBack) {
  network::NodeFault dead = slower(0, 1, 2us);
  dead.dies = true;
  EXPECT_EQ(Stragglers({.nodes = {dead}}, 1).end(0, Time{}, 2us, 0), Time{2us});
  EXPECT_EQ(Stragglers({.nodes = {dead}}, 1).end(0, Time{}, 3us, 0), Time::max());
  dead.until = 10us;
  EXPECT_EQ(Stragglers({.nodes = {dead}}, 1).end(0, Time{}, 3us, 0), Time{11us});
}

TEST(Stragglers, AChanceHitsThatShareOfTasks) {
  network::NodeFault fault = slower(0, 2);
  fault.chance = 0.25;
  const Stragglers some({.nodes = {fault}}, 1);
  int hit = 0;
  for (std::uint32_t task = 0; task < 10'000; ++task)
    hit += some.end(0, Time{}, 1us, task) == Time{2us} ? 1 : 0;
  EXPECT_NEAR(hit, 2500, 130);  // three standard deviations
}

TEST(Stragglers, ASpreadIsLogNormalAndFollowsTheSeedAlone) {
  network::NodeFault fault = slower(0, 1);
  fault.spread = 0.5;
  const Stragglers some({.seed = 7, .nodes = {fault}}, 1);
  const Stragglers same({.seed = 7, .nodes = {fault}}, 1);
  const Stragglers other({.seed = 8, .nodes = {fault}}, 1);
  double sum = 0;
  double squares = 0;
  int differ = 0;
  constexpr int kTasks = 10'000;
  for (std::uint32_t task = 0; task < kTasks; ++task) {
    const Time end = some.end(0, Time{}, 1ms, task);
    EXPECT_EQ(end, same.end(0, Time{}, 1ms, task));
    differ += end != other.end(0, Time{}, 1ms, task) ? 1 : 0;
    const double logarithm = std::log(static_cast<double>(end.time_since_epoch().count()) / 1e9);
    sum += logarithm;
    squares += logarithm * logarithm;
  }
  EXPECT_GT(differ, kTasks - 10);
  EXPECT_NEAR(sum / kTasks, 0, 0.015);
  EXPECT_NEAR(std::sqrt(squares / kTasks), 0.5, 0.012);
}

}  // namespace
}  // namespace overture::simulation
