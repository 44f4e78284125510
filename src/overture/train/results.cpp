#include "overture/train/results.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/json.h"

namespace overture::train {
namespace {

constexpr std::string_view kStart = "{\"step\": ";
const std::string kEnd = "}\n";
constexpr std::string_view kHeldOut = "\"held_out_log_loss\": ";

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

void IterationTimes::add(double seconds) {
  if (steps_++ < kWarmUp) return;
  // Welford's method: one visit, no cancellation.
  ++counted_;
  const double off = seconds - mean_;
  mean_ += off / static_cast<double>(counted_);
  squares_ += off * (seconds - mean_);
}

// The clock of a resumed run starts again: its first step is not timed.
IterationTimes iteration_times(const std::filesystem::path& metrics) {
  IterationTimes times;
  std::istringstream lines(read_file(metrics));
  std::string line;
  double last = 0;
  for (int number = 1; std::getline(lines, line); ++number) {
    const Json step = parse_json(line);
    const bool last_line = lines.eof();  // cut by a crash
    if (!step.is_object() || !step.contains("seconds") || !step["seconds"].is_number()) {
      if (last_line) break;
      throw UserError({.file = metrics.string(), .line = number}, "is not a line of metrics.jsonl");
    }
    const double now = step["seconds"].get<double>();
    if (now >= last) times.add(now - last);
    last = now;
  }
  return times;
}

double IterationTimes::deviation() const {
  return counted_ < 2 ? 0 : std::sqrt(squares_ / static_cast<double>(counted_ - 1));
}

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
  last_loss = report.loss;
  losses_.push_front(report.loss);
  if (losses_.size() > kSmoothed) losses_.pop_back();
  const auto tenth = std::clamp<std::int64_t>(steps / 10, 1, std::ssize(losses_));
  loss = std::accumulate(losses_.begin(), losses_.begin() + tenth, 0.0) / static_cast<double>(tenth);
}

namespace {

// Of a step, or of one trainer in it.
template <class Times>
std::string time_fields(const Times& t) {
  return fmt::format(
      "\"compute_seconds\": {:.6f}, \"waited_for_plan_seconds\": {:.6f}, "
      "\"waited_for_rows_seconds\": {:.6f}, \"waited_for_peers_seconds\": {:.6f}",
      t.compute_seconds, t.waited_for_plan_seconds, t.waited_for_rows_seconds, t.waited_for_peers_seconds);
}

std::string step_fields(const StepReport& r, double seconds) {
  return fmt::format(
      "{}{}, \"seconds\": {:.6f}, \"samples\": {}, \"loss\": {:.9g}, \"lookups\": {}, \"rows\": {}, "
      "\"hit_rate\": {:.6f}, \"critical_rows\": {}, \"delayed_rows\": {}, \"resident_rows\": {}, "
      "\"window_batches\": {}, \"fetched_rows\": {}, \"fetched_bytes\": {}, \"stored_rows\": {}, "
      "\"stored_bytes\": {}, {}",
      kStart, r.step, seconds, r.samples, r.loss, r.lookups, r.rows, r.hit_rate(), r.critical_rows,
      r.delayed_rows, r.resident_rows, r.window, r.fetched_rows, r.fetched_bytes, r.stored_rows,
      r.stored_bytes, time_fields(r));
}

// Of all trainers, by rank, where there are several.
std::string trainers_field(const StepReport& report) {
  if (report.trainers.size() < 2) return {};
  std::string text;
  for (const TrainerTimes& one : report.trainers)
    text += (text.empty() ? "{" : ", {") + time_fields(one) + "}";
  return ", \"trainers\": [" + text + "]";
}

// Not a number, as the AUC of samples that are all clicks, is null in JSON.
std::string json_number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }

// Every digit: a resumed run reads them again.
std::string held_out_fields(const data::Metrics& metrics) {
  return fmt::format(", {}{}, \"held_out_auc\": {}, \"held_out_accuracy\": {}", kHeldOut,
                     json_number(metrics.log_loss), json_number(metrics.auc), json_number(metrics.accuracy));
}

std::vector<HeldOut> evaluations_of(std::string_view lines) {
  std::vector<HeldOut> found;
  for (std::size_t at = lines.find(kHeldOut); at != std::string_view::npos; at = lines.find(kHeldOut, at)) {
    const std::size_t begin = lines.rfind('\n', at) + 1;  // npos + 1 is 0
    const std::size_t end = lines.find('\n', at);
    const auto line = parse_json(lines.substr(begin, end - begin));
    const auto number = [&](const char* key) {
      const bool known = line.is_object() && line.contains(key) && line[key].is_number();
      return known ? line[key].get<double>() : std::nan("");
    };
    found.push_back({.steps = std::llround(number("step")) + 1,
                     .metrics = {.log_loss = number("held_out_log_loss"),
                                 .auc = number("held_out_auc"),
                                 .accuracy = number("held_out_accuracy")}});
    at = end;
  }
  return found;
}

}  // namespace

MetricsFile::MetricsFile(const std::filesystem::path& path, std::int64_t first_step)
    : MetricsFile(path, earlier_lines(path, first_step)) {}

MetricsFile::MetricsFile(const std::filesystem::path& path, const std::string& earlier)
    : file_(path, earlier), evaluations_(evaluations_of(earlier)) {}

void MetricsFile::add(const StepReport& report, double seconds) {
  file_.write(step_fields(report, seconds) + trainers_field(report) + kEnd);
  awaits_evaluation_ = awaits_checkpoint_ = true;
}

// A run that was resumed when nothing was left to do tells again what the file has.
void MetricsFile::add(const HeldOut& held_out) {
  if (!evaluations_.empty() && evaluations_.back().steps == held_out.steps) evaluations_.pop_back();
  evaluations_.push_back(held_out);
  if (std::exchange(awaits_evaluation_, false))
    file_.replace_end(kEnd.size(), held_out_fields(held_out.metrics) + kEnd);
}

void MetricsFile::add_checkpoint(double seconds) {
  if (std::exchange(awaits_checkpoint_, false))
    file_.replace_end(kEnd.size(), fmt::format(", \"checkpoint_seconds\": {:.6f}", seconds) + kEnd);
}

}  // namespace overture::train
