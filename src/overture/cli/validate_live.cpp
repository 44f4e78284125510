#include "overture/cli/validate_live.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/files.h"
#include "overture/base/hash.h"
#include "overture/base/table.h"
#include "overture/base/text.h"
#include "overture/cli/command.h"
#include "overture/cli/live_timeline.h"
#include "overture/recording/recording.h"
#include "overture/report/csv_grid.h"
#include "overture/report/results_folder.h"
#include "overture/study/live/live.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;
using study::LiveOptions;
using study::LivePoint;

constexpr double kMedianAllowed = 0.05;
constexpr double kWorstAllowed = 0.15;
constexpr double kReplayAllowed = 0.03;
constexpr double kDiffer = 0.10;  // measured times that far apart must keep their order

struct LiveRow {
  LivePoint point;
  study::Measured measured;
  std::optional<study::Predicted> predicted;  // not of points that calibrate
  double replayed = 0;                        // milliseconds

  double error() const { return predicted->milliseconds / measured.milliseconds - 1; }
  double replay_error() const { return replayed / measured.milliseconds - 1; }
};

// How far, and which part of a step is predicted wrong by most.
std::string blame(const LiveRow& row) {
  std::size_t most = 0;
  const auto off = [&](std::size_t part) { return row.predicted->parts[part] - row.measured.parts[part]; };
  for (std::size_t part = 1; part < study::kLiveParts; ++part) {
    if (std::abs(off(part)) > std::abs(off(most))) most = part;
  }
  return fmt::format("{} {:+.2f} ms", name(static_cast<study::LivePart>(most)), off(most));
}

double load() {
  std::array<double, 1> average{};
  return getloadavg(average.data(), 1) == 1 ? average[0] : 0;
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

struct LiveScore {
  double median_error = 0;
  double worst_error = 0;
  double median_replay = 0;
  int pairs = 0;     // whose measured times differ by more than a tenth
  int in_order = 0;  // of which the prediction says the same
};

LiveScore score_of(const std::vector<LiveRow>& rows) {
  LiveScore score;
  std::vector<double> errors;
  std::vector<double> replays;
  for (const LiveRow& row : rows) {
    replays.push_back(std::abs(row.replay_error()));
    if (!row.predicted) continue;
    errors.push_back(std::abs(row.error()));
    for (const LiveRow& other : rows) {
      if (!other.predicted || row.measured.milliseconds * (1 + kDiffer) >= other.measured.milliseconds)
        continue;
      ++score.pairs;
      score.in_order += row.predicted->milliseconds < other.predicted->milliseconds ? 1 : 0;
    }
  }
  score.median_error = median_of(errors);
  score.worst_error = errors.empty() ? 0 : std::ranges::max(errors);
  score.median_replay = median_of(replays);
  return score;
}

std::string csv(const std::vector<LiveRow>& rows) {
  std::string text = "source,scenario,what,reference,ours,error_percent,allowed_percent,passes,cpu_seconds\n";
  const auto line = [&](const std::string& name, const char* what, double measured, double ours,
                        double allowed) {
    const double error = 100 * std::abs(ours / measured - 1);
    text += fmt::format("live,{},{},{:.4f},{:.4f},{:.3f},{},{},0\n", report::csv_cell(name), what, measured,
                        ours, error, 100 * allowed, error <= 100 * allowed ? "yes" : "no");
  };
  for (const LiveRow& row : rows) {
    if (row.predicted)
      line(row.point.name(), "ms a step predicted", row.measured.milliseconds, row.predicted->milliseconds,
           kWorstAllowed);
    line(row.point.name(), "ms a step replayed", row.measured.milliseconds, row.replayed, kWorstAllowed);
  }
  return text;
}

std::string parts_csv(const std::vector<LiveRow>& rows) {
  std::string text = "point,calibrates,measured_ms,predicted_ms,replayed_ms,repeats,stolen_percent";
  for (std::size_t part = 0; part < study::kLiveParts; ++part)
    text += fmt::format(",measured_{0}_ms,predicted_{0}_ms", name(static_cast<study::LivePart>(part)));
  text += "\n";
  for (const LiveRow& row : rows) {
    text += fmt::format("{},{},{:.4f},{},{:.4f},{},{:.2f}", report::csv_cell(row.point.name()),
                        row.point.calibrates ? "yes" : "no", row.measured.milliseconds,
                        row.predicted ? fmt::format("{:.4f}", row.predicted->milliseconds) : "", row.replayed,
                        row.measured.repeats.size(), 100 * row.measured.stolen);
    for (std::size_t part = 0; part < study::kLiveParts; ++part)
      text += fmt::format(",{:.4f},{}", row.measured.parts[part],
                          row.predicted ? fmt::format("{:.4f}", row.predicted->parts[part]) : "");
    text += "\n";
  }
  return text;
}

void print_rows(const std::vector<LiveRow>& rows) {
  Table table({"point", "measured", "predicted", "error", "replayed", "mostly from"});
  for (const LiveRow& row : rows) {
    table.add({row.point.name(), fmt::format("{:.3f}", row.measured.milliseconds),
               row.predicted ? fmt::format("{:.3f}", row.predicted->milliseconds) : "calibrates",
               row.predicted ? fmt::format("{:+.1f} %", 100 * row.error()) : "",
               fmt::format("{:+.1f} %", 100 * row.replay_error()), row.predicted ? blame(row) : ""});
  }
  fmt::print("milliseconds a step\n{}\n", table.text());
}

std::vector<LiveRow> measure_all(const LiveValidation& options, const LiveOptions& live) {
  std::vector<LiveRow> rows;
  const std::vector<LivePoint> grid = study::live_grid(options.quick);
  study::make_live_data(live, options.quick);
  for (std::size_t i = 0; i < grid.size(); ++i) {
    fmt::print(stderr, "{} of {}: {}\n", i + 1, grid.size(), grid[i].name());
    rows.push_back({.point = grid[i], .measured = study::measure(grid[i], i, live)});
  }
  return rows;
}

std::vector<study::LiveCalibration> calibrations(const std::vector<LiveRow>& rows, const LiveOptions& live) {
  std::vector<study::LiveCalibration> found;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].point.calibrates)
      found.push_back({.point = rows[i].point,
                       .recording = recording::read_recording(study::point_folder(live, i) / "recording")});
  }
  return found;
}

// How busy the machine was with other things.
struct LoadAround {
  double before = 0;
  double after = 0;
};

bool holds(const LiveScore& score) {
  return score.median_error <= kMedianAllowed && score.worst_error <= kWorstAllowed &&
         score.median_replay <= kReplayAllowed && score.in_order == score.pairs;
}

Json live_summary(const LiveScore& score, const std::vector<LiveRow>& rows,
                  const std::vector<study::LiveCalibration>& calibrated, const LoadAround& around,
                  bool injected) {
  Json summary = report::summary_head(
      {.kind = "validate",
       .name = "Live: predicted against measured",
       .why = fmt::format(
           "median error {:.1f} %, worst {:.1f} %; recordings replayed {:.1f} % off (median); {} of {} pairs "
           "in the measured order; calibrated on {} of {} points; load of the machine {:.1f} to {:.1f}",
           100 * score.median_error, 100 * score.worst_error, 100 * score.median_replay, score.in_order,
           score.pairs, calibrated.size(), rows.size(), around.before, around.after)});
  summary.update({{"points", rows.size()},
                  {"calibrating", calibrated.size()},
                  {"links", injected ? "injected" : "network namespaces"},
                  {"median_error_percent", 100 * score.median_error},
                  {"worst_error_percent", 100 * score.worst_error},
                  {"median_replay_error_percent", 100 * score.median_replay},
                  {"pairs", score.pairs},
                  {"pairs_in_order", score.in_order},
                  {"load_before", around.before},
                  {"load_after", around.after},
                  {"machine", calibrated.front().recording.head().machine.text()},
                  {"holds", holds(score)}});
  return summary;
}

// Predicts every point that did not calibrate, and replays all.
LiveTimelines predict_all(std::vector<LiveRow>& rows, const std::vector<study::LiveCalibration>& calibrated,
                          const LiveOptions& live) {
  LiveTimelines timelines(static_cast<int>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const model::Machine machine = machine_at(rows[i].point, calibrated);
    rows[i].replayed = study::replay(rows[i].point, i, machine, live).milliseconds;
    if (rows[i].point.calibrates) continue;
    rows[i].predicted = study::predict(rows[i].point, i, machine, live);
    timelines.add(rows[i].point.name(), study::point_folder(live, i) / "recording",
                  rows[i].predicted->result);
    rows[i].predicted->result = {};
  }
  return timelines;
}

}  // namespace

int validate_live(const LiveValidation& options) {
  const fs::path folder = options.output.folder_or("results/live");
  claim(options.output, folder, "validate");
  const LiveOptions live{.program = fs::read_symlink("/proc/self/exe"),
                         .folder = fs::absolute(folder),
                         .injected = options.injected,
                         .steps = options.steps,
                         .most_repeats = options.repeats,
                         .keep = options.keep};
  LoadAround around{.before = load()};
  std::vector<LiveRow> rows = measure_all(options, live);
  around.after = load();
  const std::vector<study::LiveCalibration> calibrated = calibrations(rows, live);
  LiveTimelines timelines = predict_all(rows, calibrated, live);
  const LiveScore score = score_of(rows);
  write_file(folder / "validation.csv", csv(rows));
  write_file(folder / "live.csv", parts_csv(rows));
  timelines.write(folder);
  const Json summary = live_summary(score, rows, calibrated, around, options.injected);
  Digest digest;
  for (const LiveRow& row : rows) digest.add_bits(row.measured.milliseconds);
  finish_run(options.output, summary, digest, "live: true\n", folder);
  print_rows(rows);
  print_why(summary["why"].get<std::string>());
  print_where(folder, options.output);
  return holds(score) || options.quick ? 0 : 1;
}

}  // namespace overture::cli
