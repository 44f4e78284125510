#include "overture/data/synthetic.h"

#include <algorithm>
#include <set>

#include "overture/base/testing.h"
#include "overture/data/metrics.h"
#include "overture/data/presets.h"
#include "overture/data/testing.h"

namespace overture::data {
namespace {

using namespace testing;

double unique_rows(const std::vector<Skew>& tables, std::int64_t batch) {
  double unique = 0;
  for (const Skew& table : tables) unique += expected_unique(table, batch);
  return unique;
}

struct Published {
  std::string skew;  // empty: fitted
  double top[4];     // percent of lookups to the top 0.01, 0.1, 1, 10 % of the rows
  double unique[3];  // rows of a batch of 2,048, 4,096, 16,384
};

// The calibration table of the specification, to the digits it gives.
TEST(Skew, HasTheSharesAndUniqueRowsOfTheCalibration) {
  const std::vector<Published> rows{{"", {71.7, 84.1, 92.3, 96.7}, {16835, 29740, 89262}},
                                    {"0.8", {56.4, 73.2, 84.4, 92.6}, {24364, 43455, 135192}},
                                    {"0.9", {61.7, 77.9, 88.2, 94.9}, {21642, 38116, 115633}},
                                    {"1.0", {68.8, 83.8, 92.4, 97.1}, {18061, 31206, 91139}},
                                    {"1.1", {76.7, 89.6, 95.8, 98.7}, {14179, 23906, 66522}},
                                    {"1.2", {83.8, 94.0, 98.0, 99.5}, {10707, 17569, 46350}},
                                    {"1.3", {89.3, 96.8, 99.2, 99.8}, {7991, 12762, 31937}}};
  for (const Published& row : rows) {
    const auto tables = row.skew.empty() ? scaled_tables(Likeness::kaggle, 1)
                                         : scaled_tables(Likeness::kaggle, 1, parse_skew(row.skew));
    for (int i = 0; i < 4; ++i) {
      EXPECT_NEAR(100 * top_share(tables, 1e-4 * std::pow(10, i)), row.top[i], 0.06)
          << row.skew << " top " << i;
    }
    const std::int64_t batches[3] = {2048, 4096, 16384};
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(unique_rows(tables, batches[i]) / row.unique[i], 1, 0.005)
          << row.skew << " batch " << batches[i];
    }
  }
}

TEST(Skew, DrawsRanksAsOftenAsItSays) {
  for (const SkewKind& kind : {SkewKind{PowerLaw{0.9}}, SkewKind{PowerLaw{1}}, SkewKind{PowerLaw{2}},
                               SkewKind{PowerLaw{0}}, SkewKind{TwoLevels{0.1, 0.8}}}) {
    const Skew skew(100, kind);
    constexpr int kDraws = 100000;  // evenly spaced: the counts are exact up to one draw
    std::vector<int> counts(100, 0);
    for (int i = 0; i < kDraws; ++i) ++counts[static_cast<std::size_t>(skew.rank((i + 0.5) / kDraws))];
    for (std::int64_t r = 0; r < 100; ++r) {
      EXPECT_NEAR(counts[static_cast<std::size_t>(r)], kDraws * skew.share_of(r), 1.5) << "rank " << r;
    }
  }
}

TEST(Skew, CountsUniqueRowsAsEnumeratingThemDoes) {
  const Skew skew(200000, PowerLaw{1.05});
  double exact = 0;
  for (std::int64_t r = 0; r < skew.rows(); ++r) exact += 1 - std::pow(1 - skew.share_of(r), 5000);
  EXPECT_NEAR(expected_unique(skew, 5000) / exact, 1, 1e-4);
}

TEST(Presets, AreTheTablesOfTheDatasets) {
  const auto sum = [](Likeness likeness) {
    std::int64_t rows = 0;
    for (const auto& table : table_presets(likeness)) rows += table.rows;
    return rows;
  };
  EXPECT_EQ(table_presets(Likeness::kaggle).size(), 26U);
  EXPECT_EQ(sum(Likeness::kaggle), 33762577);
  EXPECT_EQ(table_presets(Likeness::avazu).size(), 21U);
  EXPECT_EQ(table_presets(Likeness::terabyte).size(), 26U);
  for (const auto& table : table_presets(Likeness::terabyte)) EXPECT_LE(table.rows, 40'000'000);
  const auto small = scaled_tables(Likeness::kaggle, 0.001);
  EXPECT_EQ(small[2].rows(), 10131);
  EXPECT_EQ(small[8].rows(), 2);
  EXPECT_NE(user_error([] { scaled_tables(Likeness::kaggle, 0); }), "");
  EXPECT_NE(user_error([] { scaled_tables(Likeness::kaggle, 1e9); }), "");
  EXPECT_NE(user_error([] { parse_likeness("kagle"); }).find("did you mean \"kaggle\""), std::string::npos);
  for (const char* bad : {"x", "two-level:1", "two-level:0:90", "two-level:1:100", "-1", "1e9"}) {
    EXPECT_NE(user_error([&] { parse_skew(bad); }), "") << bad;
  }
}

SyntheticConfig kaggle(double scale) { return {.tables = scaled_tables(Likeness::kaggle, scale)}; }

TEST(Synthetic, TouchesAsManyRowsABatchAsTheCalibrationSays) {
  SyntheticReader reader(kaggle(1), 2048 * 4);
  Batch batch;
  double unique = 0;
  while (reader.read(batch, 2048) > 0) {
    for (Bags& bags : batch.tables)
      unique += static_cast<double>(std::set(bags.ids.begin(), bags.ids.end()).size());
  }
  EXPECT_NEAR(unique / 4, 16835, 150);  // four batches: some 60 rows of standard deviation
}

TEST(Synthetic, MakesAnyPartAlone) {
  SyntheticConfig config = kaggle(0.01);
  config.pooling = {.mean = 3, .geometric = true};
  config.drift = 0.1;
  config.drift_period = 30;
  SyntheticReader whole(config, 100);
  const Batch all = read_all(whole);
  SyntheticReader part(config, 100);
  part.skip(60);
  const Batch end = read_all(part);
  Batch expected;
  clear(expected, whole.shape());
  std::vector<std::uint32_t> last(40);
  for (std::uint32_t i = 0; i < 40; ++i) last[i] = 60 + i;
  append(expected, all, last);
  EXPECT_EQ(end, expected);
  config.seed = 2;
  SyntheticReader other(config, 100);
  EXPECT_NE(read_all(other), all);
}

TEST(Synthetic, LookupsAloneAreThoseOfWholeSamples) {
  for (const double pooling : {1.0, 3.0}) {
    SyntheticConfig config = kaggle(0.01);
    config.pooling = {.mean = pooling};
    config.drift = 0.1;
    config.drift_period = 30;
    SyntheticReader whole(config, 100);
    config.lookups_alone = true;
    SyntheticReader alone(config, 100);
    Batch expected = read_all(whole, 40);
    std::ranges::fill(expected.labels, 0.0F);
    std::ranges::fill(expected.dense, 0.0F);
    EXPECT_EQ(read_all(alone, 40), expected) << pooling;
  }
}

TEST(Synthetic, ScattersRanksOneToOne) {
  for (const bool sorted : {false, true}) {
    for (const double drift : {0.0, 0.3, 1.0}) {
      SyntheticConfig config{
          .tables = {Skew(1000, PowerLaw{0})}, .sorted = sorted, .drift = drift, .drift_period = 5000};
      SyntheticReader reader(config, 20000);
      const Batch batch = read_all(reader, 5000);
      for (int period = 0; period < 4; ++period) {  // 5 draws an id, yet 6.7 of 1000 stay out
        const auto from = batch.tables[0].ids.begin() + period * 5000;
        const std::set<std::int64_t> seen(from, from + 5000);
        EXPECT_GT(seen.size(), 970U);
        EXPECT_LT(*seen.rbegin(), 1000);
      }
    }
  }
}

TEST(Synthetic, DriftsOnlyTheShareThatItIsTold) {
  SyntheticConfig config{.tables = {Skew(1000, PowerLaw{1})}, .drift = 0.25, .drift_period = 1};
  const Synthetic moving(config);
  config.drift = 0;
  const Synthetic still(config);
  TextRow a;
  TextRow b;
  int changed = 0;
  constexpr int kSamples = 20000;
  for (int i = 1000; i < 1000 + kSamples; ++i) {
    moving.make(i, a);
    still.make(i, b);
    changed += a.ids[0] == b.ids[0] ? 0 : 1;
  }
  double expected = 0;  // every fourth rank, and most of those away from their own place
  const Skew skew(1000, PowerLaw{1});
  for (std::int64_t r = 3; r < 1000; r += 4) expected += skew.share_of(r);
  EXPECT_NEAR(changed / static_cast<double>(kSamples), expected, 0.02);
}

TEST(Synthetic, DrawsNoIdTwiceInABag) {
  SyntheticConfig config{.tables = {Skew(3, PowerLaw{2}), Skew(5000, PowerLaw{1.2})},
                         .pooling = {.mean = 20}};
  SyntheticReader reader(config, 200);
  const Batch batch = read_all(reader);
  EXPECT_EQ(batch.tables[0].offsets[1], 3U) << "no more than the table has";
  EXPECT_EQ(batch.tables[1].offsets[1], 20U);
  for (const Bags& bags : batch.tables) {
    for (std::int64_t s = 0; s < batch.samples; ++s) {
      const std::set<std::int64_t> ids(bags.ids.begin() + bags.begin(s), bags.ids.begin() + bags.end(s));
      EXPECT_EQ(ids.size(), bags.end(s) - bags.begin(s));
    }
  }
}

TEST(Synthetic, PoolsAsManyAsItIsTold) {
  SyntheticConfig config{.tables = {Skew(100000, PowerLaw{0})}, .pooling = {.mean = 5, .geometric = true}};
  SyntheticReader reader(config, 20000);
  const Batch batch = read_all(reader, 1000);
  EXPECT_NEAR(static_cast<double>(batch.tables[0].ids.size()) / 20000, 5,
              0.15);  // deviation 4.5 / sqrt(20000)
}

TEST(Synthetic, WeighsLookupsOnRequestAndChangesNoIdByThat) {
  SyntheticConfig config = kaggle(0.01);
  config.pooling = {.mean = 3};
  SyntheticReader plain(config, 200);
  config.weighted = true;
  SyntheticReader weighted(config, 200);
  SyntheticReader by_threads(config, 200, 3);
  const Batch batch = read_all(weighted);
  EXPECT_EQ(read_all(by_threads), batch);
  const Batch without = read_all(plain);
  ASSERT_TRUE(weighted.shape().weighted);
  for (std::size_t t = 0; t < batch.tables.size(); ++t) {
    EXPECT_EQ(batch.tables[t].ids, without.tables[t].ids);
    ASSERT_EQ(batch.tables[t].weights.size(), batch.tables[t].ids.size());
    for (const float weight : batch.tables[t].weights) {
      EXPECT_GE(weight, 0.5F);
      EXPECT_LE(weight, 1.5F);
    }
  }
  EXPECT_NE(batch.tables[0].weights[0], batch.tables[0].weights[1]);
}

TEST(Synthetic, HasLabelsThatCanBeLearnt) {
  for (const double scale : {1.0, 0.001}) {
    const Synthetic synthetic(kaggle(scale));
    Evaluation evaluation;
    TextRow row;
    for (int i = 0; i < 40000; ++i) {
      synthetic.make(i, row);
      const auto p = static_cast<float>(synthetic.probability(row));
      evaluation.add(std::span(&p, 1), std::span(&row.label, 1));
    }
    const Metrics metrics = evaluation.metrics();
    EXPECT_NEAR(metrics.positive_share, 0.256, 0.015);
    EXPECT_NEAR(metrics.calibration, 1, 0.03);
    EXPECT_GT(metrics.auc, 0.75);
    EXPECT_LT(metrics.auc, 0.9) << "real clicks cannot be foretold either";
  }
}

// Logistic regression with a weight for every id and dense feature, by plain SGD.
class Linear {
 public:
  explicit Linear(const Shape& shape) : dense_(static_cast<std::size_t>(shape.dense_features)) {
    for (const std::int64_t rows : shape.table_rows) tables_.emplace_back(static_cast<std::size_t>(rows));
  }

  float predict(const TextRow& row) const {
    double sum = bias_;
    for (std::size_t i = 0; i < dense_.size(); ++i) sum += dense_[i] * static_cast<double>(row.dense[i]);
    for (std::size_t t = 0; t < tables_.size(); ++t) sum += tables_[t][static_cast<std::size_t>(row.ids[t])];
    return static_cast<float>(1 / (1 + std::exp(-sum)));
  }

  void learn(const TextRow& row) {
    const double step = 0.02 * static_cast<double>(row.label - predict(row));
    bias_ += step;
    for (std::size_t i = 0; i < dense_.size(); ++i)
      dense_[i] += 0.1 * step * static_cast<double>(row.dense[i]);
    for (std::size_t t = 0; t < tables_.size(); ++t) tables_[t][static_cast<std::size_t>(row.ids[t])] += step;
  }

 private:
  double bias_ = 0;
  std::vector<double> dense_;
  std::vector<std::vector<double>> tables_;
};

TEST(Synthetic, TeachesALinearModelMoreWithMoreData) {
  const Synthetic synthetic(kaggle(0.001));
  Linear model(synthetic.shape());
  TextRow row;
  const auto auc = [&] {
    Evaluation evaluation;
    for (int i = 0; i < 5000; ++i) {
      synthetic.make(1'000'000 + i, row);
      const float p = model.predict(row);
      evaluation.add(std::span(&p, 1), std::span(&row.label, 1));
    }
    return evaluation.metrics().auc;
  };
  const auto train = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      synthetic.make(i, row);
      model.learn(row);
    }
  };
  EXPECT_EQ(auc(), 0.5);
  train(0, 2000);
  const double early = auc();
  train(2000, 60000);
  const double late = auc();
  EXPECT_GT(early, 0.6);
  EXPECT_GT(late, early + 0.03);
}

TEST(Synthetic, RefusesWhatMakesNoSense) {
  const auto why = [](auto change) {
    SyntheticConfig config = kaggle(0.001);
    change(config);
    return user_error([&] { Synthetic{config}; });
  };
  EXPECT_EQ(why([](auto&) {}), "");
  EXPECT_NE(why([](auto& c) { c.drift = 2; }), "");
  EXPECT_NE(why([](auto& c) { c.base_rate = 1; }), "");
  EXPECT_NE(why([](auto& c) { c.pooling.mean = 0; }), "");
  EXPECT_NE(why([](auto& c) { c.dense_features = -1; }), "");
  EXPECT_NE(why([](auto& c) { c.drift_period = 0; }), "");
}

}  // namespace
}  // namespace overture::data
