#include "overture/study/sweep.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/json.h"
#include "overture/base/table.h"
#include "overture/base/text.h"
#include "overture/cli/commands.h"
#include "overture/cli/version.h"
#include "overture/cli/watched_sweep.h"
#include "overture/report/csv_grid.h"
#include "overture/report/html.h"
#include "overture/report/results_folder.h"
#include "overture/setup/sweep_setup.h"

namespace overture::cli {
namespace {

namespace fs = std::filesystem;

struct SweepOptions {
  std::string setup;
  std::vector<std::string> overrides;
  std::string out;
  std::string part = "1/1";
  int jobs = 0;
};

// "2/8": the second of eight parts.
std::vector<std::size_t> points_of_part(const std::string& text, std::size_t points) {
  std::size_t part = 0;
  std::size_t parts = 0;
  if (std::sscanf(text.c_str(), "%zu/%zu", &part, &parts) != 2 || part < 1 || part > parts) {
    throw UserError({.key = "--part"}, fmt::format("\"{}\" is no part", text),
                    "write 2/8 for the second of eight parts");
  }
  std::vector<std::size_t> mine;
  for (std::size_t i = part - 1; i < points; i += parts) mine.push_back(i);
  return mine;
}

study::SweepJob make_job(const SweepOptions& options, const setup::SweepSetup& sweep,
                         const fs::path& folder) {
  const fs::path setup = fs::path(sweep.file).parent_path() / sweep.setup;
  const std::string text = read_file(setup);
  study::SweepJob job{
      .program = fs::read_symlink("/proc/self/exe"), .command = sweep.command, .setup = setup};
  job.jobs =
      options.jobs > 0 ? options.jobs : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  for (const auto& overrides : setup::sweep_points(sweep)) {
    job.points.push_back({.overrides = overrides,
                          .folder = study::point_folder(folder / "points", job.points.size() + 1,
                                                        sweep.command, text, overrides)});
  }
  return job;
}

// A finished point: the values of its axes and its numbers.
struct Row {
  std::vector<std::string> values;
  std::vector<std::pair<std::string, double>> numbers;

  const double* find(const std::string& name) const {
    const auto found =
        std::find_if(numbers.begin(), numbers.end(), [&](const auto& n) { return n.first == name; });
    return found == numbers.end() ? nullptr : &found->second;
  }
};

std::vector<Row> gather(const setup::SweepSetup& sweep, const study::SweepJob& job) {
  std::vector<Row> rows;
  for (const study::SweepPoint& point : job.points) {
    if (!study::is_finished(point)) continue;
    Row row{.numbers = study::numbers_of(point)};
    for (std::size_t i = sweep.fixed.size(); i < point.overrides.size(); ++i) {
      row.values.push_back(point.overrides[i].substr(point.overrides[i].find('=') + 1));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string metric_of(const setup::SweepSetup& sweep, const std::vector<Row>& rows) {
  if (rows.empty()) return "";
  if (sweep.metric.empty()) return setup::main_number(sweep.command);
  std::vector<std::string> known;
  for (const auto& [name, number] : rows[0].numbers) known.push_back(name);
  if (rows[0].find(sweep.metric) == nullptr) {
    throw UserError({.file = sweep.file, .key = "metric"},
                    fmt::format("no number \"{}\" in the results", sweep.metric),
                    suggest(sweep.metric, known));
  }
  return sweep.metric;
}

std::string to_csv(const setup::SweepSetup& sweep, const std::vector<Row>& rows) {
  std::string text;
  for (const setup::Axis& axis : sweep.axes) text += report::csv_cell(axis.key) + ",";
  if (!rows.empty()) {
    for (const auto& [name, number] : rows[0].numbers) text += report::csv_cell(name) + ",";
  }
  if (!text.empty()) text.back() = '\n';
  for (const Row& row : rows) {
    std::string line;
    for (const std::string& value : row.values) line += report::csv_cell(value) + ",";
    for (const auto& [name, number] : rows[0].numbers) {
      const double* value = row.find(name);
      line += value == nullptr ? "," : fmt::format("{},", *value);
    }
    line.back() = '\n';
    text += line;
  }
  return text;
}

// How much an axis matters: the mean of the metric at each of its values.
Json effects(const setup::SweepSetup& sweep, const std::vector<Row>& rows, const std::string& metric) {
  auto result = Json::array();
  for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
    auto means = Json::object();
    for (const std::string& value : sweep.axes[a].values) {
      double sum = 0;
      int count = 0;
      for (const Row& row : rows) {
        const double* number = row.find(metric);
        if (row.values[a] != value || number == nullptr) continue;
        sum += *number;
        ++count;
      }
      if (count > 0) means[value] = sum / count;
    }
    result.push_back({{"key", sweep.axes[a].key}, {"mean_" + metric, means}});
  }
  return result;
}

// The axis along which the mean of the metric changes most, and between which of its values.
std::string why(const Json& axes, const std::string& metric) {
  std::string text;
  double widest = 0;
  for (const auto& axis : axes) {
    const auto& means = axis.at("mean_" + metric);
    if (means.size() < 2) continue;
    const auto by_mean = [](const auto& a, const auto& b) {
      return a.second.template get<double>() < b.second.template get<double>();
    };
    const auto values = means.template get<std::map<std::string, Json>>();
    const auto [low, high] = std::minmax_element(values.begin(), values.end(), by_mean);
    const double range = high->second.get<double>() - low->second.get<double>();
    if (range <= widest) continue;
    widest = range;
    text = fmt::format("{} matters most: the mean {} goes from {:.4g} at {} to {:.4g} at {}",
                       axis.at("key").template get<std::string>(), metric, low->second.get<double>(),
                       low->first, high->second.get<double>(), high->first);
  }
  return text;
}

Json write_results(const setup::SweepSetup& sweep, const study::SweepJob& job, const fs::path& folder,
                   const std::vector<Row>& rows, const std::string& metric) {
  write_file(folder / "sweep.csv", to_csv(sweep, rows));
  write_file(folder / "setup.yaml", read_file(sweep.file));
  const auto axes = effects(sweep, rows, metric);
  report::Digest digest;
  for (const Row& row : rows) {
    if (const double* number = row.find(metric)) digest.add_bits(*number);
  }
  auto summary = report::summary_head(
      {.kind = "sweep", .name = sweep.name, .version = version_text(), .seed = {}, .why = why(axes, metric)});
  summary.update({{"command", sweep.command},
                  {"points", job.points.size()},
                  {"finished", rows.size()},
                  {"metric", metric},
                  {"axes", axes},
                  {"digest", digest.text()},
                  {"setup_yaml", read_file(sweep.file)}});
  write_file(folder / "summary.json", report::summary_text(summary));
  return summary;
}

// The end of a key that no other axis shares, "bandwidth" of "network.dimensions.0.bandwidth": a terminal is
// narrow.
std::string short_name(const setup::SweepSetup& sweep, const std::string& key) {
  const auto others = [&](const std::string& end) {
    return std::ranges::count_if(
        sweep.axes, [&](const setup::Axis& axis) { return ("." + axis.key).ends_with("." + end); });
  };
  for (std::size_t dot = key.rfind('.'); dot != std::string::npos && dot > 0; dot = key.rfind('.', dot - 1)) {
    if (others(key.substr(dot + 1)) == 1) return key.substr(dot + 1);
  }
  return key;
}

void print_table(const setup::SweepSetup& sweep, const std::vector<Row>& rows, const std::string& metric) {
  constexpr std::size_t kMost = 20;
  std::vector<const Row*> order;
  for (const Row& row : rows) {
    if (row.find(metric) != nullptr) order.push_back(&row);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](const Row* a, const Row* b) { return *a->find(metric) < *b->find(metric); });
  std::vector<std::string> head;
  for (const setup::Axis& axis : sweep.axes) head.push_back(short_name(sweep, axis.key));
  head.push_back(metric);
  head.emplace_back("vs best");
  Table table(head);
  for (std::size_t i = 0; i < std::min(order.size(), kMost); ++i) {
    std::vector<std::string> cells = order[i]->values;
    const double value = *order[i]->find(metric);
    cells.push_back(fmt::format("{:.6g}", value));
    cells.push_back(fmt::format("{:.2f}x", value / *order[0]->find(metric)));
    table.add(cells);
  }
  fmt::print("{}", table.text());
  if (order.size() > kMost) fmt::print("and {} more in sweep.csv\n", order.size() - kMost);
}

int run(const SweepOptions& options) {
  const setup::SweepSetup sweep = setup::load_sweep_setup(options.setup, options.overrides);
  const fs::path folder =
      options.out.empty() ? fs::path("results") / fs::path(options.setup).stem() : fs::path(options.out);
  const study::SweepJob job = make_job(options, sweep, folder);
  const int code = run_watched("sweep", job, points_of_part(options.part, job.points.size()));
  const std::vector<Row> rows = gather(sweep, job);
  if (rows.empty()) return code;
  const std::string metric = metric_of(sweep, rows);
  const auto summary = write_results(sweep, job, folder, rows, metric);
  fmt::print("{}: {} of {} points, {}\n\n", sweep.name, rows.size(), job.points.size(), sweep.command);
  print_table(sweep, rows, metric);
  report::write_html(folder);
  if (summary.contains("why")) fmt::print("\nwhy: {}", wrap(summary.at("why").get<std::string>(), 80, 5));
  fmt::print("\nresults: {} (sweep.csv, a folder per point)\nreport: {}\n", folder.string(),
             (folder / "report.html").string());
  return code;
}

}  // namespace

void add_sweep(Command& root) {
  auto options = std::make_shared<SweepOptions>();
  Command command = root.add("sweep", "Run a setup with many values of its keys, several at a time");
  command.positional("study", options->setup, "What varies (YAML); see docs/reference/sweep.md")
      .option("-o,--out", options->out, "Folder for the results (default: results/<study name>)")
      .option("-s,--set", options->overrides, "key=value: change one key of the study; may be repeated")
      .option("-j,--jobs", options->jobs, "Runs at a time; 0: one per core")
      .option("--part", options->part, "2/8: only the second of eight parts, as for a Slurm array")
      .examples(
          "  overture sweep bandwidth.yaml\n"
          "  overture sweep bandwidth.yaml --jobs 8 -o results/bandwidth\n"
          "  overture sweep bandwidth.yaml --part $SLURM_ARRAY_TASK_ID/16")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
