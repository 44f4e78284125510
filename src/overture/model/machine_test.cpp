#include "overture/model/machine.h"

#include <gtest/gtest.h>

#include "overture/base/random.h"

namespace overture::model {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

Machine with(Work work, const WorkCost& cost) {
  Machine machine;
  machine.costs[static_cast<std::size_t>(work)] = cost;
  return machine;
}

// 10 samples, 20 inputs, 30 outputs.
TEST(Quantities, OfAProductAreItsFlopsItsNumbersAndItsWeights) {
  for (const Work work : {Work::forward, Work::input_gradient, Work::weight_gradient})
    EXPECT_EQ(quantities(work, {10, 20, 30}), (std::array<double, 3>{12'000, 500, 600}));
}

// 10 samples of 4 vectors of 16 columns: 4 * 5 / 2 products of each sample.
TEST(Quantities, OfAnInteractionAreItsFlopsItsNumbersAndItsProducts) {
  for (const Work work : {Work::interact, Work::interact_back})
    EXPECT_EQ(quantities(work, {10, 4, 16}), (std::array<double, 3>{2560, 640, 100}));
}

TEST(Quantities, OfOtherWorkAreItsNumbers) {
  EXPECT_EQ(quantities(Work::gather, {1, 2, 3}), (std::array<double, 3>{1, 2, 3}));
  for (const WorkKind& kind : work_kinds()) {
    const bool derived =
        is_product(kind.work) || kind.work == Work::interact || kind.work == Work::interact_back;
    if (!derived) {
      EXPECT_EQ(quantity_names(kind.work), kind.units) << kind.name;
    }
  }
}

TEST(MachineTime, IsThatOfOnePieceAndOfWhatItWorksOn) {
  const Machine machine =
      with(Work::gather,
           {.each = nanoseconds(100), .per_million = {microseconds(3), microseconds(5), microseconds(7)}});
  EXPECT_EQ(machine.time(Work::gather, {}), nanoseconds(100));
  EXPECT_EQ(machine.time(Work::gather, {1'000'000, 0, 0}), nanoseconds(3100));
  EXPECT_EQ(machine.time(Work::gather, {1'000'000, 2'000'000, 1'000'000}),
            nanoseconds(100 + 3000 + 10'000 + 7000));
}

TEST(MachineTime, OfWorkThatWasNotMeasuredIsZero) {
  EXPECT_EQ(Machine{}.time(Work::gather, {1'000'000, 0, 0}), Duration{});
}

TEST(MachineTime, LateRoundsCostWhatUrgentOnesCost) {
  const Machine machine = with(Work::take_updates, {.each = nanoseconds(9)});
  EXPECT_EQ(machine.time(Work::late_take_updates, {}), nanoseconds(9));
}

TEST(MachineTime, AMeasuredShapeCountsOnlyForItsOwnWorkAndShape) {
  Machine machine = with(Work::forward, {.each = nanoseconds(1)});
  machine.costs[static_cast<std::size_t>(Work::input_gradient)] = WorkCost{.each = nanoseconds(2)};
  machine.shapes.push_back({.work = Work::forward,
                            .inputs = 13,
                            .outputs = 64,
                            .each = nanoseconds(50),
                            .per_million_samples = microseconds(4)});
  EXPECT_EQ(machine.time(Work::forward, {500'000, 13, 64}), nanoseconds(50 + 2000));
  EXPECT_EQ(machine.time(Work::forward, {500'000, 64, 13}), nanoseconds(1));
  EXPECT_EQ(machine.time(Work::input_gradient, {500'000, 13, 64}), nanoseconds(2));
}

// More of anything never takes less time.
TEST(MachineTime, GrowsWithEveryNumber) {
  RandomStream random = RandomStreams(6).make("grows");
  for (const WorkKind& kind : work_kinds()) {
    const Machine machine =
        with(priced_as(kind.work),
             {.each = nanoseconds(10), .per_million = {nanoseconds(5), nanoseconds(3), nanoseconds(2)}});
    for (int round = 0; round < 20; ++round) {
      WorkNumbers numbers{};
      for (std::int64_t& number : numbers) number = static_cast<std::int64_t>(random.below(10'000));
      WorkNumbers more = numbers;
      more[random.below(more.size())] += 1 + static_cast<std::int64_t>(random.below(10'000));
      EXPECT_GE(machine.time(kind.work, more), machine.time(kind.work, numbers)) << kind.name;
    }
  }
}

}  // namespace
}  // namespace overture::model
