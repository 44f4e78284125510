#include "overture/report/run_folder.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/files.h"
#include "overture/base/json.h"
#include "overture/report/csv_grid.h"
#include "overture/report/results_folder.h"
#include "overture/simulation/what_helps.h"

namespace overture::report {
namespace {

using simulation::SimulationResult;
using workload::PassKind;

constexpr std::array kPasses{PassKind::forward, PassKind::input_gradient, PassKind::weight_gradient};

Duration in_use(const system::DimensionUse& use) {
  Duration sum{};
  for (const auto& interval : use.busy) sum += interval.to - interval.from;
  return sum;
}

double share(Duration part, Duration whole) {
  return whole == Duration{} ? 0 : static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

std::string scope_text(system::Scope scope) {
  switch (scope) {
    case system::Scope::rank_0: return "one NPU stands for all";
    case system::Scope::group: return "one group of NPUs stands for all";
    case system::Scope::all: return "every NPU";
  }
  return "?";
}

Json layer_json(const workload::Workload& workload, const SimulationResult& result, std::size_t l) {
  Json layer{{"name", workload.layers[l].name}};
  for (const PassKind kind : kPasses) {
    const auto& account = result.layers[l].of(kind);
    layer[std::string(workload::name(kind))] = {{"compute_us", to_us(account.compute)},
                                                {"communication_us", to_us(account.communication)},
                                                {"exposed_us", to_us(account.exposed)}};
  }
  return layer;
}

std::string layers_csv(const workload::Workload& workload, const SimulationResult& result) {
  std::string text = "layer,pass,compute_us,communication_us,exposed_us\n";
  for (std::size_t l = 0; l < workload.layers.size(); ++l) {
    for (const PassKind kind : kPasses) {
      const auto& account = result.layers[l].of(kind);
      text +=
          fmt::format("{},{},{:.6f},{:.6f},{:.6f}\n", csv_cell(workload.layers[l].name), workload::name(kind),
                      to_us(account.compute), to_us(account.communication), to_us(account.exposed));
    }
  }
  return text;
}

std::string dimensions_csv(const SimulationResult& result) {
  std::string text = "dimension,in_use_us,in_use_percent,chunks,mean_chunk_us\n";
  for (std::size_t d = 0; d < result.dimensions.size(); ++d) {
    const auto& use = result.dimensions[d];
    const double mean = use.chunks == 0 ? 0 : to_us(use.running) / static_cast<double>(use.chunks);
    text += fmt::format("{},{:.6f},{:.2f},{},{:.6f}\n", d, to_us(in_use(use)),
                        100 * share(in_use(use), result.finished), use.chunks, mean);
  }
  return text;
}

}  // namespace

std::vector<std::string> caveats(const simulation::SimulationConfig& config) {
  std::vector<std::string> notes;
  if (!network::shares_links(config.network)) {
    notes.emplace_back(
        "network.contention is none: messages never share a link, which is optimistic by up to the number of "
        "peers "
        "wherever an NPU talks to several at once (all-to-all, direct algorithms)");
  }
  return notes;
}

std::string why(const simulation::SimulationConfig& config, const SimulationResult& result) {
  const double exposed = share(result.exposed(), result.finished);
  std::string text = fmt::format("{:.0f} % of the run is exposed communication", 100 * exposed);
  const auto busiest = std::ranges::max_element(result.dimensions, {}, in_use);
  if (busiest != result.dimensions.end() && in_use(*busiest) > Duration{}) {
    text += fmt::format("; dimension {} is in use most, {:.0f} % of the time",
                        busiest - result.dimensions.begin(), 100 * share(in_use(*busiest), result.finished));
  }
  const auto tried = simulation::what_helps(config, result);
  const auto best = std::ranges::min_element(tried, {}, &simulation::WhatIf::finished);
  if (best == tried.end() || best->finished >= result.finished) return text;
  return text + fmt::format("; what would help most: {}, {} instead of {}", best->what,
                            to_string(best->finished), to_string(result.finished));
}

std::string summary_json(const Run& run, std::size_t trace_events_dropped) {
  const SimulationResult& result = run.observed.result;
  Json root = summary_head(
      {.kind = "simulate", .name = run.name, .version = run.version, .seed = {}, .why = run.why});
  root.update({{"npus", result.ranks},
               {"iterations", run.config.passes},
               {"finished_us", to_us(result.finished)},
               {"iteration_us", to_us(result.finished) / run.config.passes},
               {"compute_us", to_us(result.compute())},
               {"exposed_communication_us", to_us(result.exposed())},
               {"caveats", caveats(run.config)},
               {"simulated", scope_text(result.scope)},
               {"events", result.events},
               {"trace_events_dropped", trace_events_dropped},
               {"digest", fmt::format("{:016x}", run.observed.recorder.digest(result))}});
  if (result.cost_dollars) root["network_cost_dollars"] = *result.cost_dollars;
  root["complete"] = result.complete;
  Json& dimensions = root["dimensions"] = Json::array();
  for (std::size_t d = 0; d < result.dimensions.size(); ++d) {
    const auto& use = result.dimensions[d];
    dimensions.push_back({{"in_use_us", to_us(in_use(use))},
                          {"chunks", use.chunks},
                          {"chunk_running_us", to_us(use.running)}});
  }
  Json& sent = root["sent_by_npu_0_bytes"] = Json::array();
  for (const Bytes size : result.sent_by_rank_0) sent.push_back(size.count());
  Json& layers = root["layers"] = Json::array();
  for (std::size_t l = 0; l < run.config.workload.layers.size(); ++l) {
    layers.push_back(layer_json(run.config.workload, result, l));
  }
  root["setup_yaml"] = run.setup_yaml;
  return summary_text(root);
}

void write_run_folder(const Run& run, const std::filesystem::path& folder) {
  make_results_folder(folder);
  write_file(folder / "setup.yaml", run.setup_yaml);
  write_file(folder / "layers.csv", layers_csv(run.config.workload, run.observed.result));
  write_file(folder / "dimensions.csv", dimensions_csv(run.observed.result));
  if (!run.observed.traffic.empty()) write_file(folder / "traffic.csv", run.observed.traffic);
  if (!run.observed.links.links.empty()) write_links(run.observed.links, folder);
  // A trace that was cut says so itself, and summary.Json too.
  const TraceWritten written =
      write_trace(run.observed.recorder.trace(run.observed.result), folder / "trace.json.gz");
  // Last: where it stands, the rest is complete.
  write_file(folder / "summary.json", summary_json(run, written.dropped));
}

}  // namespace overture::report
