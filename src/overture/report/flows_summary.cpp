#include "overture/report/flows_summary.h"

#include <algorithm>
#include <span>
#include <string_view>

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
#include "overture/report/rotor_schedule.h"

namespace overture::report {
namespace {

using Link = network::NetworkRecord::Link;

bool complete(const FlowsRun& run) { return run.result.finished == run.flows.size(); }

Bytes asked(const FlowsRun& run) {
  Bytes sum;
  for (const network::FlowSpec& flow : run.flows) sum = sum + flow.size;
  return sum;
}

// How long links could have been busy. What a rotor network delivers in the slice under way counts, too.
Duration observed(const FlowsRun& run) { return std::max(run.result.simulated, run.result.makespan); }

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
  const Duration all = observed(run);
  if (link == nullptr || all == Duration{}) return 0;
  return static_cast<double>(link->total.busy.count()) / static_cast<double>(all.count());
}

// What a network counts: how summary.json calls it, and how a terminal does.
struct Counted {
  std::string_view counter;
  std::string_view key;
  std::string_view label;  // empty: not shown
};

constexpr Counted kOnLinks[] = {{"data_packets", "data_packets", "data packets"},
                                {"packet_hops", "packet_hops", ""},
                                {"drops", "drops", "drops"},
                                {"retransmissions", "retransmissions", "retransmissions"},
                                {"timeouts", "timeouts", "timeouts"},
                                {"marks", "ecn_marks", "ECN marks"},
                                {"trims", "trims", "packets cut"},
                                {"pauses", "pauses", "pauses"},
                                {"notifications", "congestion_notifications", "rate notifications"}};

constexpr Counted kOnRotors[] = {
    {"bulk_packets", "bulk_packets", "bulk packets delivered"},
    {"bulk_packets_relayed", "bulk_packets_relayed", "bulk packets over a second hop"},
    {"bulk_packets_returned", "bulk_packets_returned", "bulk packets too late, returned"},
    {"low_latency_packets", "low_latency_packets", "low-latency packets"},
    {"trims", "trims", "packets cut"},
    {"lost", "lost", "packets lost in a dark rotor"},
    {"retransmissions", "retransmissions", "retransmissions"}};

std::span<const Counted> counted(const FlowsRun& run) {
  if (run.rotors != nullptr) return kOnRotors;
  return kOnLinks;
}

// The time that the busiest host's link needs for what the host sends, or receives.
struct BusiestHost {
  std::size_t host = 0;
  Duration needs{};
};

BusiestHost busiest_host(const FlowsRun& run) {
  std::vector<Bytes> out(static_cast<std::size_t>(run.hosts));
  std::vector<Bytes> in(out.size());
  for (const network::FlowSpec& flow : run.flows) {
    if (flow.from == flow.to) continue;
    out[static_cast<std::size_t>(index(flow.from))] += flow.size;
    in[static_cast<std::size_t>(index(flow.to))] += flow.size;
  }
  BusiestHost most;
  const auto& links = run.result.record.links;
  if (links.empty()) return most;
  for (std::size_t host = 0; host < out.size(); ++host) {
    const Duration needs = transfer_time(std::max(out[host], in[host]), links.front().rate);
    if (needs > most.needs) most = {host, needs};
  }
  return most;
}

std::string why_on_rotors(const FlowsRun& run) {
  if (run.result.makespan <= Duration{}) return {};
  const network::NetworkRecord& s = run.result.record;
  const auto share = [](double part, double whole) { return whole == 0 ? 0 : 100 * part / whole; };
  const BusiestHost most = busiest_host(run);
  std::string text = fmt::format(
      "host {} needs its link for {:.0f} % of the time; the rest, over {:.1f} cycles of the rotors, is "
      "waiting for circuits",
      most.host, share(to_us(most.needs), to_us(run.result.makespan)),
      to_us(run.result.makespan) / to_us(run.rotors->cycle()));
  if (const auto relayed = s.count("bulk_packets_relayed"); relayed > 0) {
    text += fmt::format(" and {:.0f} % of the bulk packets taking a second hop",
                        share(static_cast<double>(relayed), static_cast<double>(s.count("bulk_packets"))));
  }
  return text;
}

std::string why_on_links(const FlowsRun& run) {
  std::string text;
  if (const Link* link = busiest_link(run); link != nullptr) {
    text = fmt::format("the busiest link, {} to {} (tier {}), sends {:.0f} % of the time", link->from,
                       link->to, run.result.record.tiers[link->tier], 100 * busiest(run));
  }
  if (run.result.locked)
    text += fmt::format("{}the network has locked up: full buffers wait for each other in a circle",
                        text.empty() ? "" : "; ");
  return text;
}

}  // namespace

std::string flows_why(const FlowsRun& run) {
  std::string text = run.rotors != nullptr ? why_on_rotors(run) : why_on_links(run);
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
  if (run.rotors != nullptr) lines.emplace_back("cycle of the rotors", to_string(run.rotors->cycle()));
  // What did not happen is left out; that nothing was dropped is worth saying.
  for (const Counted& each : counted(run)) {
    const std::uint64_t count = s.count(each.counter);
    if (!each.label.empty() && (count > 0 || each.counter == "drops"))
      lines.emplace_back(each.label, fmt::format("{}", count));
  }
  if (busiest_link(run) != nullptr)
    lines.emplace_back("busiest link", fmt::format("{:.1f} % of the time", 100 * busiest(run)));
  if (peak_queue(run) > Bytes{}) lines.emplace_back("longest queue", to_string(peak_queue(run)));
  lines.emplace_back("network cost", to_string(run.cost));
  std::ranges::copy(fault_lines(s), std::back_inserter(lines));
  return lines;
}

std::string flows_summary_json(const FlowsRun& run) {
  Json root = summary_head({.kind = "flows", .name = run.name, .seed = run.seed, .why = flows_why(run)});
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
               {"busiest_link_utilisation", busiest(run)},
               {"peak_queue_bytes", peak_queue(run).count()},
               {"network_cost_dollars", run.cost.amount()},
               {"digest", fmt::format("{:016x}", s.digest)}});
  for (const Counted& each : counted(run)) root[each.key] = s.count(each.counter);
  if (run.rotors != nullptr) {
    root["tors"] = run.rotors->tors();
    root["rotors"] = run.rotors->uplinks();
    root["cycle_us"] = to_us(run.rotors->cycle());
  }
  add_quality(root, flow_quality(run.flows, run.result, run.alone));
  add_faults(s, root);
  root["setup_yaml"] = run.setup_yaml;
  return summary_text(root);
}

void write_flows_folder(const FlowsRun& run, const std::filesystem::path& folder) {
  make_results_folder(folder);
  const LinksRecord links = links_record(run.result.record, observed(run));
  write_file(folder / "setup.yaml", run.setup_yaml);
  write_links(links, folder);
  write_file(folder / "fct_distribution.csv", CompletionTimes(run.result.completion).distribution_csv());
  write_fault_times(run.faults, observed(run), folder);
  write_flow_trace(run.flows, run.result.completion, run.hosts, curves(links, run.faults, observed(run)),
                   observed(run), folder);
  if (run.rotors != nullptr) write_file(folder / "schedule.csv", schedule_csv(*run.rotors));
  write_file(folder / "summary.json", flows_summary_json(run));
}

}  // namespace overture::report
