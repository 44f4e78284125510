#include "overture/setup/sweep_setup.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/base/text.h"
#include "overture/setup/lines.h"
#include "overture/setup/setup_kind.h"

namespace overture::setup {
namespace {

constexpr std::size_t kMostPoints = 1'000'000;

template <class V>
void describe(V& v, SweepSetup& s) {
  v.from("ours");
  v.field("name", s.name, "Name of the sweep, shown in results");
  v.field("command", s.command, "What runs for every point: simulate, flows or train");
  v.required("setup", s.setup, "Setup file of that command, beside this one");
  v.words("fixed", s.fixed, "key=value: the same for every point");
  v.field("combination", s.combination, "all: every combination; listed: first values, second values, ...");
  v.list("axes", s.axes, "What varies", [](auto& item, KeyAxis& axis) {
    item.required("key", axis.key, "A key of the setup, with dots");
    item.words("values", axis.values, "Its values");
  });
  v.field("repeat", s.repeat, "Runs of every point, with the seeds 1, 2, ...; the table has mean and spread");
  v.field("metric", s.metric, "Number of summary.json to compare; the command's main one if left out");
}

[[noreturn]] void fail(const SweepSetup& setup, const std::string& key, const std::string& what,
                       const std::string& hint = {}) {
  throw UserError({.file = setup.file, .key = key}, what, hint);
}

// Seeds are an axis like any other.
void add_repetitions(SweepSetup& setup) {
  constexpr int kMostRepetitions = 1000;
  if (setup.repeat < 1 || setup.repeat > kMostRepetitions)
    fail(setup, "repeat", fmt::format("{} is not from 1 to {}", setup.repeat, kMostRepetitions));
  if (setup.repeat == 1) return;
  if (setup.combination == Combination::listed)
    fail(setup, "repeat", "goes with combination: all", "list the seeds as an axis instead");
  if (std::ranges::find(setup.axes, "seed", &KeyAxis::key) != setup.axes.end())
    fail(setup, "repeat", "cannot be combined with an axis of seeds", "leave one of the two out");
  KeyAxis seeds{.key = "seed", .values = {}};
  for (int seed = 1; seed <= setup.repeat; ++seed) seeds.values.push_back(fmt::format("{}", seed));
  setup.axes.push_back(std::move(seeds));
}

// A key that varies twice would be set twice for every point.
void require_different_keys(const SweepSetup& setup) {
  for (std::size_t i = 0; i < setup.axes.size(); ++i) {
    const std::string& key = setup.axes[i].key;
    const auto same = std::ranges::find(setup.axes, key, &KeyAxis::key) - setup.axes.begin();
    if (same != static_cast<std::ptrdiff_t>(i))
      fail(setup, fmt::format("axes.{}.key", i), fmt::format("\"{}\" is also the key of axes.{}", key, same),
           "give all values of a key in one axis");
    for (const std::string& assignment : setup.fixed) {
      if (assignment.substr(0, assignment.find('=')) == key)
        fail(setup, fmt::format("axes.{}.key", i), fmt::format("\"{}\" is also in fixed", key),
             "leave one of the two out");
    }
  }
}

void require_axes(const SweepSetup& setup) {
  if (setup.axes.empty()) fail(setup, "axes", "a sweep varies at least one key");
  require_different_keys(setup);
  std::size_t points = 1;
  for (std::size_t i = 0; i < setup.axes.size(); ++i) {
    const std::string key = fmt::format("axes.{}.values", i);
    const std::size_t count = setup.axes[i].values.size();
    if (count == 0) fail(setup, key, "an axis needs at least one value");
    if (setup.combination == Combination::listed) {
      if (count != setup.axes[0].values.size())
        fail(setup, key, fmt::format("has {} values, the first axis {}", count, setup.axes[0].values.size()),
             "with combination: listed all axes have the same number");
      continue;
    }
    points *= count;
    if (points > kMostPoints)
      fail(setup, "axes", fmt::format("more than {} points", kMostPoints), "leave some values out");
  }
}

}  // namespace

SweepSetup parse_sweep_setup(std::string_view text, const std::string& file,
                             const std::vector<std::string>& overrides) {
  Value root = parse_yaml(text, file);
  for (const std::string& assignment : overrides) override_value(root, assignment);
  require_kind(root, file, SetupKind::sweep);
  return with_lines(root, file, [&] {
    SweepSetup setup;
    setup.file = file;
    Reader reader(&root, file, "");
    describe(reader, setup);
    reader.finish();
    if (main_number(setup.command).empty()) {
      fail(setup, "command", fmt::format("unknown command \"{}\"", setup.command),
           suggest(setup.command, {"simulate", "flows", "train"}));
    }
    const auto& numbers = numbers_of_command(setup.command);
    if (!setup.metric.empty() && std::ranges::find(numbers, setup.metric) == numbers.end())
      fail(setup, "metric", fmt::format("`overture {}` has no number \"{}\"", setup.command, setup.metric),
           suggest(setup.metric, numbers));
    add_repetitions(setup);
    require_axes(setup);
    return setup;
  });
}

std::string main_number(std::string_view command) {
  if (command == "simulate") return "iteration_us";
  if (command == "flows") return "makespan_us";
  if (command == "train") return "held_out.auc";
  return "";
}

namespace {

constexpr std::string_view kSimulateNumbers =
    "iteration_us finished_us compute_us exposed_communication_us npus iterations events "
    "trace_events_dropped network_cost_dollars";
constexpr std::string_view kFlowsNumbers =
    "makespan_us fct_mean_us fct_median_us fct_p99_us fct_p999_us slowdown_mean slowdown_median "
    "slowdown_p99 slowdown_p999 goodput_gbps fairness fct_max_us simulated_us hosts flows "
    "finished delivered_bytes data_packets packet_hops drops trims retransmissions timeouts "
    "ecn_marks pauses congestion_notifications busiest_link_utilisation peak_queue_bytes "
    "network_cost_dollars seed tors rotors cycle_us bulk_packets bulk_packets_relayed "
    "bulk_packets_returned low_latency_packets lost";
constexpr std::string_view kTrainNumbers =
    "held_out.auc held_out.log_loss held_out.accuracy held_out.normalized_entropy "
    "held_out.calibration held_out.samples best.auc best.log_loss best.steps loss last_loss "
    "steps steps_of_this_run seconds evaluation_seconds iteration_seconds_mean "
    "iteration_seconds_deviation iterations_counted samples_per_second table_bytes lookups rows "
    "hit_rate critical_rows most_resident_rows fetched_rows fetched_bytes stored_bytes "
    "compute_seconds waited_for_plan_seconds waited_for_rows_seconds waited_for_peers_seconds "
    "checkpoint_seconds seed";

}  // namespace

const std::vector<std::string>& numbers_of_command(std::string_view command) {
  static const std::vector<std::string> kSimulate = split(kSimulateNumbers, ' ');
  static const std::vector<std::string> kFlows = split(kFlowsNumbers, ' ');
  static const std::vector<std::string> kTrain = split(kTrainNumbers, ' ');
  if (command == "flows") return kFlows;
  return command == "train" ? kTrain : kSimulate;
}

bool more_is_better(std::string_view number) {
  for (const std::string_view part : {"auc", "accuracy", "per_second", "hit_rate", "goodput", "fairness"}) {
    if (number.find(part) != std::string_view::npos) return true;
  }
  return false;
}

SweepSetup load_sweep_setup(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  return parse_sweep_setup(read_file(file), file.string(), overrides);
}

std::vector<Explanation> explain_sweep_setup() {
  std::vector<Explanation> explanations;
  SweepSetup initial;
  Explainer explainer(explanations, "");
  describe(explainer, initial);
  return explanations;
}

std::vector<std::vector<std::string>> sweep_points(const SweepSetup& setup) {
  std::vector<std::vector<std::string>> points;
  const auto value = [](const KeyAxis& axis, std::size_t i) { return axis.key + "=" + axis.values[i]; };
  if (setup.combination == Combination::listed) {
    for (std::size_t i = 0; i < setup.axes[0].values.size(); ++i) {
      points.push_back(setup.fixed);
      for (const KeyAxis& axis : setup.axes) points.back().push_back(value(axis, i));
    }
    return points;
  }
  points.push_back(setup.fixed);
  for (const KeyAxis& axis : setup.axes) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& point : points) {
      for (std::size_t i = 0; i < axis.values.size(); ++i) {
        longer.push_back(point);
        longer.back().push_back(value(axis, i));
      }
    }
    points = std::move(longer);
  }
  return points;
}

}  // namespace overture::setup
