#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "overture/base/table.h"
#include "overture/study/chart.h"
#include "overture/study/hoti_dlrm/measures.h"
#include "overture/study/hoti_dlrm/report.h"

namespace overture::study::hoti {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Rows of text cells: all of them as CSV, and the first few, with shorter heads, for the terminal.
class Rows {
 public:
  Rows(const std::vector<std::string>& shown, const std::vector<std::string>& head)
      : shown_(static_cast<std::ptrdiff_t>(shown.size())), table_(shown), csv_(joined(head)) {}
  void add(const std::vector<std::string>& cells) {
    table_.add({cells.begin(), cells.begin() + shown_});
    csv_ += joined(cells);
    ++count_;
  }
  int count() const { return count_; }
  std::string text() const { return table_.text(); }
  const std::string& csv() const { return csv_; }

 private:
  static std::string joined(const std::vector<std::string>& cells) {
    std::string line;
    for (const std::string& cell : cells) {
      const bool quoted = cell.find(',') != std::string::npos;
      line += (line.empty() ? "" : ",") + (quoted ? '"' + cell + '"' : cell);
    }
    return line + '\n';
  }

  std::ptrdiff_t shown_;
  Table table_;
  std::string csv_;
  int count_ = 0;
};

// A system has its colour in every figure, whichever others were run.
std::string colour_of(const SystemSetup& system) {
  return colour(static_cast<std::size_t>(&system - systems().data()));
}

std::string ms(double us) { return fmt::format("{:.3f}", us / 1e3); }

std::vector<const CellResult*> run_systems(const Results& results) {
  std::vector<const CellResult*> found;
  for (const SystemSetup& system : systems()) {
    const CellResult* cell = results.system(system.name);
    if (cell == nullptr) cell = results.fluid(system.name);
    if (cell != nullptr) found.push_back(cell);
  }
  return found;
}

Section section(const std::string& name, const std::string& title, const Rows& rows, std::string svg,
                const std::string& caption) {
  return {.title = title,
          .text = rows.text(),
          .table = {.file = name + ".csv", .text = rows.csv()},
          .figure = {.file = name + ".svg", .svg = std::move(svg), .title = title, .caption = caption}};
}

// Layers in the order of the first iteration's collectives; forward and backward all-to-all are two bars.
std::vector<std::pair<std::string, std::string>> exchanges_of(const CellResult& result) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const CollectiveRow& row : result.collectives) {
    if (row.iteration == 1) names.emplace_back(row.layer, row.pass);
  }
  return names;
}

std::string bar_name(const std::pair<std::string, std::string>& exchange) {
  if (exchange.first != "Embedding") return exchange.first;
  return exchange.second == "forward" ? "all-to-all forward" : "all-to-all backward";
}

Section raw_latency(const std::vector<const CellResult*>& cells) {
  std::vector<std::string> shown{"us"};
  std::vector<std::string> head{"layer"};
  ColumnChart chart{
      .title = "Raw latency per layer, first iteration", .x = "in the order of issue", .y = "us"};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    shown.push_back(cells[i]->cell.system);
    head.push_back(cells[i]->cell.system + "_us");
    chart.series.push_back(
        {.name = cells[i]->cell.system, .colour = colour_of(system_named(cells[i]->cell.system))});
  }
  Rows rows(shown, head);
  for (const auto& exchange : exchanges_of(*cells.front())) {
    std::vector<std::string> line{bar_name(exchange)};
    chart.groups.push_back(bar_name(exchange));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const CollectiveRow* row = collective(*cells[i], 1, exchange.first, exchange.second);
      line.push_back(row == nullptr ? "-" : fmt::format("{:.1f}", row->latency_us));
      chart.series[i].values.push_back(row == nullptr ? kNone : row->latency_us);
    }
    rows.add(line);
  }
  return section(
      "raw-latency", chart.title, rows, to_svg(chart),
      "From the issue of a collective to its end. The newest goes first (LIFO): layers that are issued "
      "early are overtaken by later ones and take longest. The slides' bars are not known.");
}

Section end_to_end(const std::vector<const CellResult*>& cells) {
  Rows rows(
      {"system", "compute ms", "exposed ms", "total ms", "at Top_0 us"},
      {"system", "compute_ms", "exposed_ms", "total_ms", "exposed_at_MLP_Top_0_us", "drops", "timeouts"});
  ColumnChart chart{.title = "End to end, two iterations", .x = "", .y = "ms", .stacked = true};
  chart.series = {{.name = "compute", .colour = colour(0)},
                  {.name = "exposed communication", .colour = colour(1)}};
  for (const CellResult* cell : cells) {
    rows.add({cell->cell.system, ms(cell->compute_us), ms(cell->exposed_us), ms(cell->finished_us),
              fmt::format("{:.1f}", exposed_exchange(*cell, 1)), fmt::format("{}", cell->drops),
              fmt::format("{}", cell->timeouts)});
    chart.groups.push_back(cell->cell.system);
    chart.series[0].values.push_back(cell->compute_us / 1e3);
    chart.series[1].values.push_back(cell->exposed_us / 1e3);
  }
  return section(
      "end-to-end", chart.title, rows, to_svg(chart),
      "Compute and exposed communication of two iterations (figure 12 of the paper, whose bars are not "
      "known). Computing is the same everywhere.");
}

Section ratios(const std::vector<const CellResult*>& cells) {
  Rows rows({"system", "iteration ms", "over the fastest", "over Flat100G"},
            {"system", "iteration_ms", "over_fastest", "over_Flat100G"});
  ColumnChart chart{.title = "Iteration time over the fastest system", .x = "", .y = "x"};
  chart.series = {{.name = "over the fastest", .colour = colour(2)}};
  const auto time = [](const CellResult* cell) { return cell->finished_us; };
  const auto [fastest, slowest] = std::ranges::minmax_element(cells, {}, time);
  const auto flat = std::ranges::find(cells, "Flat100G", [](const CellResult* c) { return c->cell.system; });
  // The slides say 3 for the two of all four that differ most.
  const bool comparable = cells.size() == systems().size();
  for (const CellResult* cell : cells) {
    const double over = cell->finished_us / (*fastest)->finished_us;
    rows.add({cell->cell.system, ms(cell->iteration_us()), fmt::format("{:.2f}", over),
              flat == cells.end() ? "-" : fmt::format("{:.2f}", cell->finished_us / (*flat)->finished_us)});
    chart.groups.push_back(cell->cell.system);
    chart.series[0].values.push_back(over);
    const double published = cell == *slowest ? 3 : cell == *fastest ? 1 : kNone;
    if (comparable) chart.series[0].published.push_back(published);
  }
  return section("ratio", chart.title, rows, to_svg(chart),
                 comparable ? "The published line is the slides' \"3X difference in total iteration time\", "
                              "between the slowest and the fastest."
                            : "The slides say \"3X difference in total iteration time\" of all four.");
}

bool was_run(const Results& results, const Axis& axis, const SystemSetup& system) {
  return std::ranges::any_of(axis.values, [&](const AxisValue& value) {
    return results.find(axis.name, value.label, system.name) != nullptr;
  });
}

// One line per value, one column per system: iteration time and how it compares with the default.
std::optional<Section> axis_section(const Results& results, const Axis& axis, const std::string& name,
                                    const std::string& title, const std::string& caption) {
  std::vector<std::string> shown{axis.name + ", ms"};
  std::vector<std::string> head{axis.name};
  ColumnChart chart{.title = title,
                    .x = axis.row.empty() ? axis.name : axis.row,
                    .y = "ms per iteration",
                    .log_y = axis.name == "injection"};  // from 4 to hundreds of ms
  std::vector<const SystemSetup*> columns;
  for (const SystemSetup& system : systems()) {
    if (!concerns(axis, system) || !was_run(results, axis, system)) continue;
    columns.push_back(&system);
    shown.push_back(system.name);
    head.push_back(system.name + "_ms");
    chart.series.push_back({.name = system.name, .colour = colour_of(system)});
  }
  for (const SystemSetup* system : columns) head.push_back(system->name + "_over_default");
  Rows rows(shown, head);
  int values = 0;
  for (const AxisValue& value : axis.values) {
    std::vector<std::string> line{value.label};
    std::vector<std::string> factors;
    chart.groups.push_back(value.label);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const CellResult* cell = results.find(axis.name, value.label, columns[i]->name);
      const CellResult* usual = results.system(columns[i]->name);
      values += cell != nullptr && cell != usual ? 1 : 0;
      line.push_back(cell == nullptr ? "-" : ms(cell->iteration_us()));
      const bool both = cell != nullptr && usual != nullptr;
      factors.push_back(both ? fmt::format("{:.3f}", cell->finished_us / usual->finished_us) : "-");
      chart.series[i].values.push_back(cell == nullptr ? kNone : cell->iteration_us() / 1e3);
    }
    line.insert(line.end(), factors.begin(), factors.end());
    rows.add(line);
  }
  if (values == 0) return std::nullopt;
  return section(name, title, rows, to_svg(chart), caption);
}

std::optional<Section> single_section(const Results& results) {
  const auto over = over_bound(results);
  if (over.empty()) return std::nullopt;
  Rows rows({"all-reduce of 8 MiB", "us", "x bound", "drops", "timeouts"},
            {"all_reduce", "us", "over_bound", "drops", "timeouts"});
  ColumnChart chart{
      .title = "Analytical against packets: one all-reduce on Flat100G", .x = "", .y = "x", .log_y = true};
  chart.series = {{.name = "time over the bandwidth bound", .colour = colour(0)}};
  for (const Measured& one : over) {
    const CellResult* cell = results.single("all-reduce", one.name);
    rows.add({one.name, fmt::format("{:.1f}", cell->finished_us), fmt::format("{:.2f}", one.value),
              fmt::format("{}", cell->drops), fmt::format("{}", cell->timeouts)});
    chart.groups.push_back(one.name);
    chart.series[0].values.push_back(one.value);
  }
  return section("single-all-reduce", chart.title, rows, to_svg(chart),
                 "One layer of 2048 x 2048 in 16 bits. The bound is 2 (n - 1) / n of the data at the "
                 "link's rate; the closed form is ASTRA-sim's. The slides say \"up to 50X\".");
}

std::optional<Section> fluid_section(const Results& results) {
  Rows rows({"run", "packets ms", "fluid ms", "error"}, {"run", "packets_ms", "fluid_ms", "error"});
  ColumnChart chart{.title = "As a fluid against packet by packet", .x = "", .y = "ms per iteration"};
  chart.series = {{.name = "packets", .colour = colour(0)}, {.name = "fluid", .colour = colour(1)}};
  std::vector<Measured> errors;  // in percent
  const auto add = [&](const std::string& name, const CellResult* packets, const CellResult* fluid) {
    if (packets == nullptr || fluid == nullptr) return;
    errors.push_back({name, 100 * (fluid->finished_us / packets->finished_us - 1)});
    rows.add({name, ms(packets->iteration_us()), ms(fluid->iteration_us()),
              fmt::format("{:+.1f} %", errors.back().value)});
    chart.groups.push_back(name);
    chart.series[0].values.push_back(packets->iteration_us() / 1e3);
    chart.series[1].values.push_back(fluid->iteration_us() / 1e3);
  };
  for (const SystemSetup& system : systems())
    add(system.name, results.system(system.name), results.fluid(system.name));
  for (const char* single : {"DBT", "A2A, 1 chunk"})
    add(fmt::format("one all-reduce, {}", single), results.single("all-reduce", single),
        results.single("all-reduce", fmt::format("{}, fluid", single)));
  if (rows.count() == 0) return std::nullopt;
  const auto [least, most] = std::ranges::minmax_element(errors, {}, &Measured::value);
  return section("fluid", chart.title, rows, to_svg(chart),
                 fmt::format("network.backend: flow shares links fairly and has neither headers, windows nor "
                             "queues. Against packets it is between {:+.1f} % ({}) and {:+.1f} % ({}).",
                             least->value, least->name, most->value, most->name));
}

// Of the cells of one axis or of another group, in the order in which they ran.
struct GroupCost {
  std::string group;
  int cells = 0;
  double cpu_seconds = 0;
  const CellResult* dearest = nullptr;
  double peak_mib = 0;
};

std::vector<GroupCost> costs_of(const Results& results) {
  std::vector<GroupCost> groups;
  for (const CellResult& result : results.all()) {
    if (!result.cost) continue;
    auto group = std::ranges::find(groups, result.cell.group, &GroupCost::group);
    if (group == groups.end()) group = groups.insert(group, {.group = result.cell.group});
    ++group->cells;
    group->cpu_seconds += result.cost->cpu_seconds;
    group->peak_mib = std::max(group->peak_mib, result.cost->peak_mib);
    if (group->dearest == nullptr || result.cost->cpu_seconds > group->dearest->cost->cpu_seconds)
      group->dearest = &result;
  }
  return groups;
}

std::optional<Section> cost_section(const Results& results) {
  const std::vector<GroupCost> groups = costs_of(results);
  if (groups.empty()) return std::nullopt;
  Rows rows({"cells of", "cells", "CPU s", "dearest s", "peak MiB"},
            {"group", "cells", "cpu_s", "dearest_s", "peak_MiB", "dearest"});
  ColumnChart chart{.title = "What the study cost", .x = "", .y = "CPU minutes"};
  chart.series = {{.name = "all cells", .colour = colour(3)}};
  GroupCost all{.group = "all"};
  const auto add = [&](const GroupCost& group) {
    rows.add({group.group, fmt::format("{}", group.cells), fmt::format("{:.0f}", group.cpu_seconds),
              fmt::format("{:.1f}", group.dearest->cost->cpu_seconds), fmt::format("{:.0f}", group.peak_mib),
              name(group.dearest->cell)});
  };
  for (const GroupCost& group : groups) {
    add(group);
    chart.groups.push_back(group.group);
    chart.series[0].values.push_back(group.cpu_seconds / 60);
    all.cells += group.cells;
    all.cpu_seconds += group.cpu_seconds;
    all.peak_mib = std::max(all.peak_mib, group.peak_mib);
    if (all.dearest == nullptr || group.dearest->cost->cpu_seconds > all.dearest->cost->cpu_seconds)
      all.dearest = group.dearest;
  }
  add(all);
  return section(
      "cost", chart.title, rows, to_svg(chart),
      "CPU time and memory of the cells on the machine that ran them, every cell a process of its own.");
}

std::string caption_of(const Axis& axis) {
  if (axis.name == "injection")
    return "Memory copies: what every message waits before it is sent and after it has come.";
  if (axis.name == "buffer")
    return "Buffer of the switch between all NICs; shared by its ports, or an equal part for each.";
  if (axis.name == "concurrency") return "Chunks of a collective x chunks that run at a time.";
  return axis.row.empty() ? "The slides do not say; the first value is our reading."
                          : "A row of the slides' table.";
}

std::string file_of(const Axis& axis) {
  if (axis.name == "injection") return "memory-copies";
  if (axis.name == "buffer") return "switch-buffer";
  return axis.name;
}

std::string title_of(const Axis& axis) {
  if (axis.name == "injection") return "Effect of memory copies";
  if (axis.name == "buffer") return "Effect of the switch buffer";
  if (axis.name == "concurrency") return "Effect of concurrency and pipelining";
  return fmt::format("Effect of: {}", axis.row.empty() ? axis.name : axis.row);
}

}  // namespace

std::vector<Section> sections(const Results& results) {
  std::vector<Section> all;
  const auto cells = run_systems(results);
  if (!cells.empty()) all = {raw_latency(cells), end_to_end(cells), ratios(cells)};
  if (auto single = single_section(results)) all.push_back(std::move(*single));
  for (const Axis& axis : axes()) {
    if (auto found = axis_section(results, axis, file_of(axis), title_of(axis), caption_of(axis)))
      all.push_back(std::move(*found));
  }
  if (auto fluid = fluid_section(results)) all.push_back(std::move(*fluid));
  if (auto cost = cost_section(results)) all.push_back(std::move(*cost));
  return all;
}

}  // namespace overture::study::hoti
