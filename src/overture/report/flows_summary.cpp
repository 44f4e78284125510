#include "overture/report/flows_summary.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/report/csv_grid.h"

namespace overture::report {
namespace {

using json = nlohmann::ordered_json;
using network::packet::LinkRecord;

// Completion times of the flows that finished, sorted.
std::vector<Duration> completions(const FlowsRun& run) {
  std::vector<Duration> times;
  for (const auto& time : run.result.completion) {
    if (time) times.push_back(*time);
  }
  std::sort(times.begin(), times.end());
  return times;
}

Duration mean(const std::vector<Duration>& times) {
  if (times.empty()) return {};
  return std::accumulate(times.begin(), times.end(), Duration{}) / static_cast<std::int64_t>(times.size());
}

// Nearest rank.
Duration percentile(const std::vector<Duration>& sorted, int percent) {
  if (sorted.empty()) return {};
  const std::size_t rank = (sorted.size() * static_cast<std::size_t>(percent) + 99) / 100;
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

double utilisation(const LinkRecord& link, Duration makespan) {
  return makespan == Duration{}
             ? 0
             : static_cast<double>(link.busy.count()) / static_cast<double>(makespan.count());
}

Bytes peak_queue(const FlowsRun& run) {
  Bytes peak;
  for (const LinkRecord& link : run.result.links) peak = std::max(peak, link.peak_queue);
  return peak;
}

double busiest(const FlowsRun& run) {
  double most = 0;
  for (const LinkRecord& link : run.result.links)
    most = std::max(most, utilisation(link, run.result.makespan));
  return most;
}

std::string node_name(const topology::Graph& graph, int node) {
  return graph.is_host(node) ? fmt::format("h{}", node) : fmt::format("s{}", node - graph.hosts());
}

std::string links_csv(const FlowsRun& run) {
  const topology::Graph& graph = run.topology.graph;
  std::string text = "from,to,tier,carried_bytes,utilisation_percent,peak_queue_bytes,drops,marks\n";
  for (std::size_t i = 0; i < graph.links().size(); ++i) {
    const topology::Link& link = graph.links()[i];
    const LinkRecord& record = run.result.links[i];
    text +=
        fmt::format("{},{},{},{},{:.2f},{},{},{}\n", node_name(graph, link.from), node_name(graph, link.to),
                    csv_cell(graph.tiers()[static_cast<std::size_t>(link.wire.tier)]), record.carried.count(),
                    100 * utilisation(record, run.result.makespan), record.peak_queue.count(), record.drops,
                    record.marks);
  }
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> flows_lines(const FlowsRun& run) {
  const auto times = completions(run);
  const auto& s = run.result.statistics;
  return {{"makespan", to_string(run.result.makespan)},
          {"completion, mean", to_string(mean(times))},
          {"completion, median", to_string(percentile(times, 50))},
          {"completion, 99 %", to_string(percentile(times, 99))},
          {"data packets", fmt::format("{}", s.data_packets)},
          {"drops", fmt::format("{}", s.drops)},
          {"retransmissions", fmt::format("{}", s.retransmissions)},
          {"timeouts", fmt::format("{}", s.timeouts)},
          {"ECN marks", fmt::format("{}", s.marks)},
          {"busiest link", fmt::format("{:.1f} % of the makespan", 100 * busiest(run))},
          {"longest queue", to_string(peak_queue(run))}};
}

std::string flows_summary_json(const FlowsRun& run) {
  const auto times = completions(run);
  const auto& s = run.result.statistics;
  const json root{{"name", run.name},
                  {"overture", run.version},
                  {"hosts", run.topology.graph.hosts()},
                  {"flows", run.flows.size()},
                  {"finished", run.result.finished},
                  {"makespan_us", to_us(run.result.makespan)},
                  {"fct_mean_us", to_us(mean(times))},
                  {"fct_median_us", to_us(percentile(times, 50))},
                  {"fct_p99_us", to_us(percentile(times, 99))},
                  {"fct_max_us", to_us(percentile(times, 100))},
                  {"delivered_bytes", s.delivered.count()},
                  {"data_packets", s.data_packets},
                  {"packet_hops", s.packet_hops},
                  {"drops", s.drops},
                  {"retransmissions", s.retransmissions},
                  {"timeouts", s.timeouts},
                  {"ecn_marks", s.marks},
                  {"busiest_link_utilisation", busiest(run)},
                  {"peak_queue_bytes", peak_queue(run).count()},
                  {"digest", fmt::format("{:016x}", run.result.digest)},
                  {"setup_yaml", run.setup_yaml}};
  return root.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

void write_flows_folder(const FlowsRun& run, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw UserError({.file = folder.string()}, "cannot be made: " + error.message());
  write_file(folder / "setup.yaml", run.setup_yaml);
  write_file(folder / "links.csv", links_csv(run));
  write_file(folder / "summary.json", flows_summary_json(run));
}

}  // namespace overture::report
