#include "overture/study/hoti_dlrm/report.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "overture/study/hoti_dlrm/measures.h"
#include "overture/study/hoti_dlrm/scoreboard.h"

namespace overture::study::hoti {
namespace {

std::string headline(const Results& results) {
  const auto times = iteration_times(results);
  if (times.empty()) return "Only single collectives were run.";
  const auto [least, most] = std::ranges::minmax_element(times, {}, &Measured::value);
  std::string text =
      times.size() == 1
          ? fmt::format("{} takes {:.2f} ms an iteration.", least->name, least->value)
          : fmt::format("{} takes {:.2f} ms an iteration, {} {:.2f} ms: {:.1f} times as long.", least->name,
                        least->value, most->name, most->value, most->value / least->value);
  const auto over = over_bound(results);
  if (over.empty()) return text;
  const auto worst = std::ranges::max_element(over, {}, &Measured::value);
  return text + fmt::format(" A single all-reduce takes up to {:.0f} times its bandwidth bound ({}).",
                            worst->value, worst->name);
}

std::vector<std::pair<std::string, std::string>> terms() {
  return {{"exposed", "time in which a GPU does not compute because it waits for a collective"},
          {"bound", "what the volume of a collective takes at the rate of a link, with nothing in its way"},
          {"injection latency", "system.endpoint_delay: before every send and after every receive"},
          {"DBT, A2A", "all-reduce by a double binary tree, and directly between all pairs"},
          {"naive", "all GPUs send to GPU 0 first, then to 1, ...; rotated: GPU i sends to i + 1 first"},
          {"fluid", "network.backend: flow, where messages share links fairly and there are no packets"}};
}

std::string all_cells_csv(const Results& results) {
  std::string text =
      "group,system,value,iteration_ms,compute_ms,exposed_ms,drops,timeouts,cpu_s,peak_MiB,folder\n";
  for (const CellResult& result : results.all()) {
    text += fmt::format(
        "{},{},\"{}\",{:.6f},{:.6f},{:.6f},{},{},{},{}\n", result.cell.group, result.cell.system,
        result.cell.value, result.iteration_us() / 1e3, result.compute_us / 1e3 / result.iterations,
        result.exposed_us / 1e3 / result.iterations, result.drops, result.timeouts,
        result.cost ? fmt::format("{:.1f},{:.0f}", result.cost->cpu_seconds, result.cost->peak_mib) : ",",
        result.folder);
  }
  return text;
}

// What the slides leave open, with our reading: the lines of the setups that say "not stated".
std::string readings_csv() {
  std::string text = "system,key,reading,note\n";
  for (const SystemSetup& system : systems()) {
    std::istringstream lines{std::string(system.text)};
    for (std::string line; std::getline(lines, line);) {
      const std::size_t comment = line.find('#');
      const std::size_t colon = line.find(':');
      if (comment == std::string::npos || colon > comment || line.find("not stated") == std::string::npos)
        continue;
      const auto part = [&](std::size_t from, std::size_t to) {
        const std::size_t first = line.find_first_not_of(' ', from);
        if (first >= to) return std::string();
        return line.substr(first, line.find_last_not_of(' ', to - 1) + 1 - first);
      };
      text += fmt::format("{},{},\"{}\",\"{}\"\n", system.name, part(0, colon), part(colon + 1, comment),
                          part(comment + 1, line.size()));
    }
  }
  return text;
}

StudyCell study_cell(const CellResult& result) {
  StudyCell cell{.name = name(result.cell),
                 .folder = result.folder,
                 .command = command_of(result.cell),
                 .setup = result.setup,
                 .numbers = {{"iteration_ms", result.iteration_us() / 1e3},
                             {"exposed_ms", result.exposed_us / 1e3 / result.iterations},
                             {"drops", result.drops},
                             {"timeouts", result.timeouts}}};
  if (result.cost) cell.numbers.emplace_back("cpu_s", result.cost->cpu_seconds);
  return cell;
}

}  // namespace

StudyReport make_report(const Results& results, int gpus) {
  StudyReport report{
      .study = "hoti-dlrm",
      .title = fmt::format("DLRM on {} GPUs over TCP/IP", gpus),
      .source =
          "Rashidi, Shurpali, Sridharan, Hassani, Mudigere, Nair, Smelyanskiy, Krishna: Scalable Distributed "
          "Training of Recommendation Models: An ASTRA-SIM + NS3 case-study with TCP/IP transport, HOTI "
          "2020; its "
          "slides. No bar of its figures is known; what the slides leave open is a key of the setups.",
      .claim =
          "An analytical model of an all-reduce can be off by 50 times; the systems differ by 3 times; flat "
          "systems "
          "suffer more from slow memory copies, and which system is best depends on bandwidth, concurrency, "
          "switch "
          "buffer and algorithm.",
      .headline = headline(results),
      .terms = terms()};
  report.claims = parameter_claims();
  const Results none({});
  const Results& judged = gpus == kPublishedGpus ? results : none;
  for (const auto& claims : {result_claims(judged), reference_claims(judged)})
    report.claims.insert(report.claims.end(), claims.begin(), claims.end());
  for (Section& section : sections(results)) {
    report.figures.push_back(std::move(section.figure));
    report.tables.push_back(std::move(section.table));
  }
  report.tables.push_back({.file = "readings.csv", .text = readings_csv()});
  report.tables.push_back({.file = "cells.csv", .text = all_cells_csv(results)});
  for (const CellResult& result : results.all()) report.cells.push_back(study_cell(result));
  return report;
}

}  // namespace overture::study::hoti
