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
#include "overture/base/hash.h"
#include "overture/base/json.h"
#include "overture/base/table.h"
#include "overture/base/text.h"
#include "overture/cli/commands.h"
#include "overture/cli/counts.h"
#include "overture/cli/output.h"
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
  Output output;
  std::vector<std::string> under;
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

// The one of the setup or of the command; a run of training without held-out samples has its loss.
std::string metric_of(const setup::SweepSetup& sweep, const std::vector<Row>& rows) {
  const std::string wanted = sweep.metric.empty() ? setup::main_number(sweep.command) : sweep.metric;
  if (rows.empty() || rows[0].find(wanted) != nullptr) return wanted;
  if (sweep.metric.empty() && sweep.command == "train") return "loss";
  std::vector<std::string> known;
  for (const auto& [name, number] : rows[0].numbers) known.push_back(name);
  throw UserError({.file = sweep.file, .key = "metric"},
                  fmt::format("no number \"{}\" in these results", wanted), suggest(wanted, known));
}

// "cost 20000 $", "fct_p99_us 350": points with more are left out of the table.
struct Bound {
  std::string number;
  double most = 0;
};

Bound parse_bound(const std::string& text, const std::string& command) {
  const std::size_t space = text.find(' ');
  Bound bound{.number = text.substr(0, space)};
  if (bound.number == "cost") bound.number = "network_cost_dollars";
  const auto& known = setup::numbers_of_command(command);
  if (std::ranges::find(known, bound.number) == known.end())
    throw UserError({.key = "--under"}, fmt::format("no number \"{}\"", bound.number),
                    suggest(bound.number, known));
  std::string value = space == std::string::npos ? "" : text.substr(space + 1);
  if (value.ends_with('$')) value.erase(value.find_last_not_of(" $") + 1);
  const Result<std::int64_t> count = overture::parse_count(value);
  bound.most = count ? static_cast<double>(count.value()) : parse_real(value, "--under");
  return bound;
}

std::vector<Bound> bounds_of(const SweepOptions& options, const std::string& command) {
  std::vector<Bound> bounds;
  for (const std::string& text : options.under) bounds.push_back(parse_bound(text, command));
  return bounds;
}

bool within(const Row& row, const std::vector<Bound>& bounds) {
  return std::ranges::all_of(bounds, [&](const Bound& bound) {
    const double* value = row.find(bound.number);
    return value != nullptr && *value <= bound.most;
  });
}

std::string to_csv(const setup::SweepSetup& sweep, const std::vector<Row>& rows) {
  std::string text;
  for (const setup::KeyAxis& axis : sweep.axes) text += report::csv_cell(axis.key) + ",";
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
                   const std::vector<Row>& rows, const std::string& metric, const std::string& setup_yaml) {
  write_file(folder / "sweep.csv", to_csv(sweep, rows));
  write_file(folder / "setup.yaml", setup_yaml);
  const auto axes = effects(sweep, rows, metric);
  Digest digest;
  for (const Row& row : rows) {
    if (const double* number = row.find(metric)) digest.add_bits(*number);
  }
  auto summary = report::summary_head(
      {.kind = "sweep", .name = sweep.name, .version = version_text(), .seed = {}, .why = why(axes, metric)});
  summary.update({{"command", sweep.command},
                  {"points", job.points.size()},
                  {"finished", rows.size()},
                  {"metric", metric},
                  {"more_is_better", setup::more_is_better(metric)},
                  {"axes", axes},
                  {"digest", digest.text()},
                  {"setup_yaml", setup_yaml}});
  write_file(folder / "summary.json", report::summary_text(summary));
  return summary;
}

// The end of a key that no other axis shares, "bandwidth" of "network.dimensions.0.bandwidth": a terminal is
// narrow.
std::string short_name(const setup::SweepSetup& sweep, const std::string& key) {
  const auto others = [&](const std::string& end) {
    return std::ranges::count_if(
        sweep.axes, [&](const setup::KeyAxis& axis) { return ("." + axis.key).ends_with("." + end); });
  };
  for (std::size_t dot = key.rfind('.'); dot != std::string::npos && dot > 0; dot = key.rfind('.', dot - 1)) {
    if (others(key.substr(dot + 1)) == 1) return key.substr(dot + 1);
  }
  return key;
}

// The best points first, within the bounds; the price of the network beside them if they differ in it.
void print_table(const setup::SweepSetup& sweep, const std::vector<Row>& rows, const std::string& metric,
                 const std::vector<Bound>& bounds) {
  constexpr std::size_t kMost = 20;
  std::vector<const Row*> order;
  for (const Row& row : rows) {
    if (row.find(metric) != nullptr && within(row, bounds)) order.push_back(&row);
  }
  const bool more = setup::more_is_better(metric);
  std::stable_sort(order.begin(), order.end(), [&](const Row* a, const Row* b) {
    return more ? *a->find(metric) > *b->find(metric) : *a->find(metric) < *b->find(metric);
  });
  const bool costs =
      std::ranges::any_of(order, [](const Row* row) { return row->find("network_cost_dollars") != nullptr; });
  std::vector<std::string> head;
  for (const setup::KeyAxis& axis : sweep.axes) head.push_back(short_name(sweep, axis.key));
  head.push_back(metric);
  head.emplace_back("vs best");
  if (costs) head.emplace_back("cost");
  Table table(head);
  for (std::size_t i = 0; i < std::min(order.size(), kMost); ++i) {
    std::vector<std::string> cells = order[i]->values;
    const double value = *order[i]->find(metric);
    cells.push_back(fmt::format("{:.6g}", value));
    cells.push_back(fmt::format("{:.2f}x", value / *order[0]->find(metric)));
    const double* cost = order[i]->find("network_cost_dollars");
    if (costs) cells.push_back(cost == nullptr ? "-" : fmt::format("{:.0f} $", *cost));
    table.add(cells);
  }
  fmt::print("{}", table.text());
  if (order.size() > kMost) fmt::print("and {} more in sweep.csv\n", order.size() - kMost);
  if (!bounds.empty()) fmt::print("{} of {} points are within the bounds\n", order.size(), rows.size());
}

// The study as it was run: its file, and what the command line changed.
std::string setup_yaml_of(const SweepOptions& options) {
  std::string changes;
  for (const std::string& change : options.overrides) changes += fmt::format("# -s {}\n", change);
  return changes + read_file(options.setup);
}

int run(const SweepOptions& options) {
  const setup::SweepSetup sweep = setup::load_sweep_setup(options.setup, options.overrides);
  const fs::path folder = options.output.folder_or(fs::path("results") / fs::path(options.setup).stem());
  const std::vector<Bound> bounds = bounds_of(options, sweep.command);
  claim(options.output, folder, "sweep", setup_yaml_of(options));
  const study::SweepJob job = make_job(options, sweep, folder);
  const int code = run_watched("sweep", folder, job, points_of_part(options.part, job.points.size()));
  const std::vector<Row> rows = gather(sweep, job);
  if (rows.empty()) return code;
  const std::string metric = metric_of(sweep, rows);
  const auto summary = write_results(sweep, job, folder, rows, metric, setup_yaml_of(options));
  fmt::print("{}: {} of {} points, {}\n\n", sweep.name, rows.size(), job.points.size(), sweep.command);
  print_table(sweep, rows, metric, bounds);
  if (!options.output.no_report) report::write_html(folder);
  json_result(report::summary_text(summary));
  if (summary.contains("why")) fmt::print("\nwhy: {}", wrap(summary.at("why").get<std::string>(), 80, 5));
  fmt::print("\n");
  print_where(folder, options.output);
  return code;
}

}  // namespace

void add_sweep(Command& root) {
  auto options = std::make_shared<SweepOptions>();
  Command command = root.add("sweep", "Run a setup with many values of its keys, several at a time");
  add_output(command, options->output, "results/<study name>");
  command.positional("study", options->setup, "What varies (YAML); see docs/reference/sweep.md")
      .option("-s,--set", options->overrides, "key=value: change one key of the study; may be repeated")
      .option("-j,--jobs", options->jobs, "Runs at a time; 0: one per core")
      .option("--under", options->under,
              "Show only points with at most so much: \"cost 20000 $\"; may be repeated")
      .option("--part", options->part, "2/8: only the second of eight parts, as for a Slurm array")
      .examples(
          "  overture sweep bandwidth.yaml\n"
          "  overture sweep bandwidth.yaml --jobs 8 -o results/bandwidth\n"
          "  overture sweep bandwidth.yaml --under \"cost 20000 $\"\n"
          "  overture sweep bandwidth.yaml --part $SLURM_ARRAY_TASK_ID/16")
      .runs([options] { return run(*options); });
}

}  // namespace overture::cli
