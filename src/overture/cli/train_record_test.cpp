#include "overture/cli/train_record.h"

#include <gtest/gtest.h>

#include "overture/base/testing_folder.h"
#include "overture/report/gzip_reader.h"

namespace overture::cli {
namespace {

train::Totals totals(double compute, double rows, double plan, double peers) {
  train::Totals sums;
  sums.steps = 10;
  sums.rows = 100;
  sums.hits = 90;
  sums.compute_seconds = compute;
  sums.waited_for_rows_seconds = rows;
  sums.waited_for_plan_seconds = plan;
  sums.waited_for_peers_seconds = peers;
  return sums;
}

TEST(TrainWhy, NamesWhatTakesMostOfTheTimeAndWhatWouldHelp) {
  EXPECT_EQ(train_why(totals(6, 1, 1, 1), 10, false, true),
            "60 % of the time goes to computing; to try: more threads, or more "
            "trainers");
  EXPECT_EQ(train_why(totals(1, 6, 1, 1), 10, true, true),
            "60 % of the time goes to waiting for rows; to try: a faster link to the tables, "
            "or a longer "
            "look-ahead (cache.lookahead)");
  EXPECT_EQ(
      train_why(totals(1, 1, 6, 1), 10, false, true),
      "60 % of the time goes to waiting for the plan; to try: data that is read faster (overture convert)");
  EXPECT_EQ(train_why(totals(1, 1, 1, 6), 10, false, true),
            "60 % of the time goes to waiting for peers; to try: fewer or more even trainers");
}

TEST(TrainWhy, WhatNobodyCountedIsReadingAndSaving) {
  EXPECT_EQ(train_why(totals(1, 1, 1, 1), 10, false, true),
            "60 % of the time goes to reading data and saving; to try: data that is read faster (overture "
            "convert)");
}

TEST(TrainWhy, DataThatNeedsNoConvertingIsNotToBeConverted) {
  EXPECT_EQ(train_why(totals(1, 1, 1, 1), 10, false, false),
            "60 % of the time goes to reading data and saving; to try: more steps: starting and saving take "
            "as long for few as for many");
  EXPECT_EQ(train_why(totals(1, 1, 6, 1), 10, false, false).find("convert"), std::string::npos);
}

TEST(TrainWhy, ACacheIsToldToo) {
  EXPECT_EQ(train_why(totals(6, 2, 1, 1), 10, true, true),
            "60 % of the time goes to computing, 20 % to waiting for rows (exposed), as the cache has 90 % "
            "of them; to try: more threads, or more trainers");
}

TEST(TrainWhy, WithoutTimeOrStepsThereIsNothingToSay) {
  EXPECT_EQ(train_why(totals(6, 2, 1, 1), 0, true, true), "");
  EXPECT_EQ(train_why({}, 10, true, true), "");
}

// Two batches over one table.
class FewBatches final : public data::BatchSource {
 public:
  bool next(data::Batch& batch) override {
    if (++given_ > 2) return false;
    batch = {.samples = 2, .labels = {0, 1}};
    batch.tables.push_back({.ids = {1, given_}});
    return true;
  }

 private:
  int given_ = 0;
};

TEST(WatchedBatches, LetTheCurveSeeEveryRowOnceABatch) {
  FewBatches batches;
  report::MissRatioCurve seen;
  WatchedBatches watched(batches, seen);
  data::Batch batch;
  while (watched.next(batch)) {
  }
  report::MissRatioCurve expected;  // rows 1 and 1, then 1 and 2
  expected.next_batch();
  expected.add(0, 1);
  expected.add(0, 1);
  expected.next_batch();
  expected.add(0, 1);
  expected.add(0, 2);
  EXPECT_EQ(seen.csv(), expected.csv());
}

train::StepReport step(std::int64_t number, double loss, int trainers) {
  train::StepReport report;
  report.step = number;
  report.loss = loss;
  report.rows = 10;
  report.hits = 5;
  for (int t = 0; t < trainers; ++t) {
    train::TrainerTimes& times = report.trainers.emplace_back();
    const std::int64_t begin = 5'000'000 + 1000 * number;
    times.spans = {{begin, begin + 100, train::Activity::wait_for_rows},
                   {begin + 100, begin + 700, train::Activity::compute}};
  }
  return report;
}

TEST(TrainRecord, TheDigestIsOfStepsAndLosses) {
  const auto digest = [](std::initializer_list<double> losses, std::int64_t first = 0) {
    TrainRecord record;
    for (const double loss : losses) record.add(step(first++, loss, 1));
    return record.digest();
  };
  EXPECT_EQ(digest({0.5, 0.25}), digest({0.5, 0.25}));
  EXPECT_NE(digest({0.5, 0.25}), digest({0.25, 0.5}));
  EXPECT_NE(digest({0.5}), digest({0.5}, 1)) << "of another step";
  EXPECT_NE(digest({0.5}), digest({0.5 + 1e-16 * 2})) << "every bit counts";
}

std::string unzipped(const std::filesystem::path& file) {
  report::GzipReader reader(file);
  return {std::istreambuf_iterator<char>(&reader), {}};
}

TEST(TrainRecord, TheTraceHasStepsAndStreamsOfEveryTrainer) {
  const TestFolder folder;
  TrainRecord record;
  record.add(step(0, 0.5, 2));
  record.add(step(1, 0.4, 2));
  record.write_trace(folder.path());
  const std::string trace = unzipped(folder / "trace.json.gz");
  for (const char* part :
       {"waiting for rows", "waiting for the plan", "waiting for peers", "hit rate %", "rows in the cache",
        "bytes fetched", "Memcpy rows (server -> trainer)", "forward, backward, update"})
    EXPECT_NE(trace.find(part), std::string::npos) << part;
}

TEST(TrainRecord, ARunWithoutStepsStillHasATrace) {
  const TestFolder folder;
  TrainRecord().write_trace(folder.path());
  EXPECT_TRUE(std::filesystem::exists(folder / "trace.json.gz"));
}

}  // namespace
}  // namespace overture::cli
