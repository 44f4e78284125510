#include "overture/train/step_account.h"

#include "overture/rpc/wire.h"

namespace overture::train {
namespace {

// Pieces of work that follow each other at once are one.
constexpr std::int64_t kNoGapNanoseconds = 20'000;
// More than a step of any model needs; beyond, only sums are kept.
constexpr std::size_t kMostSpans = 64;

}  // namespace

void StepAccount::add(Activity what, const Interval& when) {
  switch (what) {
    case Activity::compute: report.compute += when.seconds(); break;
    case Activity::wait_for_plan: report.waited_for_plan += when.seconds(); break;
    case Activity::wait_for_rows: report.waited_for_rows += when.seconds(); break;
    case Activity::wait_for_peers: report.waited_for_peers += when.seconds(); break;
  }
  if (!spans.empty() && spans.back().what == what && when.begin - spans.back().end < kNoGapNanoseconds) {
    spans.back().end = when.end;
  } else if (spans.size() < kMostSpans) {
    spans.push_back({when.begin, when.end, what});
  }
}

void StepAccount::forget_times() {
  report.compute = report.waited_for_plan = report.waited_for_rows = report.waited_for_peers = 0;
  spans.clear();
}

void StepAccount::put(rpc::Buffer& payload) const {
  rpc::WireWriter writer(payload);
  writer.put(report);
  writer.put(std::span<const Span>(spans));
}

StepAccount StepAccount::of(const rpc::Message& message) {
  rpc::WireReader in(message.payload);
  StepAccount account{.report = in.get<TrainerReport>(), .spans = {}};
  const auto spans = in.array<Span>();
  account.spans.assign(spans.begin(), spans.end());
  return account;
}

}  // namespace overture::train
