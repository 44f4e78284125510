// What `overture train` notes while it runs, for the trace, the digest and the miss-ratio curve of its
// results.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "overture/base/hash.h"
#include "overture/data/batch.h"
#include "overture/report/miss_ratio.h"
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

// The steps of a run as a trace: when every trainer waited for the plan, for rows and for its peers, and when
// it computed. Time is that of the trainers' wall clocks, from when the first began its first step.
class TrainRecord {
 public:
  void add(const train::StepReport& step);

  // The same for the same losses, bit for bit.
  std::string digest() const { return digest_.text(); }
  void write_trace(const std::filesystem::path& folder) const;

 private:
  void begin(const train::StepReport& step);
  void add_spans(report::Trace& trace, const train::StepReport& step, const std::vector<train::Span>& spans);

  std::vector<report::Trace> traces_;  // by rank
  Digest digest_;
  std::optional<std::int64_t> origin_;  // of time
};

// Where the time went, and what would help most, in a sentence. `other_format`: of the data, than our own.
std::string train_why(const train::Totals& totals, double seconds, bool cached, bool other_format);

}  // namespace overture::cli
