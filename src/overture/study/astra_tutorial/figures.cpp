#include <algorithm>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "overture/study/astra_tutorial/findings.h"
#include "overture/study/astra_tutorial/published.h"
#include "overture/study/chart.h"

namespace overture::study::astra_tutorial {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

ColumnChart layer_chart(const CellTimes& run, const std::string& title, const std::string& y, bool stacked) {
  ColumnChart chart{
      .title = fmt::format("{}, {} nodes ({})", title, nodes_of(run.cell.shape), shape_name(run.cell.shape)),
      .x = "layer, from the first",
      .y = y,
      .stacked = stacked};
  for (const LayerTimes& layer : run.layers) chart.groups.push_back(layer.name);
  return chart;
}

ColumnSeries layer_series(const CellTimes& run, const std::string& name, std::size_t number,
                          const std::function<double(const LayerTimes&)>& value) {
  ColumnSeries series{.name = name, .colour = colour(number)};
  for (const LayerTimes& layer : run.layers) series.values.push_back(value(layer));
  return series;
}

// The slides print the first layers of one shape only.
std::vector<double> published_of(const CellTimes& run, double PublishedLayer::*member) {
  if (run.cell.shape != kPrintedShape || run.cell.compute_scale != 1) return {};
  std::vector<double> values(run.layers.size(), kNone);
  const auto rows = published_layers();
  for (std::size_t l = 0; l < std::min(rows.size(), values.size()); ++l) values[l] = rows[l].*member;
  return values;
}

Figure raw_figure(const CellTimes& run) {
  ColumnChart chart = layer_chart(run, "Raw communication per layer", "us", false);
  chart.series.push_back(
      layer_series(run, "raw communication", 0, [](const LayerTimes& l) { return l.communication; }));
  chart.series.back().published = published_of(run, &PublishedLayer::communication);
  return {.file = fmt::format("raw-communication-{}.svg", shape_name(run.cell.shape)),
          .svg = to_svg(chart),
          .title = chart.title,
          .caption =
              "From the issue of a layer's all-reduce to its end, both iterations. It depends on the size "
              "and on what waits before it: the newest goes first."};
}

Figure exposed_figure(const CellTimes& run) {
  ColumnChart chart = layer_chart(run, "Compute against exposed communication per layer", "us", false);
  chart.series.push_back(layer_series(run, "compute", 0, [](const LayerTimes& l) { return l.compute(); }));
  chart.series.push_back(
      layer_series(run, "exposed communication", 1, [](const LayerTimes& l) { return l.exposed; }));
  chart.series.back().published = published_of(run, &PublishedLayer::exposed);
  double charged = 0;
  for (const LayerTimes& layer : run.layers) charged += layer.exposed;
  return {.file = fmt::format("compute-exposed-{}.svg", shape_name(run.cell.shape)),
          .svg = to_svg(chart),
          .title = chart.title,
          .caption =
              fmt::format("Of {:.1f} us of exposed communication, ASTRA-sim's account charges {:.1f} us to "
                          "layers.",
                          run.exposed, charged)};
}

Figure phases_figure(const CellTimes& run, bool queueing) {
  ColumnChart chart =
      layer_chart(run, queueing ? "Queueing per phase and layer" : "Message delay per phase and layer",
                  "us, mean of a chunk", true);
  std::size_t phases = 0;
  for (const LayerTimes& layer : run.layers)
    phases = std::max(phases, queueing ? layer.queueing.size() : layer.messaging.size());
  for (std::size_t p = 0; p < phases; ++p) {
    const std::size_t number = queueing ? p : p + 1;
    chart.series.push_back(
        layer_series(run, fmt::format("phase {}", number), number, [&](const LayerTimes& layer) {
          const auto& values = queueing ? layer.queueing : layer.messaging;
          return p < values.size() ? values[p] : kNone;
        }));
  }
  return {.file = fmt::format("{}-{}.svg", queueing ? "queueing" : "messages", shape_name(run.cell.shape)),
          .svg = to_svg(chart),
          .title = chart.title,
          .caption = queueing
                         ? "How long a chunk waits before each phase. Phase 0 is the wait before the first."
                         : "How long a message of each phase is on its way."};
}

Figure totals_figure(const std::string& file, const std::string& title, const std::string& x,
                     const std::vector<const CellTimes*>& runs, const std::vector<std::string>& names) {
  ColumnChart chart{.title = title, .x = x, .y = "us, two iterations", .stacked = true, .groups = names};
  chart.series = {{.name = "compute", .colour = colour(0)},
                  {.name = "exposed communication", .colour = colour(1)}};
  std::string shares;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    chart.series[0].values.push_back(runs[i]->compute);
    chart.series[1].values.push_back(runs[i]->exposed);
    shares += fmt::format("{}{}: {:.2f}", i == 0 ? "" : ", ", names[i], runs[i]->exposed / runs[i]->compute);
  }
  return {.file = file,
          .svg = to_svg(chart),
          .title = title,
          .caption = "Exposed communication over compute: " + shares + "."};
}

}  // namespace

std::vector<Figure> tutorial_figures(const TutorialPlan& plan, const std::vector<CellTimes>& times) {
  std::vector<Figure> figures;
  std::vector<Shape> shapes{plan.drawn};
  if (plan.drawn != kPrintedShape) shapes.push_back(kPrintedShape);
  for (const Shape& shape : shapes) {
    const CellTimes* run = find_cell(times, {shape});
    if (run == nullptr) continue;
    figures.push_back(raw_figure(*run));
    figures.push_back(exposed_figure(*run));
    figures.push_back(phases_figure(*run, true));
    figures.push_back(phases_figure(*run, false));
  }
  const auto nodes = runs_by_nodes(plan, times);
  std::vector<std::string> names;
  for (const CellTimes* run : nodes)
    names.push_back(fmt::format("{} ({})", nodes_of(run->cell.shape), shape_name(run->cell.shape)));
  if (!nodes.empty())
    figures.push_back(
        totals_figure("nodes.svg", "Compute and exposed communication by nodes", "nodes", nodes, names));
  const auto faster = runs_by_speed(plan, times);
  names.clear();
  for (const CellTimes* run : faster) names.push_back(fmt::format("{:g}x", 1 / run->cell.compute_scale));
  if (!faster.empty())
    figures.push_back(totals_figure("enhanced-compute.svg",
                                    fmt::format("Faster nodes, {} nodes", nodes_of(plan.drawn)),
                                    "times as fast in compute", faster, names));
  return figures;
}

}  // namespace overture::study::astra_tutorial
