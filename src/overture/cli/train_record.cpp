#include "overture/cli/train_record.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace overture::cli {
namespace {

constexpr int kComputeStream = 1;
constexpr int kRowStream = 2;
constexpr int kPeerStream = 3;
constexpr int kPlanStream = 4;

Duration from_seconds(double seconds) { return Duration{std::llround(std::max(seconds, 0.0) * 1e12)}; }

}  // namespace

bool WatchedBatches::next(data::Batch& batch) {
  if (!source_.next(batch)) return false;
  curve_.next_batch();
  for (std::size_t table = 0; table < batch.tables.size(); ++table) {
    for (const std::int64_t id : batch.tables[table].ids) curve_.add(static_cast<std::int64_t>(table), id);
  }
  return true;
}

// HTA takes "Memcpy" for copies and "nccl" for communication.
void TrainRecord::add(const train::StepReport& step, double seconds) {
  digest_.add(step.step);
  digest_.add_bits(step.loss);
  if (last_ == Time{}) {
    trace_.name_stream(kComputeStream, "compute");
    trace_.name_stream(kRowStream, "waiting for rows");
    trace_.name_stream(kPeerStream, "waiting for peers");
    trace_.name_stream(kPlanStream, "waiting for the plan");
  }
  const Time end{from_seconds(seconds)};
  const std::array parts{
      std::tuple{"plan", kPlanStream, from_seconds(step.waited_for_plan_seconds)},
      std::tuple{"Memcpy rows (server -> trainer)", kRowStream, from_seconds(step.waited_for_rows_seconds)},
      std::tuple{"forward, backward, update", kComputeStream, from_seconds(step.compute_seconds)},
      std::tuple{"ncclKernel_AllReduce", kPeerStream, from_seconds(step.waited_for_peers_seconds)}};
  Duration known{};
  for (const auto& [name, stream, length] : parts) known += length;
  const Time start = std::max(last_, end - std::max(known, Duration{}));
  trace_.add(report::TraceStep{static_cast<int>(step.step), start, end - start});
  Time at = start;
  for (const auto& [name, stream, length] : parts) {
    if (length > Duration{}) {
      trace_.add(report::TraceSlice{.name = name,
                                    .stream = stream,
                                    .start = at,
                                    .length = std::min(length, end - at),
                                    .args = {{"step", fmt::format("{}", step.step)}}});
    }
    at = std::min(end, at + length);
  }
  const double hits = step.rows == 0 ? 0 : static_cast<double>(step.hits) / static_cast<double>(step.rows);
  trace_.add(report::TraceCounter{"hit rate %", start, 100 * hits});
  trace_.add(report::TraceCounter{"rows in the cache", start, static_cast<double>(step.resident_rows)});
  trace_.add(report::TraceCounter{"bytes fetched", start, static_cast<double>(step.fetched_bytes)});
  last_ = end;
}

void TrainRecord::write_trace(const std::filesystem::path& folder) const {
  report::write_trace_files(std::span(&trace_, 1), folder);
}

std::string train_why(const train::Totals& totals, double seconds, bool cached) {
  if (seconds <= 0 || totals.steps == 0) return {};
  struct Part {
    const char* what;
    double seconds;
    const char* help;
  };
  const double known = totals.compute_seconds + totals.waited_for_plan_seconds +
                       totals.waited_for_rows_seconds + totals.waited_for_peers_seconds;
  const std::array parts{
      Part{"computing", totals.compute_seconds, "faster computing (threads, or more trainers)"},
      Part{"waiting for rows", totals.waited_for_rows_seconds,
           "a faster link to the tables, or a longer look-ahead (cache.lookahead)"},
      Part{"waiting for the plan", totals.waited_for_plan_seconds, "faster reading of the data"},
      Part{"waiting for peers", totals.waited_for_peers_seconds, "fewer or more even trainers"},
      Part{"reading data and saving", std::max(0.0, seconds - known), "faster reading of the data"}};
  const auto most = std::ranges::max_element(parts, {}, &Part::seconds);
  std::string text =
      fmt::format("{:.0f} % of the time goes to {}", 100 * most->seconds / seconds, most->what);
  if (cached && most->seconds != totals.waited_for_rows_seconds) {
    text += fmt::format(", {:.0f} % to waiting for rows (exposed), as the cache has {:.0f} % of them",
                        100 * totals.waited_for_rows_seconds / seconds, 100 * totals.hit_rate());
  }
  return text + fmt::format("; what would help most: {}", most->help);
}

}  // namespace overture::cli
