#include "overture/report/flows_summary.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/files.h"
#include "overture/base/json.h"
#include "overture/report/completion_times.h"
#include "overture/report/faults_summary.h"
#include "overture/report/flow_quality.h"
#include "overture/report/flow_trace.h"
#include "overture/report/links_record.h"
#include "overture/report/results_folder.h"

namespace overture::report {
namespace {

using Link = network::NetworkRecord::Link;

bool complete(const FlowsRun& run) { return run.result.finished == run.flows.size(); }

Bytes asked(const FlowsRun& run) {
  Bytes sum;
  for (const network::FlowSpec& flow : run.flows) sum = sum + flow.size;
  return sum;
}

Bytes peak_queue(const FlowsRun& run) {
  Bytes peak;
  for (const Link& link : run.result.record.links) peak = std::max(peak, link.total.peak_queue);
  return peak;
}

// Null where the network knows no links.
const Link* busiest_link(const FlowsRun& run) {
  const auto& links = run.result.record.links;
  const auto most = std::ranges::max_element(links, {}, [](const Link& link) { return link.total.busy; });
  return most == links.end() ? nullptr : &*most;
}

double busiest(const FlowsRun& run) {
  const Link* link = busiest_link(run);
  const Duration all = run.result.simulated;
  if (link == nullptr || all == Duration{}) return 0;
  return static_cast<double>(link->total.busy.count()) / static_cast<double>(all.count());
}

}  // namespace

std::string flows_why(const FlowsRun& run) {
  std::string text;
  if (const Link* link = busiest_link(run); link != nullptr) {
    text = fmt::format("the busiest link, {} to {} (tier {}), sends {:.0f} % of the time", link->from,
                       link->to, run.result.record.tiers[link->tier], 100 * busiest(run));
  }
  if (run.result.locked)
    text += fmt::format("{}the network has locked up: full buffers wait for each other in a circle",
                        text.empty() ? "" : "; ");
  if (!run.tried.empty()) text += (text.empty() ? "" : "; ") + run.tried;
  return text;
}

std::vector<std::pair<std::string, std::string>> flows_lines(const FlowsRun& run) {
  const CompletionTimes times(run.result.completion);
  const network::NetworkRecord& s = run.result.record;
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
    lines.emplace_back("completion, 99.9 %", to_string(times.percentile(99.9)));
    for (auto& line : quality_lines(flow_quality(run.flows, run.result, run.alone)))
      lines.push_back(std::move(line));
  }
  const std::vector<std::pair<std::string, std::string>> rest{
      {"data packets", fmt::format("{}", s.count("data_packets"))},
      {"drops", fmt::format("{}", s.count("drops"))},
      {"retransmissions", fmt::format("{}", s.count("retransmissions"))},
      {"timeouts", fmt::format("{}", s.count("timeouts"))},
      {"ECN marks", fmt::format("{}", s.count("marks"))},
      {"packets cut", fmt::format("{}", s.count("trims"))},
      {"pauses", fmt::format("{}", s.count("pauses"))},
      {"rate notifications", fmt::format("{}", s.count("notifications"))},
      {"busiest link", fmt::format("{:.1f} % of the time", 100 * busiest(run))},
      {"longest queue", to_string(peak_queue(run))},
      {"network cost", to_string(run.cost)}};
  // What did not happen is left out; that nothing was dropped is worth saying.
  std::ranges::copy_if(rest, std::back_inserter(lines),
                       [](const auto& line) { return line.second != "0" || line.first == "drops"; });
  std::ranges::copy(fault_lines(s), std::back_inserter(lines));
  return lines;
}

std::string flows_summary_json(const FlowsRun& run) {
  Json root = summary_head(
      {.kind = "flows", .name = run.name, .version = run.version, .seed = run.seed, .why = flows_why(run)});
  const CompletionTimes times(run.result.completion);
  const network::NetworkRecord& s = run.result.record;
  const auto told = [&](Duration time) { return times.empty() ? Json() : Json(to_us(time)); };
  root.update({{"hosts", run.hosts},
               {"flows", run.flows.size()},
               {"finished", run.result.finished},
               {"complete", complete(run)},
               {"simulated_us", to_us(run.result.simulated)},
               {"makespan_us", complete(run) ? Json(to_us(run.result.makespan)) : Json()},
               {"fct_mean_us", told(times.mean())},
               {"fct_median_us", told(times.percentile(50))},
               {"fct_p99_us", told(times.percentile(99))},
               {"fct_p999_us", told(times.percentile(99.9))},
               {"fct_max_us", told(times.percentile(100))},
               {"delivered_bytes", s.delivered.count()},
               {"data_packets", s.count("data_packets")},
               {"packet_hops", s.count("packet_hops")},
               {"drops", s.count("drops")},
               {"trims", s.count("trims")},
               {"retransmissions", s.count("retransmissions")},
               {"timeouts", s.count("timeouts")},
               {"ecn_marks", s.count("marks")},
               {"pauses", s.count("pauses")},
               {"congestion_notifications", s.count("notifications")},
               {"busiest_link_utilisation", busiest(run)},
               {"peak_queue_bytes", peak_queue(run).count()},
               {"network_cost_dollars", run.cost.amount()},
               {"digest", fmt::format("{:016x}", s.digest)}});
  add_quality(root, flow_quality(run.flows, run.result, run.alone));
  add_faults(s, root);
  root["setup_yaml"] = run.setup_yaml;
  return summary_text(root);
}

void write_flows_folder(const FlowsRun& run, const std::filesystem::path& folder) {
  make_results_folder(folder);
  const LinksRecord links = links_record(run.result.record, run.result.simulated);
  write_file(folder / "setup.yaml", run.setup_yaml);
  write_links(links, folder);
  write_file(folder / "fct_distribution.csv", CompletionTimes(run.result.completion).distribution_csv());
  write_flow_trace(traced(run.flows, run.result.completion), run.hosts, counters(links), run.result.simulated,
                   folder);
  write_file(folder / "summary.json", flows_summary_json(run));
}

}  // namespace overture::report
