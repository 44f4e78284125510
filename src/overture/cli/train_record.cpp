#include "overture/cli/train_record.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace overture::cli {
namespace {

// By what is done. HTA takes "Memcpy" for copies and "nccl" for communication.
struct Stream {
  int number;
  const char* name;
  const char* slice;
};
constexpr Stream kStreams[] = {{1, "compute", "forward, backward, update"},
                               {4, "waiting for the plan", "plan"},
                               {2, "waiting for rows", "Memcpy rows (server -> trainer)"},
                               {3, "waiting for peers", "ncclKernel_AllReduce"}};

}  // namespace

bool WatchedBatches::next(data::Batch& batch) {
  if (!source_.next(batch)) return false;
  curve_.next_batch();
  for (std::size_t table = 0; table < batch.tables.size(); ++table) {
    for (const std::int64_t id : batch.tables[table].ids) curve_.add(static_cast<std::int64_t>(table), id);
  }
  return true;
}

void TrainRecord::add(const train::StepReport& step) {
  digest_.add(step.step);
  digest_.add_bits(step.loss);
  if (traces_.empty()) begin(step);
  for (std::size_t rank = 0; rank < step.trainers.size() && rank < traces_.size(); ++rank)
    add_spans(traces_[rank], step, step.trainers[rank].spans);
}

void TrainRecord::begin(const train::StepReport& step) {
  const auto count = static_cast<int>(step.trainers.size());
  for (int rank = 0; rank < count; ++rank) {
    report::Trace& trace =
        traces_.emplace_back(rank, count, report::kMostTraceEvents / static_cast<std::size_t>(count));
    for (const Stream& stream : kStreams) trace.name_stream(stream.number, stream.name);
    for (const train::Span& span : step.trainers[static_cast<std::size_t>(rank)].spans)
      origin_ = origin_ ? std::min(*origin_, span.begin) : span.begin;
  }
}

void TrainRecord::add_spans(report::Trace& trace, const train::StepReport& step,
                            const std::vector<train::Span>& spans) {
  if (spans.empty() || !origin_) return;
  const auto when = [&](std::int64_t nanoseconds) {
    return Time{std::chrono::nanoseconds(std::max<std::int64_t>(0, nanoseconds - *origin_))};
  };
  const Time start = when(spans.front().begin);
  trace.add(report::TraceStep{static_cast<int>(step.step), start, when(spans.back().end) - start});
  for (const train::Span& span : spans) {
    const Stream& stream = kStreams[static_cast<std::size_t>(span.what)];
    trace.add(report::TraceSlice{.name = stream.slice,
                                 .stream = stream.number,
                                 .start = when(span.begin),
                                 .length = when(span.end) - when(span.begin),
                                 .args = {{"step", fmt::format("{}", step.step)}}});
  }
  if (trace.rank() != 0) return;
  trace.add(report::TraceCounter{"hit rate %", start, 100 * step.hit_rate()});
  trace.add(report::TraceCounter{"rows in the cache", start, static_cast<double>(step.resident_rows)});
  trace.add(report::TraceCounter{"bytes fetched", start, static_cast<double>(step.fetched_bytes)});
}

void TrainRecord::write_trace(const std::filesystem::path& folder) const {
  const report::Trace nothing(0, 1);
  report::write_trace_files(traces_.empty() ? std::span(&nothing, 1) : std::span(traces_), folder);
}

std::string train_why(const train::Totals& totals, double seconds, bool cached, bool other_format) {
  if (seconds <= 0 || totals.steps == 0) return {};
  constexpr const char* kConvert = "data that is read faster (overture convert)";
  struct Part {
    const char* what;
    double seconds;
    const char* help;
  };
  const double known = totals.compute_seconds + totals.waited_for_plan_seconds +
                       totals.waited_for_rows_seconds + totals.waited_for_peers_seconds;
  const std::array parts{
      Part{"computing", totals.compute_seconds, "more threads, or more trainers"},
      Part{"waiting for rows", totals.waited_for_rows_seconds,
           "a faster link to the tables, or a longer look-ahead (cache.lookahead)"},
      Part{"waiting for the plan", totals.waited_for_plan_seconds,
           other_format ? kConvert : "a core for the oracle, or a shorter look-ahead (cache.lookahead)"},
      Part{"waiting for peers", totals.waited_for_peers_seconds, "fewer or more even trainers"},
      Part{"reading data and saving", std::max(0.0, seconds - known),
           other_format ? kConvert : "more steps: starting and saving take as long for few as for many"}};
  const auto most = std::ranges::max_element(parts, {}, &Part::seconds);
  std::string text =
      fmt::format("{:.0f} % of the time goes to {}", 100 * most->seconds / seconds, most->what);
  if (cached && most->seconds != totals.waited_for_rows_seconds) {
    text += fmt::format(", {:.0f} % to waiting for rows (exposed), as the cache has {:.0f} % of them",
                        100 * totals.waited_for_rows_seconds / seconds, 100 * totals.hit_rate());
  }
  return text + fmt::format("; to try: {}", most->help);
}

}  // namespace overture::cli
