// Learners that each know a share of what the optimizer remembers, and the one file that comes of it.
#include "overture/train/dense_state.h"

#include <filesystem>
#include <numeric>

#include <gtest/gtest.h>

#include "overture/rpc/wire.h"
#include "overture/train/checkpoint.h"
#include "overture/train/testing.h"

namespace overture::train {
namespace {

namespace fs = std::filesystem;

constexpr Parties kThree{.trainers = 3, .servers = 1};

rpc::Message from_trainer(int rank, rpc::Message message) {
  message.from = kThree.trainer(rank);
  return message;
}

// Its parameters count from 0, what its optimizer remembers from 1000 times the rank.
std::unique_ptr<Learner> counting_learner(const TrainConfig& config, int rank) {
  auto learner = std::make_unique<Learner>(config);
  std::iota(learner->parameters().values().begin(), learner->parameters().values().end(), 0.0f);
  std::iota(learner->optimizer().state().begin(), learner->optimizer().state().end(),
            1000.0f * static_cast<float>(rank));
  return learner;
}

TEST(DenseState, SharesOfAllTrainersComeTogetherAsOneTrainerWouldHaveThem) {
  const TrainConfig config = small_config(embedding::OptimizerKind::adam);  // which remembers two arrays
  DenseState state(kThree);
  for (const int rank : {2, 0, 1}) {
    EXPECT_FALSE(state.complete());
    state.take(from_trainer(rank, dense_state_message(*counting_learner(config, rank), kThree, rank)));
  }
  ASSERT_TRUE(state.complete());
  const fs::path folder = fs::path(testing::TempDir()) / ("dense-state-" + std::to_string(getpid()));
  fs::create_directories(folder);
  const std::int64_t count = state.save(folder);

  Learner loaded(config);
  load_dense(loaded, folder);
  EXPECT_EQ(loaded.parameters().size(), count);
  for (int rank = 0; rank < 3; ++rank) {
    const Block share = block_of(count, rank, 3);
    for (std::int64_t i = share.begin; i < share.end; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const auto second = static_cast<std::size_t>(count + i);
      ASSERT_EQ(loaded.parameters().values()[at], static_cast<float>(i));
      ASSERT_EQ(loaded.optimizer().state()[at], static_cast<float>(1000 * rank + i));
      ASSERT_EQ(loaded.optimizer().state()[second], static_cast<float>(1000 * rank + count + i));
    }
  }
  fs::remove_all(folder);
}

TEST(DenseState, WhatAProgramOfItsOwnGivesIsOnePiece) {
  DenseState state(kThree);
  state.take(from_trainer(0, dense_state_message("theirs", kThree)));
  EXPECT_TRUE(state.complete());
}

TEST(DenseState, PiecesThatDoNotFitTogetherAreRefused) {
  const TrainConfig config = small_config();
  const auto piece = [&](int rank) {
    return dense_state_message(*counting_learner(config, rank), kThree, rank);
  };
  DenseState state(kThree);
  state.take(from_trainer(1, piece(1)));
  EXPECT_THROW(state.take(from_trainer(1, piece(1))), rpc::BadMessage) << "twice";
  EXPECT_THROW(state.take(from_trainer(0, dense_state_message("theirs", kThree))), rpc::BadMessage);
  rpc::Message odd = piece(0);
  odd.from = kThree.server(0);
  EXPECT_THROW(state.take(odd), rpc::BadMessage) << "a server has no part in it";
}

}  // namespace
}  // namespace overture::train
