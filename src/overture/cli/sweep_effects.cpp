#include "overture/cli/sweep_effects.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/dollars.h"
#include "overture/base/units.h"
#include "overture/report/csv_grid.h"

namespace overture::cli {

std::string sweep_csv(const setup::SweepSetup& sweep, const std::vector<SweepRow>& rows) {
  std::string text;
  for (const setup::KeyAxis& axis : sweep.axes) text += report::csv_cell(axis.key) + ",";
  if (!rows.empty()) {
    for (const auto& [name, number] : rows[0].numbers) text += report::csv_cell(name) + ",";
  }
  text += "folder\n";
  for (const SweepRow& row : rows) {
    std::string line;
    for (const std::string& value : row.values) line += report::csv_cell(value) + ",";
    for (const auto& [name, number] : rows[0].numbers) {
      const double* value = row.find(name);
      line += value == nullptr ? "," : fmt::format("{},", *value);
    }
    text += line + report::csv_cell(row.folder) + "\n";
  }
  return text;
}

Json sweep_effects(const setup::SweepSetup& sweep, const std::vector<SweepRow>& rows,
                   const std::string& metric) {
  auto result = Json::array();
  for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
    auto means = Json::object();
    for (const std::string& value : sweep.axes[a].values) {
      double sum = 0;
      int count = 0;
      for (const SweepRow& row : rows) {
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

namespace {

// "iteration_us" is the iteration, in microseconds; "fetched_bytes" stay bytes.
std::string words_of(const std::string& metric) {
  std::string words = metric.ends_with("_us") ? metric.substr(0, metric.size() - 3) : metric;
  std::ranges::replace(words, '_', ' ');
  return words;
}
std::string shown(const std::string& metric, double value) {
  if (metric.ends_with("_us")) return to_string(Duration{std::llround(value * 1e6)});
  if (metric.ends_with("_bytes")) return to_string(Bytes{std::llround(value)});
  if (metric.ends_with("_dollars")) return to_string(Dollars{value});
  return fmt::format("{:.4g}", value);
}

}  // namespace

std::string sweep_why(const Json& axes, const std::string& metric) {
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
    text = fmt::format("{} matters most: the mean {} goes from {} at {} to {} at {}",
                       axis.at("key").template get<std::string>(), words_of(metric),
                       shown(metric, low->second.get<double>()), low->first,
                       shown(metric, high->second.get<double>()), high->first);
  }
  return text;
}

}  // namespace overture::cli
