// What each trainer is told of a plan: its own rows, numbered from 0, and its samples' lookups by those
// numbers. And what is not believed of a message.
#include "overture/train/step_part.h"

#include <gtest/gtest.h>

#include "overture/rpc/wire.h"

namespace overture::train {
namespace {

using lookahead::make_row;
using lookahead::only;

constexpr std::size_t kTables = 2;

// Four samples of one dense feature. Table 0: ids 7 8 7 9; table 1: nothing, two, one, none.
data::Batch small_batch() {
  return {.samples = 4,
          .dense_features = 1,
          .labels = {1, 0, 0, 1},
          .dense = {0.5f, 1.5f, 2.5f, 3.5f},
          .tables = {{.ids = {7, 8, 7, 9}, .offsets = {}, .weights = {}},
                     {.ids = {3, 4, 3}, .offsets = {0, 0, 2, 3, 3}, .weights = {0.1f, 0.2f, 0.3f}}}};
}

// Its plan for two trainers: the first has samples 0 and 1, the second the others.
lookahead::StepPlan small_plan() {
  const auto row = [](std::int64_t table, std::int64_t id, lookahead::Trainers users, std::uint32_t slot) {
    return lookahead::PlannedRow{.row = make_row(table, id), .users = users, .slot = slot};
  };
  lookahead::StepPlan plan;
  plan.rows = {row(0, 7, only(0) | only(1), 0), row(0, 8, only(0), 1), row(0, 9, only(1), 2),
               row(1, 3, only(0) | only(1), 3), row(1, 4, only(0), 4)};
  plan.rows[1].owner = 0;
  plan.rows[2].owner = 1;
  plan.lookup_rows = {0, 1, 0, 2, 3, 4, 3};
  plan.evictions = {{.row = make_row(0, 1), .slot = 5, .owner = 1},
                    {.row = make_row(1, 1), .slot = 6, .owner = 0}};
  plan.fetches = {{.row = make_row(0, 7), .users = only(0) | only(1), .slot = 0, .for_batch = 0},
                  {.row = make_row(0, 9), .users = only(1), .slot = 2, .for_batch = 0}};
  return plan;
}

constexpr StepHead kHead{.batch = 0, .slots = 7, .global_samples = 4, .clean_up = 1};

rpc::Buffer encoded(const lookahead::StepPlan& plan, int trainer, int trainers,
                    const StepHead& head = kHead) {
  PartEncoder encoder;
  encoder.split(plan, trainers);
  rpc::Buffer buffer;
  encoder.encode(head, small_batch(), trainer, buffer);
  return buffer;
}

std::vector<std::uint32_t> listed(std::span<const std::uint32_t> numbers) {
  return {numbers.begin(), numbers.end()};
}

TEST(StepPart, EveryTrainerIsToldOfItsOwnRowsInTheOrderOfThePlan) {
  const rpc::Buffer first_buffer = encoded(small_plan(), 0, 2);
  const StepPart first = decode(first_buffer, kTables, 2);
  EXPECT_EQ(first.head.samples, 2);
  EXPECT_EQ(first.head.global_samples, 4);
  ASSERT_EQ(first.rows.size(), 4u);
  EXPECT_EQ(first.rows[3].row, make_row(1, 4));
  EXPECT_EQ(listed(first.tables[0].rows), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(listed(first.tables[1].rows), (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(listed(first.tables[1].offsets), (std::vector<std::uint32_t>{0, 0, 2}));
  ASSERT_EQ(first.evictions.size(), 1u);
  EXPECT_EQ(first.evictions[0].slot, 6u);
  EXPECT_EQ(first.fetches.size(), 1u);

  const rpc::Buffer second_buffer = encoded(small_plan(), 1, 2);
  const StepPart second = decode(second_buffer, kTables, 2);
  ASSERT_EQ(second.rows.size(), 3u);
  EXPECT_EQ(second.rows[1].row, make_row(0, 9));
  EXPECT_EQ(listed(second.tables[0].rows), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(listed(second.tables[1].rows), (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(second.tables[1].weights[0], 0.3f);
  EXPECT_EQ(second.labels[1], 1);
  EXPECT_EQ(second.dense[0], 2.5f);
  EXPECT_EQ(second.fetches.size(), 2u);
}

TEST(StepPart, OneTrainerIsToldOfThePlanAsItIs) {
  const lookahead::StepPlan plan = small_plan();
  const rpc::Buffer buffer = encoded(plan, 0, 1);
  const StepPart part = decode(buffer, kTables, 2);
  EXPECT_TRUE(std::ranges::equal(part.rows, plan.rows));
  EXPECT_TRUE(std::ranges::equal(part.evictions, plan.evictions));
  EXPECT_EQ(listed(part.tables[0].rows), (std::vector<std::uint32_t>{0, 1, 0, 2}));
}

TEST(StepPart, AnEncoderForgetsThePlanBefore) {
  PartEncoder encoder;
  encoder.split(small_plan(), 2);
  lookahead::StepPlan other = small_plan();
  other.evictions.clear();
  encoder.split(other, 2);
  rpc::Buffer buffer;
  encoder.encode(kHead, small_batch(), 0, buffer);
  EXPECT_TRUE(decode(buffer, kTables, 2).evictions.empty());
  EXPECT_EQ(decode(buffer, kTables, 2).rows.size(), 4u);
}

TEST(StepPart, WhatDoesNotFitTogetherIsABadMessage) {
  const auto refused = [](const lookahead::StepPlan& plan, const StepHead& head = kHead) {
    EXPECT_THROW(decode(encoded(plan, 0, 2, head), kTables, 2), rpc::BadMessage);
  };
  lookahead::StepPlan plan = small_plan();
  plan.rows[0].slot = 7;  // beyond the cache
  refused(plan);
  plan = small_plan();
  plan.rows[1].owner = 2;  // nobody
  refused(plan);
  constexpr std::size_t kOne = sizeof(lookahead::PlannedRow);
  for (const lookahead::Trainers users : {lookahead::Trainers{0}, only(0) | only(2)}) {  // nobody, a third
    plan = small_plan();
    rpc::Buffer buffer = encoded(plan, 0, 2);
    const std::vector<lookahead::PlannedRow> rows = plan.rows;
    const auto at = std::ranges::search(buffer, std::as_bytes(std::span(rows)).first(kOne)).begin();
    ASSERT_NE(at, buffer.end());
    plan.rows[0].users = users;
    std::ranges::copy(std::as_bytes(std::span(plan.rows)).first(kOne), at);
    EXPECT_THROW(decode(buffer, kTables, 2), rpc::BadMessage);
  }
  plan = small_plan();
  std::swap(plan.rows[0], plan.rows[3]);  // tables out of order
  refused(plan);
  plan = small_plan();
  plan.rows[4].row = make_row(2, 4);  // a third table
  refused(plan);
  plan = small_plan();
  plan.lookup_rows[1] = 3;  // another table's row
  refused(plan);
  refused(small_plan(), {.batch = 0, .slots = 7, .purpose = Purpose::flush});  // which has no tables
  EXPECT_THROW(decode(encoded(small_plan(), 0, 2), 3, 2), rpc::BadMessage);
}

TEST(StepPart, AMessageThatIsCutShortIsABadMessage) {
  const rpc::Buffer whole = encoded(small_plan(), 0, 2);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const rpc::Buffer cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THROW(decode(cut, kTables, 2), rpc::BadMessage) << size << " of " << whole.size() << " bytes";
  }
}

}  // namespace
}  // namespace overture::train
