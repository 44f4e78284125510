#include "overture/report/rotor_summary.h"

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

// The host that sends or receives most, and how long its link takes for that alone.
struct BusiestHost {
  std::int32_t host = 0;
  Duration needs{};
};

BusiestHost busiest_host(const RotorReport& run) {
  std::vector<Bytes> out(static_cast<std::size_t>(run.opera.hosts()));
  std::vector<Bytes> in(out.size());
  for (const network::FlowSpec& flow : run.flows) {
    if (flow.from == flow.to) continue;
    out[static_cast<std::size_t>(index(flow.from))] += flow.size;
    in[static_cast<std::size_t>(index(flow.to))] += flow.size;
  }
  BusiestHost most;
  for (std::size_t host = 0; host < out.size(); ++host) {
    const Duration needs = transfer_time(std::max(out[host], in[host]), run.config.rate);
    if (needs > most.needs) most = {static_cast<std::int32_t>(host), needs};
  }
  return most;
}

}  // namespace

std::string schedule_csv(const topology::Opera& opera) {
  constexpr int kMostTors = 64;
  std::string text = "slot,rotor,tor,peer\n";
  if (opera.tors() > kMostTors) return text;
  for (int slice = 0; slice < opera.slices(); ++slice) {
    for (int rotor = 0; rotor < opera.uplinks(); ++rotor) {
      const bool dark = rotor == opera.dark_rotor(slice);
      for (int tor = 0; tor < opera.tors(); ++tor)
        text += fmt::format("{},{},{},{}\n", slice, rotor, tor, dark ? -1 : opera.peer(slice, tor, rotor));
    }
  }
  return text;
}

std::string rotor_why(const RotorReport& run) {
  const network::NetworkRecord& s = run.result.record;
  if (run.result.makespan <= Duration{}) return {};
  const BusiestHost most = busiest_host(run);
  const double busy =
      static_cast<double>(most.needs.count()) / static_cast<double>(run.result.makespan.count());
  const double cycles = to_us(run.result.makespan) / to_us(run.opera.cycle());
  const double relayed = s.count("bulk_packets") == 0 ? 0
                                                      : static_cast<double>(s.count("bulk_packets_relayed")) /
                                                            static_cast<double>(s.count("bulk_packets"));
  std::string text = fmt::format(
      "host {} needs its link for {:.0f} % of the time; the rest, over {:.1f} cycles of the rotors, is "
      "waiting "
      "for circuits",
      most.host, 100 * busy, cycles);
  if (relayed > 0)
    text += fmt::format(" and {:.0f} % of the bulk packets taking a second hop", 100 * relayed);
  return run.tried.empty() ? text : text + "; " + run.tried;
}

std::vector<std::pair<std::string, std::string>> rotor_lines(const RotorReport& run) {
  const CompletionTimes times(run.result.completion);
  const network::NetworkRecord& s = run.result.record;
  const auto count = [](std::uint64_t n) { return fmt::format("{}", n); };
  std::vector<std::pair<std::string, std::string>> lines{
      {"makespan", to_string(run.result.makespan)},
      {"completion, mean", to_string(times.mean())},
      {"completion, median", to_string(times.percentile(50))},
      {"completion, 99 %", to_string(times.percentile(99))},
      {"completion, 99.9 %", to_string(times.percentile(99.9))}};
  for (auto& line : quality_lines(flow_quality(run.flows, run.result, run.alone)))
    lines.push_back(std::move(line));
  lines.emplace_back("cycle of the rotors", to_string(run.opera.cycle()));
  for (const auto& [label, value] :
       {std::pair{"bulk packets delivered", s.count("bulk_packets")},
        std::pair{"bulk packets over a second hop", s.count("bulk_packets_relayed")},
        std::pair{"bulk packets too late, returned", s.count("bulk_packets_returned")},
        std::pair{"low-latency packets", s.count("low_latency_packets")},
        std::pair{"packets cut", s.count("trims")},
        std::pair{"packets lost in a dark rotor", s.count("lost")},
        std::pair{"retransmissions", s.count("retransmissions")}}) {
    if (value > 0) lines.emplace_back(label, count(value));
  }
  std::ranges::copy(fault_lines(s), std::back_inserter(lines));
  lines.emplace_back("network cost", to_string(run.cost));
  return lines;
}

std::string rotor_summary_json(const RotorReport& run) {
  Json root = summary_head({.kind = "flows",
                            .name = run.name,
                            .version = run.version,
                            .seed = run.config.seed,
                            .why = rotor_why(run)});
  const CompletionTimes times(run.result.completion);
  const network::NetworkRecord& s = run.result.record;
  const bool complete = run.result.finished == run.flows.size();
  root.update({{"hosts", run.opera.hosts()},
               {"tors", run.opera.tors()},
               {"rotors", run.opera.uplinks()},
               {"cycle_us", to_us(run.opera.cycle())},
               {"flows", run.flows.size()},
               {"finished", run.result.finished},
               {"complete", complete},
               {"makespan_us", complete ? Json(to_us(run.result.makespan)) : Json()},
               {"fct_mean_us", times.empty() ? Json() : Json(to_us(times.mean()))},
               {"fct_median_us", times.empty() ? Json() : Json(to_us(times.percentile(50)))},
               {"fct_p99_us", times.empty() ? Json() : Json(to_us(times.percentile(99)))},
               {"fct_p999_us", times.empty() ? Json() : Json(to_us(times.percentile(99.9)))},
               {"fct_max_us", times.empty() ? Json() : Json(to_us(times.percentile(100)))},
               {"delivered_bytes", s.delivered.count()},
               {"bulk_packets", s.count("bulk_packets")},
               {"bulk_packets_relayed", s.count("bulk_packets_relayed")},
               {"bulk_packets_returned", s.count("bulk_packets_returned")},
               {"low_latency_packets", s.count("low_latency_packets")},
               {"trims", s.count("trims")},
               {"lost", s.count("lost")},
               {"retransmissions", s.count("retransmissions")},
               {"network_cost_dollars", run.cost.amount()},
               {"digest", fmt::format("{:016x}", s.digest)}});
  add_quality(root, flow_quality(run.flows, run.result, run.alone));
  add_faults(s, root);
  root["setup_yaml"] = run.setup_yaml;
  return summary_text(root);
}

void write_rotor_folder(const RotorReport& run, const std::filesystem::path& folder) {
  make_results_folder(folder);
  write_file(folder / "setup.yaml", run.setup_yaml);
  write_file(folder / "schedule.csv", schedule_csv(run.opera));
  write_file(folder / "fct_distribution.csv", CompletionTimes(run.result.completion).distribution_csv());
  const LinksRecord links = links_record(run.result.record, run.result.makespan);
  write_links(links, folder);
  write_flow_trace(traced(run.flows, run.result.completion), run.opera.hosts(), counters(links),
                   run.result.makespan, folder);
  write_file(folder / "summary.json", rotor_summary_json(run));
}

}  // namespace overture::report
