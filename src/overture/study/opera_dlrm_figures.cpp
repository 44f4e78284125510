#include "overture/study/opera_dlrm_figures.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "overture/study/chart.h"

namespace overture::study {
namespace {

using system::AlgorithmKind;

std::string contender(const Cell& cell) {
  return fmt::format("{} {}", name(cell.network), all_reduce_name(cell.all_reduce));
}

// Lines in the order of their contenders, each with points sorted from left to right.
std::vector<Series> lines(const std::map<std::string, Series>& by_name) {
  std::vector<Series> all;
  for (const auto& [key, series] : by_name) {
    all.push_back(series);
    all.back().colour = colour(all.size() - 1);
    std::ranges::sort(all.back().points);
  }
  return all;
}

void add_published(std::vector<Series>& series, const std::vector<const StudyRow*>& rows) {
  const std::size_t ours = series.size();
  for (std::size_t i = 0; i < ours; ++i) {
    Series published{.name = series[i].name + ", published", .colour = series[i].colour, .line = false};
    for (const StudyRow* row : rows) {
      const auto time = published_time(row->cell);
      if (time && contender(row->cell) == series[i].name)
        published.points.emplace_back(row->cell.nodes, to_us(time->iteration) / 1e6);
    }
    if (!published.points.empty()) series.push_back(published);
  }
}

void add_scaling(std::vector<Figure>& figures, const std::vector<StudyRow>& rows) {
  for (const std::string model : {"A", "I"}) {
    std::map<std::string, Series> by_name;
    std::vector<const StudyRow*> shown;
    for (const StudyRow& row : rows) {
      if (row.cell.model != model || row.cell.variant != "baseline" || !row.cell.changes.empty()) continue;
      Series& series = by_name[contender(row.cell)];
      series.name = contender(row.cell);
      series.points.emplace_back(row.cell.nodes, row.mean_seconds());
      shown.push_back(&row);
    }
    if (shown.empty()) continue;
    Chart chart{.title = fmt::format("Model {}: iteration time over nodes, setting {}", model,
                                     shown.front()->cell.setting.name()),
                .x = "nodes",
                .y = "iteration, s",
                .log_x = true,
                .log_y = true,
                .series = lines(by_name)};
    add_published(chart.series, shown);
    figures.push_back({fmt::format("scaling-{}.svg", model), to_svg(chart)});
  }
}

void add_traffic(std::vector<Figure>& figures, const std::vector<StudyRow>& rows) {
  BarChart chart{.title = "What the bytes on the fat tree are for",
                 .lower = "all-reduce",
                 .upper = "features, gradients",
                 .mark = "published"};
  for (const StudyRow& row : rows) {
    const Cell& cell = row.cell;
    if (cell.network != StudyNetwork::fat_tree || cell.all_reduce != AlgorithmKind::lockstep_ring ||
        cell.variant != "baseline" || !cell.changes.empty())
      continue;
    chart.bars.push_back({.name = fmt::format("{} {}", cell.model, cell.nodes),
                          .share = row.results.front().traffic_fraction,
                          .mark = published_traffic_fraction(cell).value_or(-1)});
  }
  if (!chart.bars.empty()) figures.push_back({"traffic.svg", to_svg(chart)});
}

void add_table_counts(std::vector<Figure>& figures, const std::vector<StudyRow>& rows) {
  std::map<std::string, Series> by_name;
  for (const StudyRow& row : rows) {
    if (!row.cell.changes.of(Knob::tables)) continue;
    Series& series = by_name[fmt::format("{} {} {}", row.cell.model, row.cell.nodes, contender(row.cell))];
    series.name = contender(row.cell);
    series.points.emplace_back(tables_of(row.cell), row.mean_seconds());
  }
  if (by_name.empty()) return;
  const Chart chart{.title = "Iteration time over the number of tables",
                    .x = "tables",
                    .y = "iteration, s",
                    .log_x = true,
                    .log_y = true,
                    .series = lines(by_name)};
  figures.push_back({"tables.svg", to_svg(chart)});
}

// Of one comparison: what ended when, the fat tree drawn through, Opera dashed.
void add_task_ends(std::vector<Figure>& figures, const std::vector<StudyRow>& rows) {
  if (rows.empty()) return;
  const Cell& first = rows.front().cell;
  Chart chart{.title = fmt::format("Model {}, {}, {} nodes: tasks ended by then", first.model, first.variant,
                                   first.nodes),
              .x = "time, s",
              .y = "share of tasks, %"};
  for (const StudyRow& row : rows) {
    Cell same = row.cell;
    same.network = first.network;
    same.all_reduce = first.all_reduce;
    const bool opera = row.cell.network == StudyNetwork::opera;
    const AlgorithmKind shown =
        opera ? AlgorithmKind::distributed_parameter_server : AlgorithmKind::lockstep_ring;
    if (!(same == first) || row.cell.all_reduce != shown) continue;
    std::size_t number = 0;
    for (const TaskEnds& ends : row.results.front().ends) {
      Series series{.name = fmt::format("{} {}", contender(row.cell), ends.kind),
                    .colour = colour(number++),
                    .marks = false,
                    .dashed = opera};
      for (std::size_t i = 0; i < ends.seconds.size(); ++i)
        series.points.emplace_back(ends.seconds[i], static_cast<double>(i));
      chart.series.push_back(std::move(series));
    }
  }
  if (!chart.series.empty()) figures.push_back({"task-ends.svg", to_svg(chart)});
}

}  // namespace

std::vector<Figure> study_figures(const std::vector<StudyRow>& rows) {
  std::vector<Figure> figures;
  add_scaling(figures, rows);
  add_traffic(figures, rows);
  add_table_counts(figures, rows);
  add_task_ends(figures, rows);
  return figures;
}

}  // namespace overture::study
