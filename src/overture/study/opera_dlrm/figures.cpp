#include "overture/study/opera_dlrm/figures.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "overture/study/chart.h"

namespace overture::study::opera_dlrm {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::string contender(const Cell& cell) {
  return fmt::format("{} {}", name(cell.network), all_reduce_name(cell.all_reduce));
}

// The fat tree first, then TopoOpt, then Opera, as in the paper.
std::tuple<int, int> rank_of(const Cell& cell) {
  const auto all_reduce = std::ranges::find_if(
      system::kAlgorithms, [&](const system::AlgorithmFacts* one) { return cell.all_reduce == *one; });
  return {static_cast<int>(cell.network), static_cast<int>(all_reduce - system::kAlgorithms.begin())};
}

char letter(const std::string& model) { return static_cast<char>(model.front() - 'A' + 'a'); }

// Rows of one model and variant as published, without changes.
struct Group {
  std::string model;
  std::string variant;
  std::vector<const StudyRow*> rows;

  std::vector<int> nodes() const {
    std::set<int> counts;
    for (const StudyRow* row : rows) counts.insert(row->cell.nodes);
    return {counts.begin(), counts.end()};
  }
  std::vector<Cell> contenders() const {
    std::map<std::tuple<int, int>, Cell> each;
    for (const StudyRow* row : rows) each.emplace(rank_of(row->cell), row->cell);
    std::vector<Cell> cells;
    for (const auto& [rank, cell] : each) cells.push_back(cell);
    return cells;
  }
  const StudyRow* find(const Cell& like, int nodes) const {
    for (const StudyRow* row : rows) {
      if (rank_of(row->cell) == rank_of(like) && row->cell.nodes == nodes) return row;
    }
    return nullptr;
  }
};

std::vector<Group> groups_of(const std::vector<StudyRow>& rows) {
  std::vector<Group> groups;
  for (const StudyRow& row : rows) {
    if (!row.cell.changes.empty()) continue;
    const auto same = std::ranges::find_if(
        groups, [&](const Group& g) { return g.model == row.cell.model && g.variant == row.cell.variant; });
    Group& group =
        same != groups.end() ? *same : groups.emplace_back(Group{row.cell.model, row.cell.variant, {}});
    group.rows.push_back(&row);
  }
  return groups;
}

std::string setting_text(const Cell& cell) {
  const std::string setting = cell.setting.name();
  return setting == "published" ? "as published" : setting;
}

std::string published_caption(const Group& group) {
  if (group.rows.front()->cell.setting == Setting::published())
    return "Black lines and hollow marks are the published times, under the same conditions.";
  return "Black lines and hollow marks are the published times, which have every artefact of the published "
         "runs: ours "
         "are not meant to agree with them.";
}

double published_seconds_of(const Cell& cell) {
  const auto time = published_time(cell);
  return time ? to_us(time->iteration) / 1e6 : kNone;
}

ColumnChart time_bars(const Group& group) {
  const Cell& first = group.rows.front()->cell;
  ColumnChart chart{.title = fmt::format("Model {}, {}: iteration time, {}", group.model, group.variant,
                                         setting_text(first)),
                    .x = "nodes",
                    .y = "iteration, s",
                    .log_y = true};
  for (const int nodes : group.nodes()) chart.groups.push_back(fmt::format("{}", nodes));
  for (const Cell& like : group.contenders()) {
    ColumnSeries series{.name = contender(like), .colour = contender_colour(like)};
    for (const int nodes : group.nodes()) {
      const StudyRow* row = group.find(like, nodes);
      Cell there = like;
      there.nodes = nodes;
      series.values.push_back(row == nullptr ? kNone : row->mean_seconds());
      series.published.push_back(published_seconds_of(there));
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

void add_times(std::vector<Figure>& figures, const Group& group) {
  const ColumnChart chart = time_bars(group);
  figures.push_back({fmt::format("{}_{}.svg", short_name(group.variant), letter(group.model)), to_svg(chart),
                     chart.title, published_caption(group)});
}

void add_scaling(std::vector<Figure>& figures, const Group& group) {
  if (group.variant != "baseline" || group.nodes().size() == 1) return;  // add_times() has the only bars
  Chart chart{.title = fmt::format("Model {}: iteration time over nodes, {}", group.model,
                                   setting_text(group.rows.front()->cell)),
              .x = "nodes",
              .y = "iteration, s",
              .log_x = true,
              .log_y = true};
  std::vector<Series> published;
  for (const Cell& like : group.contenders()) {
    Series ours{.name = contender(like), .colour = contender_colour(like)};
    Series theirs{.name = contender(like) + ", published", .colour = contender_colour(like), .line = false};
    for (const int nodes : group.nodes()) {
      Cell there = like;
      there.nodes = nodes;
      if (const StudyRow* row = group.find(like, nodes)) ours.points.emplace_back(nodes, row->mean_seconds());
      if (published_time(there)) theirs.points.emplace_back(nodes, published_seconds_of(there));
    }
    chart.series.push_back(std::move(ours));
    if (!theirs.points.empty()) published.push_back(std::move(theirs));
  }
  chart.series.insert(chart.series.end(), published.begin(), published.end());
  figures.push_back(
      {fmt::format("scaling-{}.svg", group.model), to_svg(chart), chart.title, published_caption(group)});
}

void add_traffic(std::vector<Figure>& figures, const Group& group) {
  BarChart chart{.title = fmt::format("Model {}, {}: what the bytes on the fat tree are for", group.model,
                                      group.variant),
                 .lower = "all-reduce",
                 .upper = "features, gradients",
                 .mark = "published"};
  for (const StudyRow* row : group.rows) {
    if (row->cell.network != StudyNetwork::fat_tree || row->cell.all_reduce != kRing) continue;
    chart.bars.push_back({.name = fmt::format("{} nodes", row->cell.nodes),
                          .share = row->results.front().traffic_fraction,
                          .mark = published_traffic_fraction(row->cell).value_or(-1)});
  }
  if (chart.bars.empty()) return;
  figures.push_back(
      {fmt::format("{}_traffic_{}.svg", short_name(group.variant), letter(group.model)), to_svg(chart),
       chart.title,
       "The all-reduces' share of all bytes grows with the nodes: the tables stay the same, the "
       "dense layers are on every node."});
}

// The paper's figure 3: few tables, and thus a large share of all-reduces, on the right.
void add_table_counts(std::vector<Figure>& figures, const std::vector<StudyRow>& rows) {
  std::map<std::pair<std::string, int>, std::map<std::tuple<int, int>, Series>> charts;
  for (const StudyRow& row : rows) {
    if (!row.cell.changes.of(Knob::tables)) continue;
    Series& series = charts[{row.cell.model, row.cell.nodes}][rank_of(row.cell)];
    series.name = contender(row.cell);
    series.colour = contender_colour(row.cell);
    series.points.emplace_back(100 * row.results.front().traffic_fraction, row.mean_seconds());
    series.labels.push_back(fmt::format("{}", tables_of(row.cell)));
  }
  for (auto& [work, by_contender] : charts) {
    Chart chart{.title = fmt::format("Model {}, {} nodes: iteration time and all-reduce traffic by tables",
                                     work.first, work.second),
                .x = "all-reduces' share of the bytes, %",
                .y = "iteration, s",
                .log_y = true};
    for (auto& [rank, series] : by_contender) {
      if (!chart.series.empty()) series.labels.clear();  // once is enough
      chart.series.push_back(series);
    }
    figures.push_back(
        {fmt::format("tables_{}_{}.svg", letter(work.first), work.second), to_svg(chart), chart.title,
         "The numbers beside the marks are numbers of tables. Fewer tables: a larger share of all-reduces."});
  }
}

bool shows_ends(const Cell& cell) {
  return cell.network == StudyNetwork::opera      ? cell.all_reduce == kDps
         : cell.network == StudyNetwork::fat_tree ? cell.all_reduce == kRing
                                                  : false;
}

// Both networks in one picture, as the paper compares them: a ring on the fat tree, DPS on Opera.
void add_task_ends(std::vector<Figure>& figures, const Group& group) {
  for (const int nodes : group.nodes()) {
    StripChart chart{
        .title = fmt::format("Model {}, {}, {} nodes: when tasks ended", group.model, group.variant, nodes),
        .x = "time, s"};
    for (const StudyRow* row : group.rows) {
      if (row->cell.nodes != nodes || !shows_ends(row->cell)) continue;
      StripSeries series{.name = contender(row->cell), .colour = contender_colour(row->cell)};
      chart.rows.clear();
      for (const TaskEnds& ends : row->results.front().ends) {
        chart.rows.push_back(ends.kind);
        series.values.push_back(ends.seconds);
      }
      chart.series.push_back(std::move(series));
    }
    if (chart.series.empty()) continue;
    figures.push_back(
        {fmt::format("{}_tasks_{}_{}.svg", short_name(group.variant), letter(group.model), nodes),
         to_svg(chart), chart.title,
         "Each tick is a hundredth of the tasks of its kind; the thick one is the last."});
  }
}

}  // namespace

std::string contender_colour(const Cell& cell) {
  const bool ring = cell.all_reduce == kRing;
  const bool dps = cell.all_reduce == kDps;
  if (cell.network == StudyNetwork::topoopt) return colour(2);
  if (cell.network == StudyNetwork::fat_tree) return ring ? colour(0) : dps ? colour(5) : "#4a6fa5";
  return dps ? colour(1) : ring ? colour(4) : "#b5651d";
}

std::vector<Figure> study_figures(const std::vector<StudyRow>& rows) {
  std::vector<Figure> figures;
  const std::vector<Group> groups = groups_of(rows);
  for (const Group& group : groups) add_scaling(figures, group);
  for (const Group& group : groups) {
    add_times(figures, group);
    add_traffic(figures, group);
    add_task_ends(figures, group);
  }
  add_table_counts(figures, rows);
  return figures;
}

}  // namespace overture::study::opera_dlrm
