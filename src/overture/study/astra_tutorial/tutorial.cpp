#include "overture/study/astra_tutorial/tutorial.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/text.h"
#include "overture/study/astra_tutorial/published.h"

namespace overture::study::astra_tutorial {
namespace {

using workload::PassKind;

constexpr std::size_t kDimensions = 3;
constexpr int kMostNodes = 1 << 16;

LayerTimes layer_times(const std::string& name, const simulation::LayerAccount& account) {
  LayerTimes times{.name = name,
                   .forward = to_us(account.of(PassKind::forward).compute),
                   .weight_gradient = to_us(account.of(PassKind::weight_gradient).compute),
                   .input_gradient = to_us(account.of(PassKind::input_gradient).compute)};
  for (const simulation::PassAccount& pass : account.passes) {
    times.exposed += to_us(pass.exposed);
    times.communication += to_us(pass.communication);
  }
  const double collectives = std::max(1, account.collectives);
  for (const double ns : account.queueing_ns) times.queueing.push_back(ns / collectives / 1000);
  for (const double ns : account.network_ns) times.messaging.push_back(ns / collectives / 1000);
  return times;
}

}  // namespace

std::string shape_name(const Shape& shape) { return fmt::format("{}", fmt::join(shape, "x")); }

Shape parse_shape(std::string_view text) {
  Shape shape;
  const auto fail = [&] {
    throw UserError({.key = "--shapes"}, fmt::format("\"{}\" is not a shape of a 3-D torus", text),
                    "write three numbers such as 2x4x4; at most 65536 nodes");
  };
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find('x', start), text.size());
    const int number = parse_number<int>(std::string_view(text).substr(start, end - start)).value_or(0);
    if (number < 1 || number > kMostNodes) fail();
    shape.push_back(number);
    start = end + 1;
  }
  if (shape.size() != kDimensions || nodes_of(shape) > kMostNodes || nodes_of(shape) < 2) fail();
  return shape;
}

int nodes_of(const Shape& shape) {
  std::int64_t nodes = 1;
  for (const int size : shape) nodes = std::min<std::int64_t>(nodes * size, 2 * kMostNodes);
  return static_cast<int>(nodes);
}

std::string cell_name(const TutorialCell& cell) {
  const std::string shape = shape_name(cell.shape);
  return cell.compute_scale == 1 ? shape : fmt::format("{}.compute-{:g}", shape, cell.compute_scale);
}

std::vector<std::string> overrides(const TutorialCell& cell) {
  std::vector<std::string> keys;
  for (std::size_t d = 0; d < cell.shape.size(); ++d)
    keys.push_back(fmt::format("network.dimensions.{}.size={}", d, cell.shape[d]));
  if (cell.compute_scale != 1) keys.push_back(fmt::format("workload.compute_scale={:g}", cell.compute_scale));
  return keys;
}

std::vector<TutorialCell> cells_of(const TutorialPlan& plan) {
  std::vector<TutorialCell> cells;
  const auto add = [&](const TutorialCell& cell) {
    if (std::ranges::find(cells, cell) == cells.end()) cells.push_back(cell);
  };
  add({kPrintedShape});
  add({plan.drawn});
  for (const Shape& shape : plan.shapes) add({shape});
  for (const double scale : plan.compute_scales) add({plan.drawn, scale});
  return cells;
}

CellTimes times_of(const TutorialCell& cell, const workload::Workload& workload,
                   const simulation::SimulationResult& result) {
  CellTimes times{.cell = cell,
                  .finished = to_us(result.finished),
                  .compute = to_us(result.compute()),
                  .exposed = to_us(result.exposed())};
  for (std::size_t l = 0; l < workload.layers.size(); ++l)
    times.layers.push_back(layer_times(workload.layers[l].name, result.layers.at(l)));
  return times;
}

}  // namespace overture::study::astra_tutorial
