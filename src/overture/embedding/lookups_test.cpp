#include "overture/embedding/lookups.h"

#include <gtest/gtest.h>

#include "overture/base/random.h"

namespace overture::embedding {
namespace {

// Two tables; the second multi-hot, with weights that only `weighted` uses.
struct Example {
  TablesConfig config{.tables = {{.rows = 10, .dim = 2}, {.rows = 10, .dim = 1}}};
  std::vector<std::uint32_t> first{0, 1, 0};
  std::vector<std::uint32_t> second{2, 3, 2};
  std::vector<std::uint32_t> offsets{0, 2, 2, 3};
  std::vector<float> weights{1, 3, 1};
  std::vector<float> memory{1, 2, 0, 0, 3, 4, 0, 0, 10, 0, 0, 0, 20, 0, 0, 0};
  std::vector<float*> rows{&memory[0], &memory[4], &memory[8], &memory[12]};
  Lookups lookups;

  explicit Example(Pooling pooling) {
    config.tables[1].pooling = pooling;
    const TableLookups tables[] = {{.rows = first}, {.rows = second, .offsets = offsets, .weights = weights}};
    lookups.assign(config, 3, 4, tables);
  }
};

TEST(Lookups, PoolSideBySide) {
  Workers workers;
  const std::pair<Pooling, float> expected[] = {
      {Pooling::sum, 10 + 20}, {Pooling::mean, (10 + 20) / 2}, {Pooling::weighted, 1 * 10 + 3 * 20}};
  for (const auto& [pooling, pooled] : expected) {
    Example e(pooling);
    std::vector<float> out(9);
    e.lookups.pool(e.rows, out, workers);
    // A sample without lookups pools to zero.
    EXPECT_EQ(out, (std::vector<float>{1, 2, pooled, 3, 4, 0, 1, 2, 10}));
  }
}

TEST(Lookups, UpdateTakesEveryLookupOfARow) {
  Example e(Pooling::weighted);
  Workers workers;
  const std::vector<float> gradients{1, 10, 2, 2, 20, 5, 3, 30, 4};
  e.lookups.update(update_rule({.learning_rate = 1}, 0), e.lookups.as_pooled(gradients), e.rows, workers);
  EXPECT_EQ(e.memory[0], 1 - (1 + 3));
  EXPECT_EQ(e.memory[1], 2 - (10 + 30));
  EXPECT_EQ(e.memory[4], 3 - 2);
  EXPECT_EQ(e.memory[8], 10 - (1 * 2 + 1 * 4));
  EXPECT_EQ(e.memory[12], 20 - 3 * 2);
}

TEST(Lookups, GradientsOfTablesMayLieWhereTheyWereMade) {
  Example e(Pooling::sum);
  Workers workers;
  const std::vector<float> first{1, 10, 0, 2, 20, 0, 3, 30, 0};  // two columns of three
  const std::vector<float> second{2};                            // the same for all samples
  const TableGradients gradients[] = {{.data = first.data(), .stride = 3},
                                      {.data = second.data(), .stride = 0}};
  e.lookups.update(update_rule({.learning_rate = 1}, 0), gradients, e.rows, workers);
  EXPECT_EQ(e.memory[0], 1 - (1 + 3));
  EXPECT_EQ(e.memory[1], 2 - (10 + 30));
  EXPECT_EQ(e.memory[4], 3 - 2);
  EXPECT_EQ(e.memory[8], 10 - (2 + 2));
}

TEST(Lookups, UpdateDividesAMeansGradient) {
  Example e(Pooling::mean);
  Workers workers;
  const std::vector<float> gradients{1, 10, 2, 2, 20, 5, 3, 30, 4};
  e.lookups.update(update_rule({.learning_rate = 1}, 0), e.lookups.as_pooled(gradients), e.rows, workers);
  EXPECT_EQ(e.memory[8], 10 - (0.5f * 2 + 4));
  EXPECT_EQ(e.memory[12], 20 - 0.5f * 2);
}

TEST(Lookups, AnyNumberOfThreadsGivesTheSameBits) {
  const TablesConfig config{.tables = {{.rows = 3000, .dim = 16}, {.rows = 500, .dim = 7}}};
  RandomStream random = RandomStreams(5).make("lookups");
  constexpr std::int64_t kSamples = 2000;
  std::vector<std::uint32_t> numbers[2];
  std::uint32_t rows = 0;
  for (auto& table : numbers) {
    const std::uint32_t first = rows;
    for (std::int64_t s = 0; s < kSamples; ++s) {
      table.push_back(first + static_cast<std::uint32_t>(random.below(rows - first + 1)));
      if (table.back() == rows) ++rows;
    }
  }
  const TableLookups tables[] = {{.rows = numbers[0]}, {.rows = numbers[1]}};
  Lookups lookups;
  lookups.assign(config, kSamples, rows, tables);
  std::vector<float> gradients(kSamples * 23);
  for (float& g : gradients) g = static_cast<float>(random.unit());
  std::vector<float> results[2];
  for (int i = 0; i < 2; ++i) {
    Workers workers(1 + 2 * i);
    std::vector<float> memory(rows * 16, 0.5f);
    std::vector<float*> places;
    for (std::uint32_t r = 0; r < rows; ++r) places.push_back(&memory[r * 16]);
    lookups.update(update_rule({}, 0), lookups.as_pooled(gradients), places, workers);
    results[i].resize(kSamples * 23);
    lookups.pool(places, results[i], workers);
  }
  EXPECT_EQ(results[0], results[1]);
}

}  // namespace
}  // namespace overture::embedding
