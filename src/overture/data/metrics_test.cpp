#include "overture/data/metrics.h"

#include <cmath>
#include <limits>

#include "overture/base/testing.h"
#include "overture/data/testing.h"

namespace overture::data {
namespace {

using namespace testing;

// Every positive against every negative.
double brute_force_auc(const std::vector<float>& p, const std::vector<float>& y) {
  double wins = 0;
  double pairs = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (std::size_t j = 0; j < p.size(); ++j) {
      if (y[i] != 1 || y[j] != 0) continue;
      wins += p[i] > p[j] ? 1 : p[i] == p[j] ? 0.5 : 0;
      ++pairs;
    }
  }
  return wins / pairs;
}

TEST(Metrics, AgreeWithCountingPairsEvenWithManyTies) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    RandomStream random = RandomStreams(seed).make("predictions");
    const std::uint64_t steps = 1 + random.below(40);  // few different predictions: many ties
    std::vector<float> p;
    std::vector<float> y{0, 1};
    while (y.size() < 100) y.push_back(static_cast<float>(random.below(2)));
    while (p.size() < 100)
      p.push_back(static_cast<float>(random.below(steps + 1)) / static_cast<float>(steps));
    Evaluation evaluation;
    evaluation.add(std::span(p).first(33), std::span(y).first(33));
    evaluation.metrics();  // asking early changes nothing
    evaluation.add(std::span(p).subspan(33), std::span(y).subspan(33));
    EXPECT_NEAR(evaluation.metrics().auc, brute_force_auc(p, y), 1e-12) << "seed " << seed;
  }
}

TEST(Metrics, AreWhatTheirFormulasSay) {
  const std::vector<float> p{0.25F, 0.75F, 0.5F, 0.125F};
  const std::vector<float> y{0, 1, 0, 1};
  Evaluation evaluation;
  evaluation.add(p, y);
  const Metrics m = evaluation.metrics();
  EXPECT_EQ(m.samples, 4);
  EXPECT_NEAR(m.log_loss, -(std::log(0.75) + std::log(0.75) + std::log(0.5) + std::log(0.125)) / 4, 1e-12);
  EXPECT_NEAR(m.normalized_entropy, m.log_loss / std::log(2.0), 1e-12);
  EXPECT_EQ(m.accuracy, 0.5);
  EXPECT_EQ(m.positive_share, 0.5);
  EXPECT_NEAR(m.calibration, 1.625 / 2, 1e-12);
  EXPECT_EQ(m.auc, 0.5);
}

TEST(Metrics, KnowTheirLimits) {
  Evaluation one_class;
  one_class.add(std::vector<float>{0.5F, 0.1F}, std::vector<float>{0, 0});
  EXPECT_TRUE(std::isnan(one_class.metrics().auc));
  Evaluation certain;
  certain.add(std::vector<float>{0, 1}, std::vector<float>{1, 0});
  EXPECT_NEAR(certain.metrics().log_loss, -std::log(1e-7), 1e-6);
  EXPECT_EQ(certain.metrics().auc, 0);
  Evaluation none;
  EXPECT_EQ(none.metrics().samples, 0);
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -0.5F, 1.5F}) {
    EXPECT_NE(user_error([&] { none.add(std::span(&bad, 1), std::span(&bad, 1)); }), "") << bad;
  }
}

TEST(Metrics, TheAreaUnderTheRocCurveIsTheAuc) {
  RandomStream random = RandomStreams(7).make("predictions");
  Evaluation evaluation;
  for (int i = 0; i < 5000; ++i) {
    const auto p = static_cast<float>(random.unit());
    const float label = random.unit() < static_cast<double>(p) ? 1.0F : 0.0F;
    evaluation.add(std::span(&p, 1), std::span(&label, 1));
  }
  const Metrics m = evaluation.metrics();
  ASSERT_GT(m.roc.size(), 100U);
  ASSERT_LE(m.roc.size(), 201U);
  double area = 0;
  for (std::size_t i = 1; i < m.roc.size(); ++i)
    area += (m.roc[i].false_positive_share - m.roc[i - 1].false_positive_share) *
            (m.roc[i].true_positive_share + m.roc[i - 1].true_positive_share) / 2;
  EXPECT_NEAR(area, m.auc, 1e-3);
  EXPECT_EQ(m.roc.back().false_positive_share, 1);
  EXPECT_EQ(m.roc.back().true_positive_share, 1);
  ASSERT_EQ(m.bins.size(), 20U);
  for (const CalibrationBin& bin : m.bins) EXPECT_NEAR(bin.predicted, bin.observed, 0.1);
}

TEST(Metrics, FewSamplesHaveABinEach) {
  Evaluation evaluation;
  evaluation.add(std::vector<float>{0.75F, 0.25F}, std::vector<float>{1, 0});
  const Metrics m = evaluation.metrics();
  ASSERT_EQ(m.bins.size(), 2U);
  EXPECT_EQ(m.bins[0].predicted, 0.25);
  EXPECT_EQ(m.bins[1].observed, 1);
  EXPECT_EQ(m.roc.size(), 3U);
}

}  // namespace
}  // namespace overture::data
