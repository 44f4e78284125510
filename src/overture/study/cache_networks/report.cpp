#include "overture/study/cache_networks/report.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "overture/base/table.h"
#include "overture/study/chart.h"

namespace overture::study::cache_networks {
namespace {

constexpr const char* kSharded = "sharded";
// Networks closer to each other than this are not told apart: the fluid's own error
// (docs/reference/flow-backend.md).
constexpr double kTie = 0.05;

std::size_t network_number(const std::string& network) {
  const auto& names = network_names();
  return static_cast<std::size_t>(std::ranges::find(names, network) - names.begin());
}

Race& race_of(std::vector<Race>& all, const CacheCell& cell) {
  const std::string rows = cell.is_cached() ? cell.rows : kSharded;
  const auto found = std::ranges::find_if(all, [&](const Race& race) {
    return race.nodes == cell.nodes && race.packets == cell.packets && race.rows == rows;
  });
  if (found != all.end()) return *found;
  const std::size_t networks = network_names().size();
  return all.emplace_back(Race{.nodes = cell.nodes,
                               .packets = cell.packets,
                               .rows = rows,
                               .how = std::vector<std::string>(networks),
                               .step_us = std::vector<double>(networks),
                               .compute_us = std::vector<double>(networks)});
}

// How much slower the second of a race is than the first.
double lead(const Race& race) {
  std::vector<double> times;
  for (const double time : race.step_us) {
    if (time > 0) times.push_back(time);
  }
  std::ranges::sort(times);
  return times.size() < 2 ? 0 : times[1] / times[0] - 1;
}

std::string winner(const Race& race) {
  const auto best = race.best();
  if (!best) return "-";
  return lead(race) < kTie ? network_names()[*best] + " (tie)" : network_names()[*best];
}

const Race* find(const std::vector<Race>& all, int nodes, bool packets, const std::string& rows) {
  const auto found = std::ranges::find_if(all, [&](const Race& race) {
    return race.nodes == nodes && race.packets == packets && race.rows == rows;
  });
  return found == all.end() ? nullptr : &*found;
}

std::vector<std::string> row_names(const std::vector<Race>& all) {
  std::vector<std::string> rows;
  for (const Race& race : all) {
    if (std::ranges::find(rows, race.rows) == rows.end()) rows.push_back(race.rows);
  }
  return rows;
}

// Step times over the number of nodes, a line for every network, as flows.
Figure scaling_figure(const std::vector<Race>& all, const std::string& rows) {
  Chart chart{.title = rows, .x = "nodes", .y = "step (ms)", .log_x = true, .log_y = true, .series = {}};
  for (std::size_t n = 0; n < network_names().size(); ++n) {
    Series series{.name = network_names()[n], .colour = colour(n), .points = {}};
    Series packets{
        .name = network_names()[n] + ", packets", .colour = colour(n), .points = {}, .line = false};
    for (const Race& race : all) {
      if (race.rows != rows || race.step_us[n] <= 0) continue;
      (race.packets ? packets : series).points.emplace_back(race.nodes, race.step_us[n] / 1e3);
    }
    if (!series.points.empty()) chart.series.push_back(std::move(series));
    if (!packets.points.empty()) chart.series.push_back(std::move(packets));
  }
  std::string file = "scaling-" + rows + ".svg";
  std::ranges::replace(file, ' ', '-');
  return {.file = file,
          .svg = to_svg(chart),
          .title = "Step time, " + rows,
          .caption = "Lines are flows; hollow marks are packets."};
}

// Time over that of the fat tree, a column for every network that is not it.
Figure ratio_figure(const std::vector<Race>& all) {
  ColumnChart chart{.title = "Step time over the fat tree's",
                    .x = "nodes and rows",
                    .y = "times",
                    .groups = {},
                    .series = {}};
  for (std::size_t n = 1; n < network_names().size(); ++n)
    chart.series.push_back({network_names()[n], colour(n), {}, {}});
  for (const Race& race : all) {
    if (race.packets || race.step_us[0] <= 0) continue;
    chart.groups.push_back(fmt::format("{} {}", race.nodes, race.rows));
    for (std::size_t n = 1; n < network_names().size(); ++n)
      chart.series[n - 1].values.push_back(race.step_us[n] > 0 ? race.step_us[n] / race.step_us[0]
                                                               : std::nan(""));
  }
  return {.file = "over-fat-tree.svg",
          .svg = to_svg(chart),
          .title = "Against the fat tree",
          .caption = "Below 1 a network is faster than the fat tree with the same nodes and the same rows."};
}

std::string races_csv(const std::vector<Race>& all) {
  std::string text = "nodes,backend,rows,network,how,step_us,compute_us,over_fat_tree\n";
  for (const Race& race : all) {
    for (std::size_t n = 0; n < network_names().size(); ++n) {
      if (race.step_us[n] <= 0) continue;
      text +=
          fmt::format("{},{},{},{},{},{:.6f},{:.6f},{}\n", race.nodes, race.packets ? "packets" : "flows",
                      race.rows, network_names()[n], race.how[n], race.step_us[n], race.compute_us[n],
                      race.step_us[0] > 0 ? fmt::format("{:.4f}", race.step_us[n] / race.step_us[0]) : "");
    }
  }
  return text;
}

// Where a cache is ahead of the best sharding, and where it is not.
std::string cache_gain(const std::vector<Race>& all) {
  double best = 0;
  double worst = 1e300;
  std::string best_where;
  std::string worst_where;
  for (const Race& race : all) {
    const Race* sharded = find(all, race.nodes, race.packets, kSharded);
    if (race.rows == kSharded || race.packets || sharded == nullptr) continue;
    for (std::size_t n = 0; n < network_names().size(); ++n) {
      if (race.step_us[n] <= 0 || sharded->step_us[n] <= 0) continue;
      const double gain = sharded->step_us[n] / race.step_us[n];
      const std::string where = fmt::format("{} nodes, {}, {}", race.nodes, network_names()[n], race.rows);
      if (gain > best) std::tie(best, best_where) = std::pair(gain, where);
      if (gain < worst) std::tie(worst, worst_where) = std::pair(gain, where);
    }
  }
  if (best == 0) return "";
  return fmt::format(
      " Against the best sharding, a step with servers and cache is {:.2f} ({}) to {:.2f} times as fast "
      "({}).",
      worst, worst_where, best, best_where);
}

}  // namespace

std::optional<std::size_t> Race::best() const {
  std::optional<std::size_t> least;
  for (std::size_t n = 0; n < step_us.size(); ++n) {
    if (step_us[n] > 0 && (!least || step_us[n] < step_us[*least])) least = n;
  }
  return least;
}

std::vector<Race> races(const std::vector<CellTime>& times) {
  std::vector<Race> all;
  for (const CellTime& time : times) {
    Race& race = race_of(all, time.cell);
    const std::size_t n = network_number(time.cell.network);
    if (race.step_us[n] > 0 && race.step_us[n] <= time.step_us) continue;
    race.step_us[n] = time.step_us;
    race.compute_us[n] = time.compute_us;
    race.how[n] = time.cell.rows;
  }
  return all;
}

std::vector<std::string> changes(const std::vector<Race>& all) {
  std::vector<std::string> found;
  for (const Race& race : all) {
    const Race* sharded = find(all, race.nodes, race.packets, kSharded);
    if (race.rows == kSharded || sharded == nullptr || !race.best() || !sharded->best()) continue;
    if (race.best() == sharded->best() || lead(race) < kTie || lead(*sharded) < kTie) continue;
    found.push_back(
        fmt::format("{} nodes{}: {} is best without a cache (by {:.0f} %), {} with {} (by {:.0f} %)",
                    race.nodes, race.packets ? " (packets)" : "", network_names()[*sharded->best()],
                    100 * lead(*sharded), network_names()[*race.best()], race.rows, 100 * lead(race)));
  }
  return found;
}

std::string headline_of(const std::vector<Race>& all) {
  const std::vector<std::string> changed = changes(all);
  std::string text =
      changed.empty()
          ? "The cache does not change which network is best, wherever the first two are 5 % or more apart."
          : fmt::format("The cache changes which network is best: {}.", fmt::join(changed, "; "));
  return text + cache_gain(all);
}

std::string race_table(const std::vector<Race>& all) {
  std::vector<std::string> head{"nodes", "rows"};
  for (const std::string& network : network_names()) head.push_back(network + " ms");
  head.emplace_back("best");
  Table table(head);
  for (const Race& race : all) {
    std::vector<std::string> cells{fmt::format("{}{}", race.nodes, race.packets ? " pkt" : ""), race.rows};
    for (const double time : race.step_us)
      cells.push_back(time > 0 ? fmt::format("{:.4g}", time / 1e3) : "-");
    cells.push_back(winner(race));
    table.add(cells);
  }
  return table.text();
}

StudyReport make_report(const std::vector<CellTime>& times, const CellChoice& choice) {
  const std::vector<Race> all = races(times);
  StudyReport report{
      .study = "cache-networks",
      .title = "A look-ahead cache and three networks",
      .source = fmt::format(
          "Ours. A DLRM with 26 tables of Criteo Kaggle's shape, batch {}; every host has 100 Gbps; full "
          "bisection on the fat tree and the rails; Opera as in the DLRM study of EuroMLSys 2024.",
          choice.batch),
      .claim =
          "Bagpipe (SOSP 2023) hides the fetching of rows behind computing; Opera (NSDI 2020) is good at "
          "all-to-alls. Does the cache change which network is best?",
      .headline = headline_of(all),
      .terms = {
          {"sharded", "no cache: the best of whole tables, columns and rows on all nodes"},
          {"lookahead L", "rows are with servers beside the trainers, and a cache sees L batches ahead"},
          {"tie", "the first two are less than 5 % apart, the error of flows"}}};
  report.figures.push_back(ratio_figure(all));
  for (const std::string& rows : row_names(all)) report.figures.push_back(scaling_figure(all, rows));
  report.tables.push_back({"races.csv", races_csv(all)});
  for (const CellTime& time : times) {
    report.cells.push_back(
        {.name = name(time.cell),
         .folder = time.folder,
         .command = command_of(time.cell),
         .setup = {},
         .numbers = {{"step_ms", time.step_us / 1e3}, {"compute_ms", time.compute_us / 1e3}}});
  }
  return report;
}

}  // namespace overture::study::cache_networks
