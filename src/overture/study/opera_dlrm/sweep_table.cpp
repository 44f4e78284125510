#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "overture/base/table.h"
#include "overture/base/text.h"
#include "overture/study/chart.h"
#include "overture/study/opera_dlrm/sweep.h"

namespace overture::study::opera_dlrm {
namespace {

constexpr std::size_t kLineWidth = 80;

std::string work_text(const Cell& work) {
  const std::string changed = work.changes.text(' ');
  const std::string variant = work.variant == "baseline" ? "" : " " + work.variant;
  return fmt::format("{} {}{}{}", work.model, work.nodes, variant, changed.empty() ? "" : " " + changed);
}

// How the cell is done, without what is trained.
std::string design_text(Cell cell) {
  for (const Knob knob : all_knobs()) {
    if (changes_work(knob)) cell.changes.clear(knob);
  }
  const std::string changed = cell.changes.text(' ');
  return fmt::format("{} {}{}", name(cell.network), all_reduce_name(cell.all_reduce),
                     changed.empty() ? "" : " " + changed);
}

std::string seconds(const StudyRow& row) { return fmt::format("{:.3f}", row.mean_seconds()); }
std::string percent(double share) { return fmt::format("{:.1f}%", 100 * share); }

double samples_per_second(const StudyRow& row) {
  return static_cast<double>(variant_of(row.cell).batch) / row.mean_seconds();
}

int most_nodes(const std::vector<CoDesign>& designs) {
  int nodes = 0;
  for (const CoDesign& of : designs) nodes = std::max(nodes, of.work.nodes);
  return nodes;
}

std::string contender(const StudyRow& row) {
  const std::string line =
      fmt::format("{:.3f} M samples/s  {}", samples_per_second(row) / 1e6, design_text(row.cell));
  return "  " + wrap(line, kLineWidth, 2) + "\n";
}

std::string optional_number(const Changes& changes, Knob knob) {
  const auto value = changes.of(knob);
  return value ? fmt::format("{}", *value) : std::string();
}

// The knobs in which a cell differs from the unchanged one; reconfiguration at its default is none.
std::vector<Knob> turned(const Cell& cell) {
  std::vector<Knob> knobs;
  for (const Knob knob : all_knobs()) {
    const auto value = cell.changes.of(knob);
    const bool unchanged = knob == Knob::reconfiguration_us && value == kReconfigurationUs;
    if (value && !unchanged) knobs.push_back(knob);
  }
  return knobs;
}

// The design whose work is that of the cell.
const CoDesign* design_of(const std::vector<CoDesign>& designs, const Cell& cell) {
  Changes work = cell.changes;
  for (const Knob knob : all_knobs()) {
    if (!changes_work(knob)) work.clear(knob);
  }
  const auto found = std::ranges::find_if(designs, [&](const CoDesign& of) {
    return of.work.changes == work && of.work.model == cell.model && of.work.variant == cell.variant &&
           of.work.nodes == cell.nodes;
  });
  return found == designs.end() ? nullptr : &*found;
}

Figure tornado(const std::vector<StudyRow>& rows, const std::vector<CoDesign>& designs,
               const CoDesign& base) {
  const double centre = 1 + base.gap();
  std::map<std::string, TornadoBar> bars;
  for (const StudyRow& row : rows) {
    const Cell& cell = row.cell;
    const std::vector<Knob> knobs = turned(cell);
    const bool alone = knobs.size() == 1 && cell.all_reduce == base.opera->cell.all_reduce;
    const CoDesign* of = design_of(designs, cell);
    if (cell.network != StudyNetwork::opera || !alone || of == nullptr || of->work.model != base.work.model ||
        of->work.nodes != base.work.nodes || of->work.variant != base.work.variant)
      continue;
    TornadoBar& bar = bars[std::string(name(knobs[0]))];
    bar.name = name(knobs[0]);
    Changes only;
    only.set(knobs[0], *cell.changes.of(knobs[0]));
    const std::string text = only.text();
    bar.values.emplace_back(row.mean_seconds() / of->tree->mean_seconds(), text.substr(text.find('=') + 1));
  }
  TornadoChart chart{.title = fmt::format("Model {}, {} nodes: Opera's time over the best fat tree's",
                                          base.work.model, base.work.nodes),
                     .centre = centre};
  for (const auto& [key, bar] : bars) chart.bars.push_back(bar);
  return {fmt::format("sweep-{}-{}.svg", base.work.model, base.work.nodes), to_svg(chart)};
}

}  // namespace

std::string gap_table(const std::vector<CoDesign>& designs) {
  Table table({"work", "tree s", "opera s", "tuned s", "best s", "gap", "left", "closed"});
  for (const CoDesign& of : designs) {
    const auto closed = of.closed();
    table.add({work_text(of.work), seconds(*of.tree), seconds(*of.opera), seconds(*of.tuned),
               seconds(*of.best), percent(of.gap()), percent(of.left()), closed ? percent(*closed) : "-"});
  }
  return table.text();
}

std::string best_configurations(const std::vector<CoDesign>& designs) {
  std::string text;
  for (const CoDesign& of : designs)
    text += work_text(of.work) + "\n" + contender(*of.tree) + contender(*of.best);
  return text;
}

std::string gap_summary(const std::vector<CoDesign>& designs) {
  std::string text;
  for (const CoDesign& of : designs) {
    if (of.work.nodes != most_nodes(designs) || !of.work.changes.empty()) continue;
    const auto closed = of.closed();
    const double tuned = of.tuned->mean_seconds() / of.tree->mean_seconds() - 1;
    std::string line = fmt::format("Model {}, {}, {} nodes: Opera takes {} longer than the best fat tree",
                                   of.work.model, of.work.variant, of.work.nodes, percent(of.gap()));
    if (closed) {
      line +=
          fmt::format("; co-design on its own rotors leaves {}, on the best ones {}: {} of the gap closed",
                      percent(tuned), percent(of.left()), percent(*closed));
    }
    text += wrap(line, kLineWidth, 2) + "\n";
  }
  return text;
}

std::string sweep_csv(const std::vector<FinishedCell>& cells) {
  std::string text =
      "model,variant,nodes,network,allreduce,backend,setting,seed,batch,feature_size,tables,column_spread,"
      "placement,slice_us,reconfiguration_us,bulk_threshold_kb,iteration_s,samples_per_s,exposed_s,"
      "traffic_fraction,cpu_s,memory_mb\n";
  for (const FinishedCell& finished : cells) {
    const Cell& cell = finished.cell;
    const model::PublishedVariant variant = variant_of(cell);
    const double iteration = to_us(finished.result.iteration) / 1e6;
    const bool balanced = cell.changes.value_or(Knob::placement, 0) == 1;
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},", cell.model, cell.variant, cell.nodes,
                    name(cell.network), all_reduce_name(cell.all_reduce), name(cell.backend),
                    cell.setting.name(), cell.seed, variant.batch, variant.columns, tables_of(cell),
                    cell.changes.value_or(Knob::column_spread, 1), balanced ? "size-balanced" : "round-robin",
                    optional_number(cell.changes, Knob::slice_us),
                    optional_number(cell.changes, Knob::reconfiguration_us),
                    optional_number(cell.changes, Knob::bulk_threshold_kb));
    text +=
        fmt::format("{:.9f},{:.1f},{:.9f},{},{:.3f},{:.1f}\n", iteration,
                    static_cast<double>(variant.batch) / iteration, to_us(finished.result.exposed) / 1e6,
                    finished.result.traffic_fraction, finished.result.cpu_seconds, finished.result.memory_mb);
  }
  return text;
}

std::vector<Figure> sweep_figures(const std::vector<StudyRow>& rows) {
  const std::vector<CoDesign> designs = co_designs(rows);
  std::vector<Figure> figures;
  for (const CoDesign& of : designs) {
    if (of.work.nodes == most_nodes(designs) && of.work.changes.empty() && of.work.variant == "baseline")
      figures.push_back(tornado(rows, designs, of));
  }
  return figures;
}

}  // namespace overture::study::opera_dlrm
