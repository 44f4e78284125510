#include "overture/serve/run_list.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <fstream>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/json.h"
#include "overture/base/run_summary.h"
#include "overture/base/units.h"

namespace overture::serve {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 6;
constexpr std::size_t kMostRuns = 20'000;
constexpr std::uintmax_t kLargest = 16 << 20;  // bytes; a larger summary is not opened
constexpr std::int64_t kStale = 30;            // seconds without news: nobody works on it any more

std::string small_file(const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  if (error || size > kLargest || fs::is_symlink(file, error)) return "";  // a link could lead anywhere
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::int64_t changed(const fs::path& file) {
  struct stat facts {};
  return stat(file.c_str(), &facts) == 0 ? static_cast<std::int64_t>(facts.st_mtime) : 0;
}

std::string local_time(std::int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  if (localtime_r(&time, &parts) == nullptr) return "";
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts);
  return text.data();
}

std::string text_at(const Json& object, const char* key) {
  return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : "";
}

std::optional<double> number_at(const Json& object, const char* key) {
  if (!object.contains(key) || !object[key].is_number()) return std::nullopt;
  return object[key].get<double>();
}

std::string microseconds(double us) { return to_string(Duration{std::llround(us * 1e6)}); }

std::string of_training(const Json& summary) {
  if (summary.contains("held_out") && summary["held_out"].is_object()) {
    if (const auto auc = number_at(summary["held_out"], "auc")) return fmt::format("AUC {:.4f}", *auc);
  }
  const auto loss = number_at(summary, "loss");
  return loss ? fmt::format("loss {:.5f}", *loss) : "";
}

// What the command is about, with its unit.
std::string headline(const Json& summary) {
  const std::string kind = text_at(summary, "kind");
  if (kind == "train") return of_training(summary);
  if (const auto auc = number_at(summary, "auc")) return fmt::format("AUC {:.4f}", *auc);
  struct Time {
    const char* key;
    const char* label;
    double per_us;
  };
  for (const auto& [key, label, per_us] :
       {Time{"makespan_us", "makespan", 1}, Time{"iteration_us", "iteration", 1},
        Time{"iteration_ps", "iteration", 1e6},  // of cells of the Opera study
        Time{"step_us", "step", 1}, Time{"finished_us", "finished", 1}}) {
    const auto value = number_at(summary, key);
    if (value && std::abs(*value / per_us) < 1e12)
      return fmt::format("{} {}", label, microseconds(*value / per_us));
  }
  if (const auto best = number_at(summary, "best_seconds_per_million"))  // of `codesign`
    return fmt::format("best {:.3g} s for a million samples", *best);
  if (const auto busbw = number_at(summary, "busbw_GB_per_s"))
    return fmt::format("busbw {:.4g} GB/s", *busbw);
  if (const auto failed = number_at(summary, "failed"))
    return fmt::format("{:.0f} of {:.0f} checks failed", *failed, number_at(summary, "checks").value_or(0));
  if (const auto finished = number_at(summary, "finished")) {
    const auto all = number_at(summary, kind == "sweep" ? "points" : kind == "flows" ? "flows" : "cells");
    return all ? fmt::format("{:.0f} of {:.0f} done", *finished, *all)
               : fmt::format("{:.0f} done", *finished);
  }
  return "";
}

std::string progress_text(const Json& progress) {
  const auto done = number_at(progress, "done");
  const auto total = number_at(progress, "total");
  std::string text = text_at(progress, "what");
  if (done) text += fmt::format(" {:.0f}", *done);
  if (total && *total > 0) text += fmt::format(" of {:.0f}", *total);
  if (const auto left = number_at(progress, "seconds_left")) text += fmt::format(", {:.0f} s left", *left);
  return text;
}

// Sweeps keep their runs in points/, studies in cells/.
bool is_part(const fs::path& path) {
  return std::ranges::any_of(path.parent_path(),
                             [](const fs::path& name) { return name == "points" || name == "cells"; });
}

std::optional<RunEntry> entry_of(const fs::path& root, const fs::path& folder, std::int64_t now) {
  std::error_code error;
  const std::string text = small_file(folder / "summary.json");
  const std::int64_t beat = changed(folder / "progress.json");
  if (text.empty() && beat == 0) return std::nullopt;
  const Json summary = parse_json(text);
  const Json progress = beat > 0 ? parse_json(small_file(folder / "progress.json")) : Json();
  RunEntry entry;
  entry.path = folder == root ? "." : fs::relative(folder, root, error).generic_string();
  entry.part = is_part(entry.path);
  if (summary.is_object()) {
    entry.name = text_at(summary, "name");
    entry.kind = text_at(summary, "kind");
    entry.why = text_at(summary, "why");
    entry.headline = headline(summary);
    entry.state = is_complete(summary) ? RunState::finished : RunState::interrupted;
  }
  entry.time = std::max(changed(folder / "summary.json"), beat);
  if (progress.is_object()) {
    if (entry.kind.empty()) entry.kind = text_at(progress, "kind");
    if (entry.name.empty()) entry.name = text_at(progress, "name");
    entry.state = now - beat < kStale ? RunState::running : RunState::interrupted;
    entry.progress = progress_text(progress);
  }
  entry.when = local_time(entry.time);
  entry.tags = read_tags(folder);
  entry.report = fs::exists(folder / "report.html", error);
  return entry;
}

void collect(const fs::path& root, const fs::path& folder, int depth, std::int64_t now,
             std::vector<RunEntry>& runs) {
  if (runs.size() >= kMostRuns) return;
  if (auto entry = entry_of(root, folder, now)) runs.push_back(std::move(*entry));
  if (depth == kDeepest) return;
  std::error_code error;
  std::vector<fs::path> below;
  for (const auto& entry :
       fs::directory_iterator(folder, fs::directory_options::skip_permission_denied, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.') || name == "checkpoints" || name == "hta") continue;
    if (entry.is_directory(error) && !entry.is_symlink(error)) below.push_back(entry.path());
  }
  std::ranges::sort(below);
  for (const fs::path& path : below) collect(root, path, depth + 1, now, runs);
}

}  // namespace

std::string_view name(RunState state) {
  switch (state) {
    case RunState::finished: return "finished";
    case RunState::running: return "running";
    case RunState::interrupted: return "interrupted";
  }
  return "?";
}

std::vector<RunEntry> list_runs(const fs::path& folder) {
  std::vector<RunEntry> runs;
  collect(folder, folder, 0, static_cast<std::int64_t>(std::time(nullptr)), runs);
  std::ranges::stable_sort(runs, [](const RunEntry& a, const RunEntry& b) {
    return a.time != b.time ? a.time > b.time : a.path < b.path;
  });
  return runs;
}

std::string runs_json(const std::vector<RunEntry>& runs) {
  Json list = Json::array();
  for (const RunEntry& run : runs) {
    list.push_back({{"path", run.path},
                    {"name", run.name},
                    {"kind", run.kind},
                    {"when", run.when},
                    {"time", run.time},
                    {"headline", run.headline},
                    {"why", run.why},
                    {"state", std::string(name(run.state))},
                    {"progress", run.progress},
                    {"tags", run.tags},
                    {"report", run.report},
                    {"part", run.part}});
  }
  return list.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<std::string> read_tags(const fs::path& run) {
  std::vector<std::string> tags;
  std::istringstream in(small_file(run / "tags.txt"));
  for (std::string line; std::getline(in, line) && tags.size() < 100;) {
    if (!line.empty()) tags.push_back(line);
  }
  return tags;
}

void write_tags(const fs::path& run, const std::vector<std::string>& tags) {
  std::error_code error;
  if (!fs::exists(run / "summary.json", error))
    throw UserError({.file = run.string()}, "holds no run", "`overture runs` lists those that there are");
  std::string text;
  for (const std::string& tag : tags) text += tag + "\n";
  write_file(run / "tags.txt", text);
}

}  // namespace overture::serve
