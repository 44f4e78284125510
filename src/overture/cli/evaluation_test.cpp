#include "overture/cli/evaluation.h"

#include <csignal>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "overture/base/interrupt.h"
#include "overture/base/testing_folder.h"
#include "overture/base/text.h"
#include "overture/cli/arguments.h"
#include "overture/cli/bad_rows.h"

namespace overture::cli {
namespace {

// Labels in batches.
class Labels final : public data::BatchSource {
 public:
  explicit Labels(std::vector<std::vector<float>> batches) : batches_(std::move(batches)) {}
  bool next(data::Batch& batch) override {
    if (at_ == batches_.size()) return false;
    batch.labels = batches_[at_++];
    batch.samples = static_cast<std::int64_t>(batch.labels.size());
    return true;
  }

 private:
  std::vector<std::vector<float>> batches_;
  std::size_t at_ = 0;
};

// A logit of 0 is a probability of a half: log-loss ln 2.
TEST(Evaluate, AModelThatKnowsNothingHasTheLogLossOfACoin) {
  Labels labels({{0, 1}, {1}});
  std::vector<float> logits;
  const data::Metrics metrics = evaluate(labels, [&](const data::Batch& batch) {
    logits.assign(static_cast<std::size_t>(batch.samples), 0.0F);
    return std::span<const float>(logits);
  });
  EXPECT_EQ(metrics.samples, 3);
  EXPECT_NEAR(metrics.log_loss, 0.693147, 1e-6);
  EXPECT_DOUBLE_EQ(metrics.auc, 0.5);
}

TEST(Evaluate, AModelThatKnowsAllHasAnAucOfOne) {
  Labels labels({{0, 1, 0, 1}});
  std::vector<float> logits{-5, 5, -4, 6};
  const data::Metrics metrics =
      evaluate(labels, [&](const data::Batch&) { return std::span<const float>(logits); });
  EXPECT_DOUBLE_EQ(metrics.auc, 1);
  EXPECT_DOUBLE_EQ(metrics.accuracy, 1);
}

TEST(Evaluate, WhatWasReadBeforeCtrlCCounts) {
  const Interrupt interrupt;
  Labels labels({{0, 1}, {1, 1, 1}});
  const std::vector<float> logits{-5, 5};
  const data::Metrics metrics = evaluate(labels, [&](const data::Batch&) {
    std::raise(SIGINT);
    return std::span<const float>(logits);
  });
  EXPECT_EQ(metrics.samples, 2);
  EXPECT_DOUBLE_EQ(metrics.auc, 1);
}

data::Metrics some_metrics() {
  data::Metrics metrics{.samples = 12'345,
                        .log_loss = 0.5,
                        .normalized_entropy = 0.9,
                        .auc = 0.75,
                        .accuracy = 0.8125,
                        .calibration = 1.01};
  metrics.roc = {{0, 0}, {0.25, 0.5}, {1, 1}};
  metrics.bins = {{.predicted = 0.1, .observed = 0.125, .samples = 8}};
  return metrics;
}

TEST(MetricLines, AreForPeople) {
  const auto lines = metric_lines(some_metrics(), true);
  const std::vector<std::pair<std::string, std::string>> expected{
      {"held-out samples", "12,345"}, {"log-loss", "0.500000"},         {"AUC", "0.750000"},
      {"accuracy", "81.25 %"},        {"normalised entropy", "0.9000"}, {"calibration", "1.0100"}};
  EXPECT_EQ(lines, expected);
  EXPECT_EQ(metric_lines(some_metrics(), false)[0].first, "samples, all there are");
}

TEST(MetricsJson, HasAllOfThem) {
  const Json json = metrics_json(some_metrics());
  EXPECT_EQ(json.size(), 6u);
  EXPECT_EQ(json["samples"], 12'345);
  EXPECT_DOUBLE_EQ(json["auc"].get<double>(), 0.75);
}

TEST(WriteQuality, LeavesTheCurveAndTheBins) {
  const TestFolder folder;
  write_quality(some_metrics(), folder.path());
  EXPECT_EQ(
      bytes_of(folder / "roc.csv"),
      "false_positive_share,true_positive_share\n0.000000,0.000000\n0.250000,0.500000\n1.000000,1.000000\n");
  EXPECT_EQ(bytes_of(folder / "calibration.csv"), "predicted,observed,samples\n0.100000,0.125000,8\n");
}

std::string told(const data::BadRows* rows) {
  ::testing::internal::CaptureStderr();
  print_bad_rows(rows);
  return ::testing::internal::GetCapturedStderr();
}

TEST(BadRowsText, SaysHowManyAndWhereTheFirstAre) {
  data::BadRows rows(100);
  EXPECT_EQ(told(nullptr), "");
  EXPECT_EQ(told(&rows), "");
  rows.add({.file = "a.tsv", .line = 3}, "12 fields instead of 40");
  EXPECT_EQ(told(&rows), "skipped 1 bad rows:\n  a.tsv:3: 12 fields instead of 40\n");
}

TEST(BadRowsText, OfManyOnlyTheFirstAreShown) {
  data::BadRows rows(5000);
  for (int i = 1; i <= 2000; ++i) rows.add({.file = "a.tsv", .line = i}, "empty");
  const auto lines = split(told(&rows), '\n');
  EXPECT_EQ(lines[0], "skipped 2,000 bad rows:");
  EXPECT_LT(lines.size(), 20u);
  EXPECT_EQ(lines[lines.size() - 2], "  ...");
}

TEST(WordsOf, AreWhatStandsBetweenCommas) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(words_of(""), Words{});
  EXPECT_EQ(words_of("16"), Words{"16"});
  EXPECT_EQ(words_of("16,128"), (Words{"16", "128"}));
  EXPECT_EQ(words_of(",16,,128,"), (Words{"16", "128"}));
}

}  // namespace
}  // namespace overture::cli
