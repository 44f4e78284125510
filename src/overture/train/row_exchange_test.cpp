// Two or three trainers that share rows of two numbers, in numbers that can be checked in the head.
#include "overture/train/row_exchange.h"

#include <gtest/gtest.h>

#include "overture/rpc/wire.h"

namespace overture::train {
namespace {

using lookahead::kNever;
using lookahead::make_row;
using lookahead::only;
using lookahead::PlannedRow;
using lookahead::Sync;

constexpr std::int32_t kDim = 2;
constexpr embedding::OptimizerConfig kPlain{.kind = embedding::OptimizerKind::sgd, .learning_rate = 1};

RowExchange exchange_of(int rank, int trainers) {
  return {{row_layout(embedding::OptimizerKind::sgd, kDim)}, rank, trainers};
}

PlannedRow planned_row(std::int64_t id, lookahead::Trainers users, int owner, std::int32_t next_use,
                       lookahead::Trainers next_users = 0) {
  return {.row = make_row(0, id),
          .users = users,
          .next_users = next_users,
          .slot = static_cast<std::uint32_t>(id),
          .next_use = next_use,
          .owner = static_cast<std::uint8_t>(owner),
          .sync = lookahead::sync_class(0, next_use, users)};
}

std::vector<float> numbers_of(const rpc::Buffer& payload) {
  const auto numbers = rpc::WireReader(payload).array<float>();
  return {numbers.begin(), numbers.end()};
}

rpc::Message carrying(rpc::Buffer payload) {
  rpc::Message message;
  message.payload = std::move(payload);
  return message;
}

TEST(RowExchange, GradientsGoToTheOwnerInTheOrderOfThePlan) {
  RowExchange exchange = exchange_of(0, 3);
  const std::vector rows{planned_row(1, only(0) | only(1), 1, 1), planned_row(2, only(0), 0, 1),
                         planned_row(3, only(0) | only(1), 1, 1)};
  const auto places = exchange.gradients(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    places[i][0] = static_cast<float>(10 * (i + 1));
    places[i][1] = static_cast<float>(10 * (i + 1) + 1);
  }

  const auto payloads = exchange.take_gradients(Urgency::at_once);

  ASSERT_EQ(payloads.size(), 3u);
  EXPECT_EQ(numbers_of(payloads[0]), (std::vector<float>{20, 21}));
  EXPECT_EQ(numbers_of(payloads[1]), (std::vector<float>{10, 11, 30, 31}));
  EXPECT_EQ(numbers_of(payloads[2]), std::vector<float>());
}

TEST(RowExchange, RowsThatTheNextBatchDoesNotUseGoLater) {
  RowExchange exchange = exchange_of(0, 2);
  const std::vector rows{planned_row(1, only(0) | only(1), 0, 1), planned_row(2, only(0) | only(1), 0, 5),
                         planned_row(3, only(0) | only(1), 0, kNever)};
  EXPECT_EQ(rows[2].sync, Sync::later);
  for (float* const place : exchange.gradients(rows)) place[0] = place[1] = 1;

  EXPECT_EQ(numbers_of(exchange.take_gradients(Urgency::late)[0]).size(), 2u) << "row 2 alone";
  EXPECT_EQ(numbers_of(exchange.take_gradients(Urgency::at_once)[0]).size(), 4u)
      << "a row that nobody uses again may leave the cache at once";
}

TEST(RowExchange, OwnersAddUpChangeTheRowAndSendItToThoseWhoUseItNext) {
  const PlannedRow shared = planned_row(4, only(0) | only(1), 0, 1, only(1) | only(2));
  const PlannedRow alone = planned_row(5, only(0), 0, kNever);
  const std::vector rows{shared, alone};
  RowExchange owner = exchange_of(0, 3);
  embedding::SlotArena slots(4);
  slots.reserve(8);
  for (const std::uint32_t slot : {4u, 5u}) slots.slot(slot)[0] = slots.slot(slot)[1] = 100;
  std::vector<rpc::Message> received;
  for (int rank = 0; rank < 3; ++rank) {
    RowExchange user = exchange_of(rank, 3);
    const std::vector used = rank == 0 ? rows : rank == 1 ? std::vector{shared} : std::vector<PlannedRow>();
    for (float* const place : user.gradients(used)) place[0] = place[1] = static_cast<float>(rank + 1);
    received.push_back(carrying(std::move(user.take_gradients(Urgency::at_once)[0])));
  }

  const std::vector<PlannedRow> own = owner.own(rows, Urgency::at_once);
  owner.apply(own, received, update_rule(kPlain, 0), slots);

  EXPECT_EQ(slots.slot(4)[0], 100 - 1 - 2);
  EXPECT_EQ(slots.slot(5)[0], 100 - 1);
  auto updates = owner.put_updates(own, slots);
  EXPECT_TRUE(updates[0].empty()) << "nothing for itself";
  for (const std::size_t peer : {1u, 2u}) {
    embedding::SlotArena theirs(4);
    theirs.reserve(8);
    exchange_of(static_cast<int>(peer), 3).take_updates(carrying(std::move(updates[peer])), theirs);
    EXPECT_EQ(theirs.slot(4)[1], 97);
    EXPECT_EQ(theirs.slot(5)[1], 0) << "nobody uses it again";
  }
}

TEST(RowExchange, MessagesOfOtherRowsAreRefused) {
  RowExchange exchange = exchange_of(0, 2);
  const std::vector own{planned_row(1, only(0) | only(1), 0, 1)};
  embedding::SlotArena slots(4);
  slots.reserve(1);
  rpc::Buffer short_one;
  rpc::WireWriter(short_one).put(std::span<const float>());
  const std::vector<rpc::Message> received{carrying(short_one), carrying(short_one)};
  EXPECT_THROW(exchange.apply(own, received, update_rule(kPlain, 0), slots), rpc::BadMessage);

  struct Place {
    lookahead::Row row;
    std::uint64_t slot;
  };
  rpc::Buffer beyond;
  rpc::WireWriter writer(beyond);
  const std::vector places{Place{make_row(0, 1), slots.size()}};
  writer.put(std::span<const Place>(places));
  writer.put(std::span<const float>(std::vector<float>{1, 2}));
  EXPECT_THROW(exchange.take_updates(carrying(beyond), slots), rpc::BadMessage) << "a slot that is not there";
}

}  // namespace
}  // namespace overture::train
