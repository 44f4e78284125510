#include "overture/study/hoti_dlrm/measures.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace overture::study::hoti {
namespace {

constexpr double kLayerKib = 8192;
const char* const kEmbedding = "Embedding";

// 1 for the smallest; equal values share the mean of their places.
std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto below = std::ranges::count_if(values, [&](double other) { return other < values[i]; });
    const auto equal = std::ranges::count(values, values[i]);
    ranks[i] = static_cast<double>(below) + (static_cast<double>(equal) + 1) / 2;
  }
  return ranks;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Of one iteration, in the order of issue.
std::vector<CollectiveRow> all_reduces(const CellResult& result, int iteration) {
  std::vector<CollectiveRow> rows;
  std::ranges::copy_if(result.collectives, std::back_inserter(rows), [&](const CollectiveRow& row) {
    return row.iteration == iteration && row.kind == "all_reduce";
  });
  std::ranges::stable_sort(rows, {}, &CollectiveRow::issued_us);
  return rows;
}

// A row of the published table that both kinds of systems have.
bool ranks_both(const Axis& axis) {
  return !axis.row.empty() && (axis.only.empty() || axis.name == "bandwidth");
}

}  // namespace

std::vector<Measured> iteration_times(const Results& results) {
  std::vector<Measured> times;
  for (const SystemSetup& system : systems()) {
    if (const CellResult* cell = results.system(system.name))
      times.push_back({system.name, cell->iteration_us() / 1e3});
  }
  return times;
}

std::vector<Measured> sensitivities(const Results& results, const std::string& axis,
                                    const std::string& value) {
  std::vector<Measured> factors;
  for (const SystemSetup& system : systems()) {
    const CellResult* before = results.system(system.name);
    const CellResult* after = results.find(axis, value, system.name);
    if (before == nullptr || after == nullptr) return {};
    factors.push_back({system.name, after->finished_us / before->finished_us});
  }
  return factors;
}

std::vector<Measured> over_bound(const Results& results) {
  std::vector<Measured> over;
  for (const CellResult& result : results.all()) {
    if (result.cell.group != "all-reduce" || result.collectives.empty()) continue;
    const setup::Setup setup = parsed(system_named(result.cell.system), result.cell.keys);
    const int gpus = network::count_hosts(setup.simulation.network);
    const auto size = Bytes{static_cast<std::int64_t>(result.collectives.front().bytes)};
    const Duration bound = all_reduce_bound(size, gpus, Bandwidth::bits_per_second(100'000'000'000));
    over.push_back({result.cell.value, result.finished_us / to_us(bound)});
  }
  return over;
}

double exchange_latency(const CellResult& result, int iteration, const std::string& pass) {
  const CollectiveRow* row = collective(result, iteration, kEmbedding, pass);
  return row == nullptr ? 0 : row->latency_us;
}

double exposed_exchange(const CellResult& result, int iteration) {
  const CollectiveRow* row = collective(result, iteration, kEmbedding, "forward");
  return row == nullptr ? 0 : row->exposed_us;
}

double bottom_forward_us(const SystemSetup& system) {
  Duration sum{};
  for (const workload::Layer& layer : parsed(system).simulation.workload.layers) {
    if (layer.name.starts_with("MLP_Bottom")) sum += layer.forward.compute;
  }
  return to_us(sum);
}

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks_of(a);
  const std::vector<double> y = ranks_of(b);
  const double mean_x = mean_of(x);
  const double mean_y = mean_of(y);
  double xy = 0;
  double xx = 0;
  double yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  return xx == 0 || yy == 0 ? 0 : xy / std::sqrt(xx * yy);
}

double size_correlation(const CellResult& result, int iteration) {
  std::vector<double> sizes;
  std::vector<double> latencies;
  for (const CollectiveRow& row : all_reduces(result, iteration)) {
    sizes.push_back(row.bytes);
    latencies.push_back(row.latency_us);
  }
  return sizes.size() < 3 ? 0 : rank_correlation(sizes, latencies);
}

double service_correlation(const CellResult& result, int iteration) {
  std::vector<double> sizes;
  std::vector<double> times;
  double free_us = 0;
  for (const CollectiveRow& row : all_reduces(result, iteration)) {
    sizes.push_back(row.bytes);
    times.push_back(row.finished_us - std::max(row.issued_us, free_us));
    free_us = std::max(free_us, row.finished_us);
  }
  return sizes.size() < 3 ? 0 : rank_correlation(sizes, times);
}

std::vector<Measured> correlations(const Results& results, const std::string& axis, const std::string& value,
                                   Correlation correlation) {
  std::vector<Measured> all;
  for (const SystemSetup& system : systems()) {
    if (const CellResult* cell = results.find(axis, value, system.name))
      all.push_back({system.name, correlation(*cell, 1)});
  }
  return all;
}

std::vector<Concurrency> concurrency_curve(const Results& results, const std::string& system) {
  std::vector<Concurrency> curve;
  for (const AxisValue& value : axis_named("concurrency").values) {
    const CellResult* cell = results.find("concurrency", value.label, system);
    if (cell == nullptr) continue;
    const auto& config = parsed(system_named(system), keys_of(value, system_named(system))).simulation.system;
    curve.push_back({value.label, kLayerKib * std::min(config.active_chunks, config.splits) / config.splits,
                     cell->iteration_us() / 1e3});
  }
  std::ranges::stable_sort(curve, {}, &Concurrency::kib_under_way);
  return curve;
}

std::optional<std::vector<std::string>> ranking_reversals(const Results& results) {
  std::vector<std::string> found;
  bool all = true;  // were run
  for (const char* other : {"Hier", "HierOpt"}) {
    const CellResult* flat = results.system("Flat100G");
    const CellResult* hierarchical = results.system(other);
    all = all && flat != nullptr && hierarchical != nullptr;
    if (flat == nullptr || hierarchical == nullptr) continue;
    const bool flat_first = flat->finished_us < hierarchical->finished_us;
    for (const Axis& axis : axes()) {
      if (!ranks_both(axis)) continue;
      for (const AxisValue& value : axis.values) {
        const CellResult* a = results.find(axis.name, value.label, "Flat100G");
        const CellResult* b = results.find(axis.name, value.label, other);
        all = all && a != nullptr && b != nullptr;
        if (a == nullptr || b == nullptr) continue;
        if ((a->finished_us < b->finished_us) == flat_first) continue;
        found.push_back(fmt::format("{} {}: flat {:.2f} ms, {} {:.2f} ms (default {:.2f} and {:.2f})",
                                    axis.name, value.label, a->iteration_us() / 1e3, other,
                                    b->iteration_us() / 1e3, flat->iteration_us() / 1e3,
                                    hierarchical->iteration_us() / 1e3));
      }
    }
  }
  if (found.empty() && !all) return std::nullopt;
  return found;
}

std::optional<double> ratio_with(const Results& results, const std::string& axis, const std::string& value) {
  std::vector<double> times;
  for (const SystemSetup& system : systems()) {
    const CellResult* cell = concerns(axis_named(axis), system) ? results.find(axis, value, system.name)
                                                                : results.system(system.name);
    if (cell == nullptr) return std::nullopt;
    times.push_back(cell->iteration_us());
  }
  const auto [least, most] = std::ranges::minmax(times);
  return most / least;
}

std::string ratio_experiments(const Results& results) {
  std::string text;
  for (const char* axis : {"scale-up", "nics", "segment", "algorithm", "concurrency"}) {
    for (const AxisValue& value : axis_named(axis).values) {
      const auto ratio = ratio_with(results, axis, value.label);
      if (!ratio || value.keys.empty()) continue;
      text +=
          fmt::format("{}{} {}: {:.2f}x", text.empty() ? "The ratio with " : "; ", axis, value.label, *ratio);
    }
  }
  return text;
}

std::string buffer_experiments(const Results& results) {
  std::string text;
  for (const SystemSetup& system : systems()) {
    const CellResult* large = results.find("order", "naive, 1 GB", system.name);
    const CellResult* small = results.find("order", "naive, 64 MB, RTO 1 ms", system.name);
    const CellResult* late = results.find("order", "naive, 64 MB, RTO 10 ms", system.name);
    if (large == nullptr || small == nullptr) continue;
    text += fmt::format("{}{} {:.2f}x", text.empty() ? "If all GPUs send to GPU 0 first: " : ", ",
                        system.name, small->finished_us / large->finished_us);
    if (late != nullptr)
      text += fmt::format(" ({:.2f}x with a minimum RTO of 10 ms)", late->finished_us / large->finished_us);
  }
  return text;
}

std::string exchange_experiments(const Results& results) {
  const CellResult* cut = results.find("exchange", "32 chunks", "Flat100G");
  const CellResult* naive = results.find("order", "naive, 1 GB", "Flat100G");
  std::string text = "an all-to-all of one chunk";
  if (cut != nullptr) text += fmt::format("; {:.1f} us if it is cut into 32", exposed_exchange(*cut, 1));
  if (naive != nullptr)
    text += fmt::format("; {:.1f} us if all GPUs send to GPU 0 first", exposed_exchange(*naive, 1));
  return text;
}

}  // namespace overture::study::hoti
