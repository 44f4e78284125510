#include "overture/report/run_folder.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/files.h"
#include "overture/base/json.h"
#include "overture/report/csv_grid.h"
#include "overture/report/results_folder.h"
#include "overture/report/task_tables.h"
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

std::string scope_text(const SimulationResult& result) {
  if (result.first_machine) return "every NPU; inside of nodes, those of the first node";
  switch (result.scope) {
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
                                                {"exposed_us", to_us(account.waited)}};
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
                      to_us(account.compute), to_us(account.communication), to_us(account.waited));
    }
  }
  return text;
}

// Every collective of every iteration: when it was issued, when it had ended, and what the loop waited for
// it.
std::string collectives_csv(const SimulationResult& result) {
  std::string text =
      "iteration,layer,pass,collective,bytes,chunks,issued_us,finished_us,latency_us,exposed_us\n";
  const std::vector<Duration> waits = simulation::collective_waits(result.graph, result);
  for (std::uint32_t i = 0; i < result.graph.size(); ++i) {
    const workload::TaskId id{i};
    if (result.graph.kind(id) != workload::TaskKind::collective) continue;
    const auto& task = result.graph.collective(id);
    const auto& label = result.graph.labels()[static_cast<std::size_t>(result.graph.label(id))];
    const std::size_t number = result.graph.collective_number(id);
    text += fmt::format("{},{},{},{},{},{},{:.6f},{:.6f},{:.6f},{:.6f}\n",
                        workload::iteration_of(result.graph, id) + 1, csv_cell(label.layer),
                        workload::name(label.pass), system::name(task.kind), task.size.count(),
                        result.collectives[number].chunks, to_us(result.start[i].time_since_epoch()),
                        to_us(result.end[i].time_since_epoch()), to_us(result.end[i] - result.start[i]),
                        to_us(waits[number]));
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

// Of what the trace had to leave out, it says so itself, and so does summary.json.
std::size_t write_layers_and_trace(const Run& run, const std::filesystem::path& folder) {
  const SimulationResult& result = run.observed.result;
  if (run.config.tasks && result.complete)
    return write_task_tables(result.graph, result, run.observed.links, run.config.faults, folder);
  write_file(folder / "layers.csv", layers_csv(run.config.workload, result));
  return write_trace(run.observed.recorder.trace(result), folder / "trace.json.gz").dropped;
}

}  // namespace

std::vector<std::string> caveats(const simulation::SimulationConfig& config) {
  std::vector<std::string> notes;
  if (!network::facts_of(config.network).shares_links) {
    notes.emplace_back(
        "network.contention is none: messages never share a link, which is optimistic by up to the number of "
        "peers "
        "wherever an NPU talks to several at once (all-to-all, direct algorithms)");
  }
  if (!config.tasks_note.empty()) notes.push_back(config.tasks_note);
  return notes;
}

std::string why(const simulation::SimulationConfig& config, const SimulationResult& result, bool tries) {
  if (config.tasks) return result.complete ? task_why(result.graph, result) : "";
  const double exposed = share(result.exposed(), result.finished);
  std::string text = fmt::format("{:.0f} % of the run is exposed communication", 100 * exposed);
  const auto busiest = std::ranges::max_element(result.dimensions, {}, in_use);
  if (busiest != result.dimensions.end() && in_use(*busiest) > Duration{}) {
    text += fmt::format("; dimension {} is in use most, {:.0f} % of the time",
                        busiest - result.dimensions.begin(), 100 * share(in_use(*busiest), result.finished));
  }
  if (!tries) return text;
  const auto tried = simulation::what_helps(config, result);
  const auto best = std::ranges::min_element(tried, {}, &simulation::WhatIf::finished);
  if (best == tried.end() || best->finished >= result.finished) return text;
  return text + fmt::format("; what would help most: {}, {} instead of {}", best->what,
                            to_string(best->finished), to_string(result.finished));
}

std::string summary_json(const Run& run, std::size_t trace_events_dropped) {
  const SimulationResult& result = run.observed.result;
  Json root = summary_head({.kind = "simulate", .name = run.name, .why = run.why});
  root.update({{"npus", result.ranks},
               {"iterations", run.config.passes},
               {"finished_us", to_us(result.finished)},
               {"iteration_us", to_us(result.finished) / run.config.passes},
               {"compute_us", to_us(result.compute())},
               {"exposed_communication_us", to_us(result.exposed())},
               {"caveats", caveats(run.config)},
               {"simulated", scope_text(result)},
               {"events", result.events},
               {"trace_events_dropped", trace_events_dropped},
               {"digest", fmt::format("{:016x}", run.observed.recorder.digest(result))}});
  if (run.cost_dollars) root["network_cost_dollars"] = *run.cost_dollars;
  root["complete"] = result.complete;
  if (!result.stuck.empty()) root["stuck"] = result.stuck;
  root["tasks"] = result.graph.size();
  if (run.observed.messages + run.observed.collectives > Bytes{}) {
    root["message_bytes"] = run.observed.messages.count();
    root["collective_bytes"] = run.observed.collectives.count();
  }
  if (!run.observed.links.links.empty()) {
    root["busiest_link_utilisation"] = run.observed.links.busiest();
    if (run.observed.links.detail != LinksRecord::Detail::load)
      root["peak_queue_bytes"] = run.observed.links.longest_queue().count();
  }
  for (const auto& counter : run.observed.counters)
    root["network"][std::string(counter.name)] = counter.value;
  Json& dimensions = root["dimensions"] = Json::array();
  for (std::size_t d = 0; d < result.dimensions.size(); ++d) {
    const auto& use = result.dimensions[d];
    dimensions.push_back({{"in_use_us", to_us(in_use(use))},
                          {"chunks", use.chunks},
                          {"chunk_running_us", to_us(use.running)}});
  }
  Json& sent = root["sent_by_npu_0_bytes"] = Json::array();
  for (const Bytes size : result.sent_by_rank_0) sent.push_back(size.count());
  root["sent_by_npu_0_messages"] = result.messages_by_rank_0;
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
  if (run.observed.result.complete && run.observed.result.graph.symbolic())
    write_file(folder / "collectives.csv", collectives_csv(run.observed.result));
  write_file(folder / "dimensions.csv", dimensions_csv(run.observed.result));
  if (!run.observed.traffic.empty()) write_file(folder / "traffic.csv", run.observed.traffic);
  if (!run.observed.links.links.empty()) write_links(run.observed.links, folder);
  if (!run.observed.flows.empty()) write_file(folder / "flows.csv", run.observed.flows);
  // Last: where it stands, the rest is complete.
  write_file(folder / "summary.json", summary_json(run, write_layers_and_trace(run, folder)));
}

}  // namespace overture::report
