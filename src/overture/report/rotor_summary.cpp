#include "overture/report/rotor_summary.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/error.h"
#include "overture/base/files.h"
#include "overture/report/completion_times.h"

namespace overture::report {
namespace {

using json = nlohmann::ordered_json;

// A row per slot, rotor and ToR; larger networks have too many to look at.
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

}  // namespace

std::vector<std::pair<std::string, std::string>> rotor_lines(const RotorRun& run) {
  const CompletionTimes times(run.result.completion);
  const auto& s = run.result.statistics;
  const auto count = [](std::uint64_t n) { return fmt::format("{}", n); };
  std::vector<std::pair<std::string, std::string>> lines{
      {"makespan", to_string(run.result.makespan)},
      {"completion, mean", to_string(times.mean())},
      {"completion, median", to_string(times.percentile(50))},
      {"cycle of the rotors", to_string(run.opera.cycle())}};
  for (const auto& [label, value] :
       {std::pair{"bulk packets delivered", s.bulk_delivered},
        std::pair{"bulk packets over a second hop", s.bulk_relayed},
        std::pair{"bulk packets too late, returned", s.bulk_returned},
        std::pair{"low-latency packets", s.low_delivered}, std::pair{"packets cut", s.trims},
        std::pair{"packets lost in a dark rotor", s.lost}, std::pair{"retransmissions", s.retransmissions}}) {
    if (value > 0) lines.emplace_back(label, count(value));
  }
  return lines;
}

std::string rotor_summary_json(const RotorRun& run) {
  const CompletionTimes times(run.result.completion);
  const auto& s = run.result.statistics;
  const bool complete = run.result.finished == run.flows.size();
  const json root{{"name", run.name},
                  {"overture", run.version},
                  {"hosts", run.opera.hosts()},
                  {"tors", run.opera.tors()},
                  {"rotors", run.opera.uplinks()},
                  {"cycle_us", to_us(run.opera.cycle())},
                  {"flows", run.flows.size()},
                  {"finished", run.result.finished},
                  {"complete", complete},
                  {"makespan_us", complete ? json(to_us(run.result.makespan)) : json()},
                  {"fct_mean_us", times.empty() ? json() : json(to_us(times.mean()))},
                  {"fct_max_us", times.empty() ? json() : json(to_us(times.percentile(100)))},
                  {"delivered_bytes", s.delivered.count()},
                  {"bulk_packets", s.bulk_delivered},
                  {"bulk_packets_relayed", s.bulk_relayed},
                  {"bulk_packets_returned", s.bulk_returned},
                  {"low_latency_packets", s.low_delivered},
                  {"trims", s.trims},
                  {"lost", s.lost},
                  {"retransmissions", s.retransmissions},
                  {"digest", fmt::format("{:016x}", run.result.digest)},
                  {"setup_yaml", run.setup_yaml}};
  return root.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

void write_rotor_folder(const RotorRun& run, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw UserError({.file = folder.string()}, "cannot be made: " + error.message());
  write_file(folder / "setup.yaml", run.setup_yaml);
  write_file(folder / "schedule.csv", schedule_csv(run.opera));
  write_file(folder / "fct_distribution.csv", CompletionTimes(run.result.completion).distribution_csv());
  write_file(folder / "summary.json", rotor_summary_json(run));
}

}  // namespace overture::report
