#include "overture/train/results.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "overture/base/files.h"

namespace overture::train {
namespace {

constexpr std::string_view kStart = "{\"step\": ";

// The lines of steps before `first_step`, whole ones only: a crash may have cut the last.
std::string earlier_lines(const std::filesystem::path& path, std::int64_t first_step) {
  if (first_step == 0 || !std::filesystem::exists(path)) return {};
  const std::string text = read_file(path);
  std::size_t kept = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string::npos || text.compare(at, kStart.size(), kStart) != 0) break;
    if (std::strtoll(text.c_str() + at + kStart.size(), nullptr, 10) >= first_step) break;
    at = kept = end + 1;
  }
  return text.substr(0, kept);
}

}  // namespace

void Totals::add(const StepReport& report) {
  ++steps;
  samples += report.samples;
  lookups += report.lookups;
  rows += report.rows;
  hits += report.hits;
  critical_rows += report.critical_rows;
  fetched_rows += report.fetched_rows;
  fetched_bytes += report.fetched_bytes;
  stored_bytes += report.stored_bytes;
  most_resident_rows = std::max(most_resident_rows, report.resident_rows);
  compute_seconds += report.compute_seconds;
  waited_for_plan_seconds += report.waited_for_plan_seconds;
  waited_for_rows_seconds += report.waited_for_rows_seconds;
  waited_for_peers_seconds += report.waited_for_peers_seconds;
  loss += (report.loss - loss) / static_cast<double>(std::min<std::int64_t>(steps, 100));
}

std::string metrics_line(const StepReport& r, double seconds) {
  const double hit_rate = r.rows == 0 ? 0 : static_cast<double>(r.hits) / static_cast<double>(r.rows);
  return fmt::format(
      "{}{}, \"seconds\": {:.6f}, \"samples\": {}, \"loss\": {:.9g}, \"lookups\": {}, \"rows\": {}, "
      "\"hit_rate\": {:.6f}, \"critical_rows\": {}, \"delayed_rows\": {}, \"resident_rows\": {}, "
      "\"window_batches\": {}, \"fetched_rows\": {}, \"fetched_bytes\": {}, \"stored_rows\": {}, "
      "\"stored_bytes\": {}, \"compute_seconds\": {:.6f}, \"waited_for_plan_seconds\": {:.6f}, "
      "\"waited_for_rows_seconds\": {:.6f}, \"waited_for_peers_seconds\": {:.6f}}}\n",
      kStart, r.step, seconds, r.samples, r.loss, r.lookups, r.rows, hit_rate, r.critical_rows,
      r.delayed_rows, r.resident_rows, r.window, r.fetched_rows, r.fetched_bytes, r.stored_rows,
      r.stored_bytes, r.compute_seconds, r.waited_for_plan_seconds, r.waited_for_rows_seconds,
      r.waited_for_peers_seconds);
}

MetricsFile::MetricsFile(const std::filesystem::path& path, std::int64_t first_step)
    : file_(path, earlier_lines(path, first_step)) {}

void MetricsFile::add(const StepReport& report, double seconds) {
  file_.write(metrics_line(report, seconds));
}

}  // namespace overture::train
