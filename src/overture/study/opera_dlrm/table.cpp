#include "overture/study/opera_dlrm/table.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "overture/base/table.h"

namespace overture::study::opera_dlrm {
namespace {

using system::AlgorithmKind;

std::string variant_text(const Cell& cell) {
  return cell.changes.of(Knob::tables) ? fmt::format("{}-table", tables_of(cell)) : cell.variant;
}

std::vector<std::string> first_columns(const Cell& cell) {
  return {cell.model, variant_text(cell), fmt::format("{}", cell.nodes), std::string(name(cell.network)),
          std::string(all_reduce_name(cell.all_reduce))};
}

std::string or_dash(const std::optional<double>& number) {
  return number ? fmt::format("{:.3f}", *number) : "-";
}

double published_seconds(const PublishedTime& time) { return to_us(time.iteration) / 1e6; }

bool same_but_network(const Cell& a, const Cell& b) {
  Cell c = b;
  c.network = a.network;
  c.all_reduce = a.all_reduce;
  c.seed = a.seed;
  return a == c;
}

const StudyRow* find(const std::vector<StudyRow>& rows, const Cell& like, StudyNetwork network,
                     AlgorithmKind all_reduce) {
  const auto found = std::ranges::find_if(rows, [&](const StudyRow& row) {
    return same_but_network(row.cell, like) && row.cell.network == network &&
           row.cell.all_reduce == all_reduce;
  });
  return found == rows.end() ? nullptr : &*found;
}

// A sound run is not meant to find the published winner.
std::string winner(const Cell& cell, const std::optional<Speedup>& speedup) {
  return speedup && cell.setting == Setting::published() ? std::string(speedup->winner()) : "-";
}

// One row of each comparison, in order.
std::vector<Cell> comparisons(const std::vector<StudyRow>& rows) {
  std::vector<Cell> result;
  for (const StudyRow& row : rows) {
    const bool known =
        std::ranges::any_of(result, [&](const Cell& c) { return same_but_network(row.cell, c); });
    if (!known) result.push_back(row.cell);
  }
  return result;
}

}  // namespace

double StudyRow::mean_seconds() const {
  double sum = 0;
  for (const CellResult& result : results) sum += to_us(result.iteration) / 1e6;
  return sum / static_cast<double>(results.size());
}

double StudyRow::spread() const {
  const auto [least, most] = std::ranges::minmax(results, {}, &CellResult::iteration);
  return to_us(most.iteration - least.iteration) / 1e6 / mean_seconds();
}

std::vector<StudyRow> by_seed(const std::vector<FinishedCell>& cells) {
  std::vector<StudyRow> rows;
  for (const FinishedCell& finished : cells) {
    Cell first = finished.cell;
    const auto found = std::ranges::find_if(rows, [&](const StudyRow& row) {
      first.seed = row.cell.seed;
      return row.cell == first;
    });
    if (found == rows.end()) {
      rows.push_back({.cell = finished.cell, .results = {finished.result}});
    } else {
      found->results.push_back(finished.result);
    }
  }
  return rows;
}

std::string_view Speedup::winner() const {
  if (!published) return "-";
  if (std::abs(*published - 1) <= spread) return "close";
  return (*published > 1) == (ours > 1) ? "same" : "other";
}

std::optional<Speedup> speedup(const std::vector<StudyRow>& rows, const Cell& like, const Contender& one,
                               const Contender& other) {
  const StudyRow* first = find(rows, like, one.network, one.all_reduce);
  const StudyRow* second = find(rows, like, other.network, other.all_reduce);
  if (first == nullptr || second == nullptr) return std::nullopt;
  Speedup result{.ours = second->mean_seconds() / first->mean_seconds(),
                 .spread = first->spread() + second->spread()};
  const auto published_first = published_time(first->cell);
  const auto published_second = published_time(second->cell);
  if (published_first && published_second && published_first->plotted && published_second->plotted)
    result.published = published_seconds(*published_second) / published_seconds(*published_first);
  return result;
}

std::optional<Speedup> opera_speedup(const std::vector<StudyRow>& rows, const Cell& like,
                                     AlgorithmKind on_opera, AlgorithmKind on_tree) {
  return speedup(rows, like, {StudyNetwork::opera, on_opera}, {StudyNetwork::fat_tree, on_tree});
}

std::string finding(const std::vector<StudyRow>& rows) {
  int compared = 0;
  int ahead = 0;
  double least = std::numeric_limits<double>::max();
  double most = 0;
  for (const Cell& cell : comparisons(rows)) {
    for (const AlgorithmKind all_reduce : {kRing, kDps}) {
      const auto speedup = opera_speedup(rows, cell, all_reduce, all_reduce);
      if (!speedup) continue;
      ++compared;
      if (speedup->ours > 1) ++ahead;
      least = std::min(least, speedup->ours);
      most = std::max(most, speedup->ours);
    }
  }
  if (compared == 0) return "";
  return fmt::format(
      "With the same all-reduce on both networks, Opera is ahead of the fat tree in {} of {} comparisons, at "
      "{:.2f} to {:.2f} times its speed.",
      ahead, compared, least, most);
}

std::string iteration_table(const std::vector<StudyRow>& rows) {
  Table table({"model", "variant", "nodes", "network", "reduce", "time s", "spread", "published", "error"});
  for (const StudyRow& row : rows) {
    std::vector<std::string> cells = first_columns(row.cell);
    const auto published = published_time(row.cell);
    cells.push_back(fmt::format("{:.3f}", row.mean_seconds()));
    cells.push_back(row.results.size() > 1 ? fmt::format("{:.1f}%", 100 * row.spread()) : "-");
    cells.push_back(published ? fmt::format("{:.3f}", published_seconds(*published)) : "-");
    // A sound run is not meant to take as long as the published one.
    const bool comparable = published && row.cell.setting == Setting::published();
    cells.push_back(
        comparable ? fmt::format("{:+.1f}%", 100 * (row.mean_seconds() / published_seconds(*published) - 1))
                   : "-");
    table.add(cells);
  }
  return table.text();
}

std::string speedup_table(const std::vector<StudyRow>& rows) {
  Table table(
      {"model", "variant", "nodes", "ring/ring", "dps/dps", "(publ.)", "dps/ring", "(publ.)", "winner"});
  for (const Cell& cell : comparisons(rows)) {
    const auto ring_ring = opera_speedup(rows, cell, kRing, kRing);
    const auto dps_dps = opera_speedup(rows, cell, kDps, kDps);
    const auto dps_ring = opera_speedup(rows, cell, kDps, kRing);
    if (!ring_ring && !dps_dps && !dps_ring) continue;
    const auto ours = [](const std::optional<Speedup>& s) {
      return s ? fmt::format("{:.3f}", s->ours) : "-";
    };
    const auto published = [](const std::optional<Speedup>& s) {
      return or_dash(s ? s->published : std::nullopt);
    };
    table.add({cell.model, variant_text(cell), fmt::format("{}", cell.nodes), ours(ring_ring), ours(dps_dps),
               published(dps_dps), ours(dps_ring), published(dps_ring), winner(cell, dps_ring)});
  }
  return table.empty() ? "" : table.text();
}

std::string topoopt_table(const std::vector<StudyRow>& rows) {
  constexpr Contender kTopoOpt{StudyNetwork::topoopt, kRing};
  Table table({"model", "variant", "nodes", "over tree", "(publ.)", "winner", "over opera", "(publ.)"});
  for (const Cell& cell : comparisons(rows)) {
    const auto over_tree = speedup(rows, cell, kTopoOpt, {StudyNetwork::fat_tree, kRing});
    const auto over_opera = speedup(rows, cell, kTopoOpt, {StudyNetwork::opera, kDps});
    if (!over_tree && !over_opera) continue;
    const auto ours = [](const auto& s) { return or_dash(s ? std::optional(s->ours) : std::nullopt); };
    const auto published = [](const auto& s) { return or_dash(s ? s->published : std::nullopt); };
    table.add({cell.model, variant_text(cell), fmt::format("{}", cell.nodes), ours(over_tree),
               published(over_tree), winner(cell, over_tree), ours(over_opera), published(over_opera)});
  }
  return table.empty() ? "" : table.text();
}

std::string cost_table(const std::vector<StudyRow>& rows) {
  Table table(
      {"model", "variant", "nodes", "network", "reduce", "traffic", "exposed", "RTOs", "CPU s", "MB"});
  for (const StudyRow& row : rows) {
    std::vector<std::string> cells = first_columns(row.cell);
    const CellResult& result = row.results.front();
    cells.push_back(fmt::format("{:.4f}", result.traffic_fraction));
    cells.push_back(fmt::format("{:.1f}%", 100 * to_us(result.exposed) / to_us(result.iteration)));
    cells.push_back(fmt::format("{}", result.timeouts));
    cells.push_back(fmt::format("{:.1f}", result.cpu_seconds));
    cells.push_back(fmt::format("{:.0f}", result.memory_mb));
    table.add(cells);
  }
  return table.text();
}

std::string study_csv(const std::vector<FinishedCell>& cells) {
  std::string text =
      "model,variant,batch,feature_size,tables,nodes,network,allreduce,backend,setting,seed,iteration_s,"
      "published_iteration_s,published_plotted,published_conditions,error,speedup_over_fattree_ring,"
      "published_speedup_over_"
      "fattree_ring,"
      "speedup_over_fattree_dps,published_speedup_over_fattree_dps,traffic_fraction,"
      "published_traffic_fraction,exposed_s,timeouts,cpu_s,memory_mb\n";
  const std::vector<StudyRow> rows = by_seed(cells);
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string();
  };
  for (const FinishedCell& finished : cells) {
    const Cell& cell = finished.cell;
    const model::PublishedVariant variant = variant_of(cell);
    const double seconds = to_us(finished.result.iteration) / 1e6;
    // Under other conditions a run is not meant to take as long as the published one.
    const bool comparable = cell.setting == Setting::published();
    const auto published = published_time(cell);
    // Speed-ups of Opera; a fat tree has none over itself.
    std::optional<Speedup> over_ring;
    std::optional<Speedup> over_dps;
    if (cell.network == StudyNetwork::opera) {
      over_ring = opera_speedup(rows, cell, cell.all_reduce, kRing);
      over_dps = opera_speedup(rows, cell, cell.all_reduce, kDps);
    }
    const auto ours = [](const auto& s) { return s ? std::optional(s->ours) : std::nullopt; };
    const auto theirs = [](const auto& s) { return s ? s->published : std::nullopt; };
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{:.9f},", cell.model, cell.variant, variant.batch,
                        variant.columns, tables_of(cell), cell.nodes, name(cell.network),
                        all_reduce_name(cell.all_reduce), name(cell.backend), cell.setting.name(), cell.seed,
                        seconds);
    text += published ? fmt::format("{:.9f},{},", published_seconds(*published), published->plotted) : ",,";
    text += comparable ? "same," : "with every artefact of the published runs,";
    text +=
        published && comparable ? fmt::format("{:.6f},", seconds / published_seconds(*published) - 1) : ",";
    text += fmt::format("{},{},{},{},", number(ours(over_ring)), number(theirs(over_ring)),
                        number(ours(over_dps)), number(theirs(over_dps)));
    text += fmt::format("{},{},{:.9f},{},{:.3f},{:.1f}\n", finished.result.traffic_fraction,
                        number(published_traffic_fraction(cell)), to_us(finished.result.exposed) / 1e6,
                        finished.result.timeouts, finished.result.cpu_seconds, finished.result.memory_mb);
  }
  return text;
}

}  // namespace overture::study::opera_dlrm
