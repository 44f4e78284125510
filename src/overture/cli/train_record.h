// What `overture train` notes while it runs, for the trace, the digest and the miss-ratio curve of its
// results.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "overture/data/batch.h"
#include "overture/report/miss_ratio.h"
#include "overture/report/results_folder.h"
#include "overture/report/trace.h"
#include "overture/train/results.h"
#include "overture/train/run.h"

namespace overture::cli {

// A source of batches that lets `curve` see every row that they use. Both outlive it.
class WatchedBatches final : public data::BatchSource {
 public:
  WatchedBatches(data::BatchSource& source, report::MissRatioCurve& curve) : source_(source), curve_(curve) {}

  bool next(data::Batch& batch) override;
  void skip(std::int64_t batches) override { source_.skip(batches); }

 private:
  data::BatchSource& source_;
  report::MissRatioCurve& curve_;
};

// The steps of a run as a trace of its slowest trainer: how long it waited for the plan, for rows and for its
// peers, and computed. A step tells how long, not when; its parts stand one after the other.
class TrainRecord {
 public:
  explicit TrainRecord(int trainers) : trace_(0, trainers, kMostEvents) {}

  // `seconds` since the run began, when the step had ended.
  void add(const train::StepReport& step, double seconds);

  // The same for the same losses, bit for bit.
  std::string digest() const { return digest_.text(); }
  void write_trace(const std::filesystem::path& folder) const;

 private:
  static constexpr std::size_t kMostEvents = 200'000;

  report::Trace trace_;
  report::Digest digest_;
  Time last_{};
};

// Where the time went, and what would help most, in a sentence.
std::string train_why(const train::Totals& totals, double seconds, bool cached);

}  // namespace overture::cli
