// Dense gradients of some trainers, added up with messages that are handed on in any order.
#include "overture/train/dense_sums.h"

#include <deque>

#include <gtest/gtest.h>

#include "overture/base/random.h"

namespace overture::train {
namespace {

struct Summing {
  Summing(int trainers, int rank, std::size_t numbers, std::uint64_t seed)
      : sums({.trainers = trainers, .servers = 1}, rank) {
    RandomStream random(seed, static_cast<std::uint64_t>(rank));
    for (std::size_t i = 0; i < numbers; ++i) gradients.push_back(static_cast<float>(random.unit()) - 0.5f);
  }
  DenseSums sums;
  std::vector<float> gradients;
};

// As one that has all of them adds them up: in the order of ranks.
std::vector<float> added_up(const std::deque<Summing>& trainers) {
  std::vector<float> result = trainers.front().gradients;
  for (std::size_t rank = 1; rank < trainers.size(); ++rank) {
    for (std::size_t i = 0; i < result.size(); ++i) result[i] += trainers[rank].gradients[i];
  }
  return result;
}

void play(std::deque<Summing>& trainers, std::uint64_t seed) {
  RandomStream random(seed, 77);
  std::vector<rpc::Message> under_way;
  const auto run = [&](int rank) {
    Outbox out;
    Summing& one = trainers[static_cast<std::size_t>(rank)];
    while (one.sums.advance() || one.sums.summed()) {
      if (one.sums.summed()) one.sums.share(one.gradients, out);
    }
    for (rpc::Message& message : out) under_way.push_back(std::move(message));
  };
  for (std::size_t rank = 0; rank < trainers.size(); ++rank) {
    Outbox out;
    trainers[rank].sums.begin(0, trainers[rank].gradients, out);
    for (rpc::Message& message : out) under_way.push_back(std::move(message));
    run(static_cast<int>(rank));
  }
  while (!under_way.empty()) {
    const auto next = under_way.begin() + static_cast<std::ptrdiff_t>(random.below(under_way.size()));
    const int to = rpc::index(next->to) - 1;
    trainers[static_cast<std::size_t>(to)].sums.take(std::move(*next));
    under_way.erase(next);
    run(to);
  }
}

TEST(DenseSums, AllHaveTheSumInTheOrderOfRanksWhateverTheOrderOfMessages) {
  for (const int count : {2, 3, 8}) {
    for (const std::size_t numbers : {0u, 1u, 7u, 1000u}) {  // fewer than trainers, too
      for (std::uint64_t seed = 0; seed < 5; ++seed) {
        std::deque<Summing> trainers;
        for (int rank = 0; rank < count; ++rank) trainers.emplace_back(count, rank, numbers, seed);
        const std::vector<float> expected = added_up(trainers);
        play(trainers, seed);
        for (const Summing& one : trainers) {
          EXPECT_TRUE(one.sums.done());
          EXPECT_EQ(one.gradients, expected) << count << " trainers, seed " << seed;
        }
      }
    }
  }
}

TEST(DenseSums, GradientsOfAnotherSizeAreRefused) {
  const auto first_of = [](std::size_t numbers, int rank) {
    Summing one(2, rank, numbers, 1);
    Outbox out;
    one.sums.begin(0, one.gradients, out);
    return std::move(out.at(0));
  };
  Summing honest(2, 0, 100, 1);
  Outbox out;
  honest.sums.begin(0, honest.gradients, out);
  honest.sums.take(first_of(60, 1));
  EXPECT_THROW(honest.sums.advance(), rpc::BadMessage);
}

TEST(DenseSums, NobodyButATrainerTakesPart) {
  Summing one(2, 0, 4, 1);
  rpc::Message message = make_message(Kind::dense_gradients, rpc::Address{1}, 0);
  message.from = Parties{.trainers = 2, .servers = 1}.server(0);
  EXPECT_THROW(one.sums.take(message), rpc::BadMessage);
  message.from = Parties{}.oracle();
  EXPECT_THROW(one.sums.take(message), rpc::BadMessage);
}

}  // namespace
}  // namespace overture::train
