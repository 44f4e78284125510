#include "overture/report/flow_quality.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace overture::report {
namespace {

bool counts(const network::FlowSpec& flow, const std::optional<Duration>& took) {
  return took && *took > Duration{} && flow.from != flow.to && flow.size > Bytes{};
}

double at_share(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

std::optional<Slowdown> slowdown(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  return Slowdown{
      .mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()),
      .median = at_share(values, 0.5),
      .p99 = at_share(values, 0.99),
      .p999 = at_share(values, 0.999)};
}

// (sum of rates)^2 / (n * sum of squares); Jain, Chiu and Hawe, 1984.
double jain(const std::vector<double>& rates) {
  double sum = 0;
  double squares = 0;
  for (const double rate : rates) {
    sum += rate;
    squares += rate * rate;
  }
  return squares > 0 ? sum * sum / (static_cast<double>(rates.size()) * squares) : 1;
}

}  // namespace

FlowQuality flow_quality(const std::vector<network::FlowSpec>& flows, const network::FlowTimes& times,
                         const std::vector<Duration>& alone) {
  std::vector<double> slowdowns;
  std::vector<double> rates;
  double bits = 0;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (!counts(flows[i], times.completion[i])) continue;
    const double seconds = to_seconds(*times.completion[i]);
    const double own = 8 * static_cast<double>(flows[i].size.count());
    bits += own;
    rates.push_back(own / seconds);
    if (!alone.empty()) slowdowns.push_back(seconds / to_seconds(alone[i]));
  }
  const double run = to_seconds(times.simulated > Duration{} ? times.simulated : times.makespan);
  return {.slowdown = slowdown(std::move(slowdowns)),
          .goodput_gbps = run > 0 ? bits / run / 1e9 : 0,
          .fairness = jain(rates)};
}

void add_quality(Json& summary, const FlowQuality& quality) {
  if (quality.slowdown)
    summary.update({{"slowdown_mean", quality.slowdown->mean},
                    {"slowdown_median", quality.slowdown->median},
                    {"slowdown_p99", quality.slowdown->p99},
                    {"slowdown_p999", quality.slowdown->p999}});
  summary.update({{"goodput_gbps", quality.goodput_gbps}, {"fairness", quality.fairness}});
}

std::vector<std::pair<std::string, std::string>> quality_lines(const FlowQuality& quality) {
  std::vector<std::pair<std::string, std::string>> lines;
  if (quality.slowdown)
    lines.emplace_back("slowdown, median, 99 %",
                       fmt::format("{:.2f}, {:.2f}", quality.slowdown->median, quality.slowdown->p99));
  lines.emplace_back("goodput",
                     to_string(Bandwidth::bits_per_second(std::llround(1e9 * quality.goodput_gbps))));
  lines.emplace_back("fairness (Jain)", fmt::format("{:.3f}", quality.fairness));
  return lines;
}

}  // namespace overture::report
