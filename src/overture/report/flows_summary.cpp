#include "overture/report/flows_summary.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/files.h"
#include "overture/base/json.h"
#include "overture/network/named_links.h"
#include "overture/report/completion_times.h"
#include "overture/report/flow_trace.h"
#include "overture/report/links_record.h"
#include "overture/report/results_folder.h"

namespace overture::report {
namespace {

using network::LinkRecord;

double utilisation(const FlowsRun& run, const LinkRecord& link) {
  const Duration all = run.result.simulated;
  return all == Duration{} ? 0 : static_cast<double>(link.busy.count()) / static_cast<double>(all.count());
}

bool complete(const FlowsRun& run) { return run.result.finished == run.flows.size(); }

Bytes asked(const FlowsRun& run) {
  Bytes sum;
  for (const network::packet::FlowSpec& flow : run.flows) sum = sum + flow.size;
  return sum;
}

Bytes peak_queue(const FlowsRun& run) {
  Bytes peak;
  for (const LinkRecord& link : run.result.links) peak = std::max(peak, link.peak_queue);
  return peak;
}

std::size_t busiest_link(const FlowsRun& run) {
  const auto& links = run.result.links;
  return static_cast<std::size_t>(
      std::ranges::max_element(links, {}, [](const LinkRecord& link) { return link.busy; }) - links.begin());
}

double busiest(const FlowsRun& run) {
  return run.result.links.empty() ? 0 : utilisation(run, run.result.links[busiest_link(run)]);
}

LinksRecord links_of(const FlowsRun& run) {
  network::NetworkRecord record =
      network::named_links(run.topology.graph, network::NetworkRecord::Detail::packets);
  for (std::size_t i = 0; i < run.result.links.size(); ++i) record.links[i].total = run.result.links[i];
  record.history = run.result.history;
  return links_record(record, run.result.simulated);
}

// A link that sends for four fifths of the run is what limits it.
constexpr double kLimits = 0.8;

std::string remedy(const FlowsRun& run, double busy) {
  const auto& s = run.result.statistics;
  if (run.result.locked)
    return "credits (lossless.control), for full buffers wait for each other in a circle";
  if (busy >= kLimits) return "faster links there";
  if (s.timeouts > 0) {
    return fmt::format(
        "fewer timeouts, of which there were {}: deeper queues, ECN (dctcp) or cut packets "
        "(ndp)",
        s.timeouts);
  }
  if (s.pauses > 0) return fmt::format("fewer of the {} pauses: ECN before PFC, or deeper buffers", s.pauses);
  return "lower latency or larger windows, for no link is busy all the time";
}

}  // namespace

std::string flows_why(const FlowsRun& run) {
  if (run.result.links.empty()) return {};
  const std::size_t most = busiest_link(run);
  const topology::Graph& graph = run.topology.graph;
  const topology::Link& link = graph.links()[most];
  const double busy = utilisation(run, run.result.links[most]);
  return fmt::format(
      "the busiest link, {} to {} (tier {}), sends {:.0f} % of the time and idles {:.0f} %; what would help "
      "most: {}",
      node_name(graph, link.from), node_name(graph, link.to),
      graph.tiers()[static_cast<std::size_t>(link.wire.tier)], 100 * busy, 100 * (1 - busy),
      remedy(run, busy));
}

std::vector<std::pair<std::string, std::string>> flows_lines(const FlowsRun& run) {
  const CompletionTimes times(run.result.completion);
  const auto& s = run.result.statistics;
  std::vector<std::pair<std::string, std::string>> lines;
  if (complete(run)) {
    lines.emplace_back("makespan", to_string(run.result.makespan));
  } else {
    lines.emplace_back("cut short at", to_string(run.result.simulated));
    lines.emplace_back("delivered", fmt::format("{} of {}", to_string(s.delivered), to_string(asked(run))));
  }
  if (!times.empty()) {
    lines.emplace_back("completion, mean", to_string(times.mean()));
    lines.emplace_back("completion, median", to_string(times.percentile(50)));
    lines.emplace_back("completion, 99 %", to_string(times.percentile(99)));
  }
  const std::vector<std::pair<std::string, std::string>> rest{
      {"data packets", fmt::format("{}", s.data_packets)},
      {"drops", fmt::format("{}", s.drops)},
      {"retransmissions", fmt::format("{}", s.retransmissions)},
      {"timeouts", fmt::format("{}", s.timeouts)},
      {"ECN marks", fmt::format("{}", s.marks)},
      {"packets cut", fmt::format("{}", s.trims)},
      {"pauses", fmt::format("{}", s.pauses)},
      {"rate notifications", fmt::format("{}", s.notifications)},
      {"busiest link", fmt::format("{:.1f} % of the time", 100 * busiest(run))},
      {"longest queue", to_string(peak_queue(run))}};
  // What did not happen is left out; that nothing was dropped is worth saying.
  std::ranges::copy_if(rest, std::back_inserter(lines),
                       [](const auto& line) { return line.second != "0" || line.first == "drops"; });
  return lines;
}

std::string flows_summary_json(const FlowsRun& run) {
  Json root = summary_head(
      {.kind = "flows", .name = run.name, .version = run.version, .seed = run.seed, .why = flows_why(run)});
  const CompletionTimes times(run.result.completion);
  const auto& s = run.result.statistics;
  const auto told = [&](Duration time) { return times.empty() ? Json() : Json(to_us(time)); };
  root.update({{"hosts", run.topology.graph.hosts()},
               {"flows", run.flows.size()},
               {"finished", run.result.finished},
               {"complete", complete(run)},
               {"simulated_us", to_us(run.result.simulated)},
               {"makespan_us", complete(run) ? Json(to_us(run.result.makespan)) : Json()},
               {"fct_mean_us", told(times.mean())},
               {"fct_median_us", told(times.percentile(50))},
               {"fct_p99_us", told(times.percentile(99))},
               {"fct_max_us", told(times.percentile(100))},
               {"delivered_bytes", s.delivered.count()},
               {"data_packets", s.data_packets},
               {"packet_hops", s.packet_hops},
               {"drops", s.drops},
               {"trims", s.trims},
               {"retransmissions", s.retransmissions},
               {"timeouts", s.timeouts},
               {"ecn_marks", s.marks},
               {"pauses", s.pauses},
               {"congestion_notifications", s.notifications},
               {"busiest_link_utilisation", busiest(run)},
               {"peak_queue_bytes", peak_queue(run).count()},
               {"digest", fmt::format("{:016x}", run.result.digest)},
               {"setup_yaml", run.setup_yaml}});
  return summary_text(root);
}

void write_flows_folder(const FlowsRun& run, const std::filesystem::path& folder) {
  make_results_folder(folder);
  const LinksRecord links = links_of(run);
  write_file(folder / "setup.yaml", run.setup_yaml);
  write_links(links, folder);
  write_file(folder / "fct_distribution.csv", CompletionTimes(run.result.completion).distribution_csv());
  write_flow_trace(traced(run.flows, run.result.completion), run.topology.graph.hosts(), counters(links),
                   run.result.simulated, folder);
  write_file(folder / "summary.json", flows_summary_json(run));
}

}  // namespace overture::report
