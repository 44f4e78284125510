#include "overture/cli/sweep_table.h"

#include <cmath>
#include <map>

#include <fmt/format.h>

#include "overture/base/dollars.h"
#include "overture/base/error.h"
#include "overture/base/table.h"
#include "overture/base/text.h"
#include "overture/cli/arguments.h"

namespace overture::cli {
namespace {

constexpr const char* kCost = "network_cost_dollars";

// What people write for the longest of them.
std::vector<std::string> with_cost(std::vector<std::string> numbers) {
  std::erase(numbers, kCost);
  numbers.insert(numbers.begin(), "cost");
  return numbers;
}

SweepBound parse_bound(const std::string& text, const std::string& command) {
  const std::size_t space = text.find(' ');
  SweepBound bound{.number = text.substr(0, space)};
  if (bound.number == "cost") bound.number = kCost;
  const auto& known = setup::numbers_of_command(command);
  if (std::ranges::find(known, bound.number) == known.end())
    throw UserError({.key = "--under"}, fmt::format("no number \"{}\"", bound.number),
                    suggest(bound.number, with_cost(known)));
  std::string value = space == std::string::npos ? "" : text.substr(space + 1);
  if (value.ends_with('$')) value.erase(value.find_last_not_of(" $") + 1);
  const Result<std::int64_t> count = overture::parse_count(value);
  if (value.empty() || value.find_first_not_of("0123456789.eE+-kMG") != std::string::npos)
    throw UserError(
        {.key = "--under"}, fmt::format("\"{}\" does not end with a limit", text),
        fmt::format("such as --under \"{} 20000{}\"", bound.number == kCost ? "cost" : bound.number,
                    bound.number == kCost ? " $" : ""));
  bound.most = count ? static_cast<double>(count.value()) : parse_real(value, "--under");
  return bound;
}

bool within(const SweepRow& row, const std::vector<SweepBound>& bounds) {
  return std::ranges::all_of(bounds, [&](const SweepBound& bound) {
    const double* value = row.find(bound.number);
    return value != nullptr && *value <= bound.most;
  });
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

// Runs that differ in nothing but their seed.
struct Repeated {
  std::vector<std::string> values;  // of the other axes
  std::vector<double> metric;
  const double* cost = nullptr;

  double mean() const {
    double sum = 0;
    for (const double value : metric) sum += value;
    return sum / static_cast<double>(metric.size());
  }
  // Standard deviation of the runs.
  double deviation() const {
    double squares = 0;
    for (const double value : metric) squares += (value - mean()) * (value - mean());
    return metric.size() < 2 ? 0 : std::sqrt(squares / static_cast<double>(metric.size() - 1));
  }
};

std::size_t seed_axis(const setup::SweepSetup& sweep) {
  const auto found = std::ranges::find(sweep.axes, "seed", &setup::KeyAxis::key);
  return static_cast<std::size_t>(found - sweep.axes.begin());
}

std::vector<Repeated> gathered(const setup::SweepSetup& sweep, const std::vector<SweepRow>& rows,
                               const std::string& metric, const std::vector<SweepBound>& bounds) {
  const std::size_t seed = seed_axis(sweep);
  std::vector<Repeated> result;
  std::map<std::vector<std::string>, std::size_t> places;
  for (const SweepRow& row : rows) {
    const double* value = row.find(metric);
    if (value == nullptr || !within(row, bounds)) continue;
    std::vector<std::string> others = row.values;
    if (seed < others.size()) others.erase(others.begin() + static_cast<std::ptrdiff_t>(seed));
    const auto [place, is_new] = places.try_emplace(others, result.size());
    if (is_new) result.push_back({.values = others, .cost = row.find(kCost)});
    result[place->second].metric.push_back(*value);
  }
  const bool more = setup::more_is_better(metric);
  std::ranges::stable_sort(result, [&](const Repeated& a, const Repeated& b) {
    return more ? a.mean() > b.mean() : a.mean() < b.mean();
  });
  return result;
}

std::vector<std::string> head_of(const setup::SweepSetup& sweep, const std::string& metric, bool repeats,
                                 bool costs) {
  std::vector<std::string> head;
  for (const setup::KeyAxis& axis : sweep.axes) {
    if (axis.key != "seed") head.push_back(short_name(sweep, axis.key));
  }
  head.push_back(metric);
  if (repeats) head.insert(head.end(), {"+-", "runs"});
  head.emplace_back("vs best");
  if (costs) head.emplace_back("cost");
  return head;
}

// What a reader needs to know to ask for more.
std::string none_within(const std::vector<SweepRow>& rows, const std::vector<SweepBound>& bounds) {
  std::string text = fmt::format("none of {} points is within the bounds\n", rows.size());
  for (const SweepBound& bound : bounds) {
    const double* least = nullptr;
    for (const SweepRow& row : rows) {
      const double* value = row.find(bound.number);
      if (value != nullptr && (least == nullptr || *value < *least)) least = value;
    }
    if (least == nullptr) continue;
    text += fmt::format("the least {} is {}\n", bound.number == kCost ? "cost" : bound.number,
                        bound.number == kCost ? to_string(Dollars{*least}) : fmt::format("{:.6g}", *least));
  }
  return text;
}

}  // namespace

std::vector<SweepBound> parse_bounds(const std::vector<std::string>& texts, const std::string& command) {
  std::vector<SweepBound> bounds;
  for (const std::string& text : texts) bounds.push_back(parse_bound(text, command));
  return bounds;
}

std::string sweep_table(const setup::SweepSetup& sweep, const std::vector<SweepRow>& rows,
                        const std::string& metric, const std::vector<SweepBound>& bounds) {
  constexpr std::size_t kMost = 20;
  const std::vector<Repeated> points = gathered(sweep, rows, metric, bounds);
  if (points.empty() && !bounds.empty()) return none_within(rows, bounds);
  const bool repeats = seed_axis(sweep) < sweep.axes.size();
  const bool costs = std::ranges::any_of(points, [](const Repeated& point) { return point.cost != nullptr; });
  Table table(head_of(sweep, metric, repeats, costs));
  for (std::size_t i = 0; i < std::min(points.size(), kMost); ++i) {
    const Repeated& point = points[i];
    std::vector<std::string> cells = point.values;
    cells.push_back(fmt::format("{:.6g}", point.mean()));
    if (repeats) {
      cells.push_back(fmt::format("{:.2g}", point.deviation()));
      cells.push_back(fmt::format("{}", point.metric.size()));
    }
    const double best = points[0].mean();
    cells.push_back(best == 0 ? "-" : fmt::format("{:.2f}x", point.mean() / best));
    if (costs) cells.push_back(point.cost == nullptr ? "-" : to_string(Dollars{*point.cost}));
    table.add(cells);
  }
  std::string text = table.text();
  if (points.size() > kMost) text += fmt::format("and {} more in sweep.csv\n", points.size() - kMost);
  if (repeats) text += "+-: standard deviation over the seeds\n";
  if (!bounds.empty()) {
    const auto inside = std::ranges::count_if(rows, [&](const SweepRow& row) { return within(row, bounds); });
    text += fmt::format("{} of {} points are within the bounds\n", inside, rows.size());
  }
  return text;
}

}  // namespace overture::cli
