#include "overture/study/codesign/report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "overture/base/table.h"
#include "overture/base/text.h"
#include "overture/study/chart.h"

namespace overture::study {
namespace {

const Tried& front_point(const SearchFindings& findings, std::size_t i) {
  return findings.result.tried[findings.result.front[i]];
}

const std::string& network_name(const SearchFindings& findings, const Tried& tried) {
  return findings.model.search().networks[tried.candidate.point.network].name;
}

std::string cell_name(const SearchFindings& findings, const Tried& tried) {
  return fmt::format("{}: {}", network_name(findings, tried),
                     words_of(findings.model.search(), tried.candidate.point));
}

// The same for a million samples, in seconds.
double seconds(const Tried& tried) { return tried.per_million_us() / 1e6; }
double seconds(const Tried& tried, const PacketCheck& check) {
  return tried.candidate.per_million(*check.step_us) / 1e6;
}

std::string quoted(const std::string& text) {
  std::string doubled;
  for (const char c : text) doubled += c == '"' ? "\"\"" : std::string(1, c);
  return '"' + doubled + '"';
}

Figure pareto_figure(const SearchFindings& findings) {
  Chart chart{.title = "Time against cost",
              .x = "dollars",
              .y = "seconds for a million samples",
              .log_x = true,
              .log_y = true,
              .series = {}};
  const auto& networks = findings.model.search().networks;
  for (std::size_t n = 0; n < networks.size(); ++n) {
    Series series{.name = networks[n].name, .colour = colour(n), .points = {}, .line = false};
    for (const Tried& tried : findings.result.tried) {
      if (tried.candidate.point.network == n)
        series.points.emplace_back(tried.candidate.dollars, seconds(tried));
    }
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  Series front{.name = "front, as flows", .colour = "#333333", .points = {}};
  Series checked{.name = "front, with packets", .colour = "#cc0000", .points = {}, .dashed = true};
  for (std::size_t i = 0; i < findings.result.front.size(); ++i) {
    const Tried& tried = front_point(findings, i);
    front.points.emplace_back(tried.candidate.dollars, seconds(tried));
    if (const PacketCheck* check = best_check(findings, i))
      checked.points.emplace_back(tried.candidate.dollars, seconds(tried, *check));
  }
  chart.series.push_back(std::move(front));
  if (!checked.points.empty()) chart.series.push_back(std::move(checked));
  return {.file = "front.svg",
          .svg = to_svg(chart),
          .title = "Pareto front",
          .caption =
              "Every mark is a candidate that was simulated. Below and left of the line is nothing: no "
              "candidate is both cheaper and faster than a point of the front."};
}

Figure sensitivity_figure(const SearchFindings& findings) {
  TornadoChart chart{
      .title = "Time over that of the fastest point, one change at a time", .centre = 1, .bars = {}};
  for (const Sensitivity& one : findings.sensitivities) chart.bars.push_back({one.key, one.values});
  return {.file = "sensitivities.svg",
          .svg = to_svg(chart),
          .title = "What matters",
          .caption =
              "Every axis alone, all others as in the fastest point of the front; for the network, the "
              "fastest candidate of each kind that was simulated."};
}

std::string candidates_csv(const SearchFindings& findings) {
  std::string text =
      "network,candidate,dollars,watts,batch,step_us,bound_us,compute_us,seconds_per_million,on_front,"
      "limit\n";
  for (std::size_t i = 0; i < findings.result.tried.size(); ++i) {
    const Tried& tried = findings.result.tried[i];
    const bool on_front = std::ranges::find(findings.result.front, i) != findings.result.front.end();
    text += fmt::format(
        "{},{},{:.2f},{:.1f},{},{:.6f},{:.6f},{:.6f},{:.9f},{},{}\n", quoted(network_name(findings, tried)),
        quoted(words_of(findings.model.search(), tried.candidate.point)), tried.candidate.dollars,
        tried.candidate.watts, tried.candidate.batch, tried.time.step_us, tried.candidate.bound_us,
        tried.time.compute_us, seconds(tried), on_front ? 1 : 0, quoted(tried.time.limit));
  }
  return text;
}

std::string front_csv(const SearchFindings& findings) {
  std::string text =
      "network,candidate,dollars,watts,seconds_per_million,seconds_per_million_packets,packets_as,"
      "limit,what_matters\n";
  for (std::size_t i = 0; i < findings.result.front.size(); ++i) {
    const Tried& tried = front_point(findings, i);
    const PacketCheck* check = best_check(findings, i);
    text += fmt::format("{},{},{:.2f},{:.1f},{:.9f},{},{},{},{}\n", quoted(network_name(findings, tried)),
                        quoted(words_of(findings.model.search(), tried.candidate.point)),
                        tried.candidate.dollars, tried.candidate.watts, seconds(tried),
                        check == nullptr ? "" : fmt::format("{:.9f}", seconds(tried, *check)),
                        quoted(check == nullptr ? "" : check->what), quoted(tried.time.limit),
                        quoted(findings.matters[i]));
  }
  return text;
}

std::string checks_csv(const SearchFindings& findings) {
  std::string text = "candidate,as,step_us_flow,step_us_packets,folder,problem\n";
  for (const PacketCheck& check : findings.checks) {
    const Tried& tried = front_point(findings, check.front);
    text += fmt::format("{},{},{:.6f},{},{},{}\n", quoted(cell_name(findings, tried)), quoted(check.what),
                        tried.time.step_us, check.step_us ? fmt::format("{:.6f}", *check.step_us) : "",
                        check.folder, quoted(check.problem));
  }
  return text;
}

// What each point of the front is made of.
std::string bills_csv(const SearchFindings& findings) {
  std::string text = "candidate,part,dollars,watts\n";
  for (std::size_t i = 0; i < findings.result.front.size(); ++i) {
    const Tried& tried = front_point(findings, i);
    for (const network::CostPart& part : findings.model.bill(tried.candidate.point))
      text += fmt::format("{},{},{:.2f},{:.1f}\n", quoted(cell_name(findings, tried)), part.part,
                          part.dollars, part.watts);
  }
  return text;
}

StudyCell study_cell(const SearchFindings& findings, std::size_t i) {
  const Tried& tried = front_point(findings, i);
  const PacketCheck* check = best_check(findings, i);
  StudyCell cell{.name = cell_name(findings, tried),
                 .folder = check == nullptr ? "" : check->folder,
                 .command = fmt::format("overture simulate front-{}.yaml", i + 1),
                 .setup = fmt::format("# {}\n# {}\n{}", tried.time.limit, findings.matters[i],
                                      findings.model.setup_yaml(tried.candidate.point)),
                 .numbers = {{"dollars", tried.candidate.dollars},
                             {"watts", tried.candidate.watts},
                             {"seconds_per_million", seconds(tried)},
                             {"step_ms", tried.time.step_us / 1e3},
                             {"compute_percent", 100 * tried.time.compute_us / tried.time.step_us}}};
  if (check != nullptr) cell.numbers.emplace_back("step_ms_packets", *check->step_us / 1e3);
  return cell;
}

std::string price_source(const network::Prices& prices) {
  return fmt::format("Prices of {}: {}. Watts: round numbers for parts of that class.", prices.date,
                     prices.source);
}

// How far packets are from flows, over the points that they checked.
std::string check_sentence(const SearchFindings& findings) {
  double most = 0;
  int checked = 0;
  int moved = 0;
  double fastest = 0;
  for (std::size_t i = 0; i < findings.result.front.size(); ++i) {
    const PacketCheck* check = best_check(findings, i);
    if (check == nullptr) continue;
    const double ratio = *check->step_us / front_point(findings, i).time.step_us;
    const double time = seconds(front_point(findings, i), *check);
    if (checked > 0 && time >= fastest) ++moved;
    fastest = checked == 0 ? time : std::min(fastest, time);
    most = std::max(most, std::abs(ratio - 1));
    ++checked;
  }
  if (checked == 0) return "Packets checked none of it.";
  return fmt::format("Packets checked {} of its points: at most {:.0f} % away from flows; {}.", checked,
                     100 * most,
                     moved == 0 ? "all of them stay on the front"
                                : fmt::format("{} of them are then no longer on the front", moved));
}

}  // namespace

const PacketCheck* best_check(const SearchFindings& findings, std::size_t front) {
  const PacketCheck* best = nullptr;
  for (const PacketCheck& check : findings.checks) {
    if (check.front != front || !check.step_us) continue;
    if (best == nullptr || *check.step_us < *best->step_us) best = &check;
  }
  return best;
}

std::string words_of(const setup::SearchSetup& search, const setup::SearchPoint& point) {
  const std::vector<const setup::SearchAxis*> axes = axes_of(search, point.network);
  std::vector<std::string> words;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::string& key = axes[i]->key;
    words.push_back(key.substr(key.rfind('.') + 1) + " " + axes[i]->label(point.values[i]));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string prices_yaml(const network::Prices& prices) {
  return fmt::format(
      "source: \"{}\"\ndate: {}\nrate: {}\nlink: {} $\ntile_link: {} $\nnic: {} $\nswitch: {} $\n"
      "switch_ports: {}\nrotor_port: {} $\nnpu: {} $\nlink_watts: {}\nnic_watts: {}\nswitch_watts: {}\n"
      "rotor_port_watts: {}\nnpu_watts: {}\n",
      prices.source, prices.date, exact(prices.rate), prices.link.amount(), prices.tile_link.amount(),
      prices.nic.amount(), prices.switch_box.amount(), prices.switch_ports, prices.rotor_port.amount(),
      prices.npu.amount(), prices.link_watts, prices.nic_watts, prices.switch_watts, prices.rotor_port_watts,
      prices.npu_watts);
}

std::string money(double dollars) {
  if (dollars >= 1e6) return fmt::format("{:.2f} M$", dollars / 1e6);
  if (dollars >= 1e3) return fmt::format("{:.1f} k$", dollars / 1e3);
  return fmt::format("{:.0f} $", dollars);
}

std::string headline_of(const SearchFindings& findings) {
  const Tried& cheapest = front_point(findings, 0);
  const Tried& fastest = front_point(findings, findings.result.front.size() - 1);
  return fmt::format(
      "{} points are on the front. The cheapest ({}, {}) takes {:.3g} s for a million samples, the fastest "
      "({}, {}) {:.3g} s: {}. {}",
      findings.result.front.size(), network_name(findings, cheapest), money(cheapest.candidate.dollars),
      seconds(cheapest), network_name(findings, fastest), money(fastest.candidate.dollars), seconds(fastest),
      fastest.time.limit, check_sentence(findings));
}

StudyReport make_search_report(const SearchFindings& findings) {
  const SearchResult& result = findings.result;
  StudyReport report{
      .study = "codesign",
      .title = findings.model.search().name,
      .source = price_source(findings.model.prices()),
      .claim =
          "No candidate within the budget is both cheaper and faster than a point of the front, as flows.",
      .headline =
          fmt::format("Of {} candidates {} cannot run, {} cost more than the budget, {} cannot be faster "
                      "than one that costs no more, and {} were simulated. {}",
                      result.candidates, result.cannot_run, result.over_budget, result.dominated,
                      result.tried.size(), headline_of(findings)),
      .terms = {
          {"front", "candidates for which no other one is both cheaper and faster"},
          {"bound", "what a rank computes, or what its links take to send its bytes: no step is shorter"},
          {"seconds for a million samples", "step time times a million over the batch"}}};
  report.figures.push_back(pareto_figure(findings));
  if (!findings.sensitivities.empty()) report.figures.push_back(sensitivity_figure(findings));
  report.tables = {{"front.csv", front_csv(findings)},
                   {"candidates.csv", candidates_csv(findings)},
                   {"bills.csv", bills_csv(findings)}};
  if (!findings.checks.empty()) report.tables.push_back({"checks.csv", checks_csv(findings)});
  for (std::size_t i = 0; i < result.front.size(); ++i) report.cells.push_back(study_cell(findings, i));
  return report;
}

std::string front_table(const SearchFindings& findings) {
  Table table({"", "network", "cost", "power", "s/M samples", "packets"});
  std::string notes;
  for (std::size_t i = 0; i < findings.result.front.size(); ++i) {
    const Tried& tried = front_point(findings, i);
    const PacketCheck* check = best_check(findings, i);
    table.add({fmt::format("{}", i + 1), network_name(findings, tried), money(tried.candidate.dollars),
               fmt::format("{:.1f} kW", tried.candidate.watts / 1e3), fmt::format("{:.4g}", seconds(tried)),
               check == nullptr ? "-" : fmt::format("{:.4g}", seconds(tried, *check))});
    std::string note =
        fmt::format("{}: {}. Limit: {}", i + 1, words_of(findings.model.search(), tried.candidate.point),
                    tried.time.limit);
    if (!findings.matters[i].empty()) note += "; " + findings.matters[i];
    if (check != nullptr && !check->what.empty()) note += "; packets: " + check->what;
    notes += wrap(note, 80, 3) + "\n";
  }
  return table.text() + "\n" + notes;
}

std::string budget_table(const SearchFindings& findings, const std::vector<double>& dollars) {
  Table table({"budget", "best", "s/M samples", "cost"});
  for (const double most : dollars) {
    const Tried* best = best_under(findings.result, most);
    if (best == nullptr) {
      table.add({money(most), "nothing", "-", "-"});
    } else {
      table.add({money(most), network_name(findings, *best), fmt::format("{:.4g}", seconds(*best)),
                 money(best->candidate.dollars)});
    }
  }
  return table.text();
}

}  // namespace overture::study
