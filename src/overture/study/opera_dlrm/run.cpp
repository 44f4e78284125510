#include "overture/study/opera_dlrm/run.h"

#include <algorithm>
#include <cmath>

#include <sys/resource.h>

#include "overture/base/random.h"
#include "overture/study/opera_dlrm/networks.h"

namespace overture::study::opera_dlrm {
namespace {

using simulation::Timeline;
using workload::TaskGraph;

workload::DlrmArtefacts artefacts_of(const Setting& setting) {
  return {.int64_embeddings = setting.has(Artefact::int64_embeddings),
          .whole_packets = setting.has(Artefact::whole_packets),
          .early_ring_end = setting.has(Artefact::early_ring_end),
          .free_reduction_in_node = setting.has(Artefact::free_reduction_in_node),
          .separate_biases = setting.has(Artefact::separate_biases),
          .fitted_tables = setting.has(Artefact::fitted_tables),
          .tables_in_turn = setting.has(Artefact::tables_in_turn)};
}

// Tables with columns from 1/spread to spread times as many, evenly so in their logarithm, and the same
// number in all. The draw is one for all cells: placements and networks meet the same model.
void spread_columns(model::Dlrm& model, std::int64_t spread) {
  RandomStream random = RandomStreams(1).make("columns of tables");
  const std::int64_t all = model.pooled_columns();
  std::vector<double> wanted;
  double sum = 0;
  for (std::size_t t = 0; t < model.tables.size(); ++t) {
    wanted.push_back(std::pow(static_cast<double>(spread), 2 * random.unit() - 1));
    sum += wanted.back();
  }
  // Rounded so that what is left over goes on to the next: the sum is kept.
  double owed = 0;
  for (std::size_t t = 0; t < model.tables.size(); ++t) {
    owed += wanted[t] / sum * static_cast<double>(all);
    model.tables[t].columns = std::max<std::int64_t>(1, std::llround(owed));
    owed -= static_cast<double>(model.tables[t].columns);
  }
  model.top.front().inputs = model.interacted();
}

std::vector<double> quantiles(std::vector<double> values) {
  constexpr std::size_t kParts = 100;
  std::ranges::sort(values);
  std::vector<double> result;
  for (std::size_t i = 0; i <= kParts && !values.empty(); ++i)
    result.push_back(values[i * (values.size() - 1) / kParts]);
  return result;
}

std::vector<TaskEnds> ends_by_kind(const TaskGraph& graph, const Timeline& run) {
  std::vector<TaskEnds> kinds{
      {"features", {}}, {"gradients", {}}, {"table backward", {}}, {"all-reduce", {}}};
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    const std::string& label = graph.name(workload::TaskId{i});
    for (TaskEnds& each : kinds) {
      if (label.ends_with(each.kind)) each.seconds.push_back(to_us(run.end[i].time_since_epoch()) / 1e6);
    }
  }
  for (TaskEnds& each : kinds) each.seconds = quantiles(std::move(each.seconds));
  return kinds;
}

void add_costs(CellResult& result) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  result.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  result.memory_mb = static_cast<double>(usage.ru_maxrss) / 1000;  // the kernel counts kB
}

}  // namespace

workload::DlrmStep make_step(const Cell& cell, const model::DlrmCalibration& calibration) {
  const model::PublishedVariant variant = variant_of(cell);
  model::DlrmShape shape = variant.shape();
  shape.tables = tables_of(cell);
  workload::DlrmStep step{.model = model::make_dlrm(shape),
                          .batch = variant.batch,
                          .nodes = cell.nodes,
                          .all_reduce = cell.all_reduce,
                          .compute = {.by = calibration},
                          .artefacts = artefacts_of(cell.setting)};
  step.placement = static_cast<model::PlacementRule>(
      cell.changes.value_or(Knob::placement, static_cast<std::int64_t>(model::PlacementRule::round_robin)));
  if (const auto spread = cell.changes.of(Knob::column_spread)) spread_columns(step.model, *spread);
  fit_to_network(cell, step);
  return step;
}

CellResult run_cell(const Cell& cell) { return run_cell(cell, study_calibration(cell.model)); }

CellResult run_cell(const Cell& cell, const model::DlrmCalibration& calibration) {
  require_runnable(cell);
  const workload::DlrmStep step = make_step(cell, calibration);
  const TaskGraph graph = dlrm_tasks(step);
  const PlayedCell played = play(cell, step, graph);
  CellResult result{.iteration = played.run.finished,
                    .exposed = played.run.exposed(),
                    .traffic_fraction = dlrm_traffic(step).collective_fraction(),
                    .timeouts = played.timeouts,
                    .ends = ends_by_kind(graph, played.run)};
  add_costs(result);
  return result;
}

}  // namespace overture::study::opera_dlrm
