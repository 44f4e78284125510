#include "overture/report/task_tables.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/files.h"
#include "overture/report/csv_grid.h"
#include "overture/report/faults_summary.h"
#include "overture/report/task_timeline.h"

namespace overture::report {
namespace {

using workload::TaskGraph;
using workload::TaskId;
using workload::TaskKind;

constexpr std::uint32_t kMostTasks = 100'000;

double task_us(Time time) { return to_us(time.time_since_epoch()); }

std::string ranks_csv(const simulation::Timeline& run) {
  std::string text = "rank,busy_us,waiting_us\n";
  for (std::size_t rank = 0; rank < run.busy.size(); ++rank) {
    const Duration busy = run.busy[rank];
    text += fmt::format("{},{:.3f},{:.3f}\n", rank, to_us(busy), to_us(run.finished - busy));
  }
  return text;
}

std::string place(const TaskGraph& graph, TaskId id) {
  switch (graph.kind(id)) {
    case TaskKind::compute: {
      const Rank rank = graph.compute(id).rank;
      return rank == workload::kEveryone ? "compute,all," : fmt::format("compute,{},", index(rank));
    }
    case TaskKind::message:
      return fmt::format("message,{},{}", index(graph.message(id).from), index(graph.message(id).to));
    case TaskKind::pause: return "pause,,";
    case TaskKind::collective: return "collective,,";
  }
  return ",,";
}

std::string tasks_csv(const TaskGraph& graph, const simulation::Timeline& run) {
  std::string text = "task,what,kind,rank,to,start_us,end_us\n";
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    text += fmt::format("{},{},{},{:.3f},{:.3f}\n", i, csv_cell(graph.name(TaskId{i})),
                        place(graph, TaskId{i}), task_us(run.start[i]), task_us(run.end[i]));
  }
  return text;
}

std::string layers_csv(const std::vector<LabelTime>& times) {
  std::string text = "layer,compute_us,communication_us,exposed_us\n";
  for (const LabelTime& time : times) {
    text += fmt::format("{},{:.6f},{:.6f},{:.6f}\n", csv_cell(time.name), to_us(time.compute),
                        to_us(time.communication), to_us(time.exposed));
  }
  return text;
}

double percent(Duration part, Duration whole) {
  return whole == Duration{} ? 0 : 100 * to_us(part) / to_us(whole);
}

std::string why_of(const simulation::Timeline& run, const std::vector<LabelTime>& times) {
  const Duration whole = run.finished;
  if (times.empty()) return {};
  const auto waited = std::ranges::max_element(times, {}, &LabelTime::exposed);
  const auto computed = std::ranges::max_element(times, {}, &LabelTime::compute);
  return fmt::format(
      "the busiest node computes {:.0f} % of the time, longest for \"{}\" ({:.0f} %), and waits for {:.0f} "
      "%, "
      "longest for \"{}\" ({:.0f} %)",
      percent(whole - run.exposed(), whole), computed->name, percent(computed->compute, whole),
      percent(run.exposed(), whole), waited->name, percent(waited->exposed, whole));
}

}  // namespace

std::string task_why(const TaskGraph& graph, const simulation::Timeline& run) {
  return why_of(run, label_times(graph, run, waited_for(graph, run)));
}

std::size_t write_task_tables(const TaskGraph& graph, const simulation::Timeline& run,
                              const LinksRecord& links, const network::Faults& faults,
                              const std::filesystem::path& folder) {
  const auto waited = waited_for(graph, run);
  write_file(folder / "ranks.csv", ranks_csv(run));
  write_file(folder / "layers.csv", layers_csv(label_times(graph, run, waited)));
  if (graph.size() <= kMostTasks) write_file(folder / "tasks.csv", tasks_csv(graph, run));
  write_fault_times(faults, run.finished, folder);
  return write_task_trace(graph, run, waited, curves(links, faults, run.finished), folder).dropped;
}

}  // namespace overture::report
