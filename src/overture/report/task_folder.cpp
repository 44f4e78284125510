#include "overture/report/task_folder.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/files.h"
#include "overture/base/json.h"
#include "overture/network/exchange.h"
#include "overture/report/csv_grid.h"
#include "overture/report/observed_run.h"
#include "overture/report/results_folder.h"
#include "overture/report/task_timeline.h"

namespace overture::report {
namespace {

using workload::TaskGraph;
using workload::TaskId;
using workload::TaskKind;

constexpr std::uint32_t kMostTasks = 100'000;

double us(Time time) { return to_us(time.time_since_epoch()); }

std::string ranks_csv(const TaskReplay& replay) {
  std::string text = "rank,busy_us,waiting_us\n";
  for (std::size_t rank = 0; rank < replay.run.busy.size(); ++rank) {
    const Duration busy = replay.run.busy[rank];
    text += fmt::format("{},{:.3f},{:.3f}\n", rank, to_us(busy), to_us(replay.run.finished - busy));
  }
  return text;
}

std::string place(const TaskGraph& graph, TaskId id) {
  switch (graph.kind(id)) {
    case TaskKind::compute: return fmt::format("compute,{},", index(graph.compute(id).rank));
    case TaskKind::message:
      return fmt::format("message,{},{}", index(graph.message(id).from), index(graph.message(id).to));
    case TaskKind::pause: return "pause,,";
    case TaskKind::collective: return "collective,,";
  }
  return ",,";
}

std::string tasks_csv(const TaskReplay& replay) {
  std::string text = "task,what,kind,rank,to,start_us,end_us\n";
  for (std::uint32_t i = 0; i < replay.graph.size(); ++i) {
    text += fmt::format("{},{},{},{:.3f},{:.3f}\n", i, csv_cell(replay.graph.name(TaskId{i})),
                        place(replay.graph, TaskId{i}), us(replay.run.start[i]), us(replay.run.end[i]));
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

Digest digest(const simulation::Timeline& run) {
  Digest digest;
  for (const std::vector<Time>* times : {&run.start, &run.end})
    for (const Time time : *times) digest.add(time.time_since_epoch().count());
  return digest;
}

double percent(Duration part, Duration whole) {
  return whole == Duration{} ? 0 : 100 * to_us(part) / to_us(whole);
}

std::string why(const TaskReplay& replay, const std::vector<LabelTime>& times) {
  const Duration whole = replay.run.finished;
  if (times.empty()) return {};
  const auto waited = std::ranges::max_element(times, {}, &LabelTime::exposed);
  const auto computed = std::ranges::max_element(times, {}, &LabelTime::compute);
  const bool communication = replay.run.exposed() > whole - replay.run.exposed();
  return fmt::format(
      "the busiest node computes {:.0f} % of the time and waits for {:.0f} %, most of it ({:.0f} %) for "
      "\"{}\"; "
      "what would help most: {}",
      percent(whole - replay.run.exposed(), whole), percent(replay.run.exposed(), whole),
      percent(waited->exposed, whole), waited->name,
      communication ? "a faster network for that" : fmt::format("computing \"{}\" faster", computed->name));
}

}  // namespace

std::string task_why(const TaskReplay& replay) {
  return why(replay, label_times(replay.graph, replay.run, waited_for(replay.graph, replay.run)));
}

std::string task_summary_json(const TaskReplay& replay) {
  Json root = summary_head({.kind = "replay",
                            .name = replay.name,
                            .version = replay.version,
                            .seed = replay.seed,
                            .why = task_why(replay)});
  root.update({{"ranks", replay.graph.ranks()},
               {"tasks", replay.graph.size()},
               {"iteration_us", to_us(replay.run.finished)},
               {"compute_us", to_us(replay.run.finished - replay.run.exposed())},
               {"exposed_us", to_us(replay.run.exposed())},
               {"exposed_percent", percent(replay.run.exposed(), replay.run.finished)},
               {"message_bytes", replay.traffic.messages().count()},
               {"all_reduce_bytes", replay.traffic.collectives().count()}});
  if (!replay.links.links.empty()) {
    root["busiest_link_utilisation"] = replay.links.busiest();
    if (replay.links.detail != LinksRecord::Detail::load)
      root["peak_queue_bytes"] = replay.links.longest_queue().count();
  }
  root.update({{"digest", digest(replay.run).text()}, {"setup_yaml", replay.setup_yaml}});
  return summary_text(root);
}

void write_task_folder(const TaskReplay& replay, const std::filesystem::path& folder) {
  make_results_folder(folder);
  const auto waited = waited_for(replay.graph, replay.run);
  write_file(folder / "setup.yaml", replay.setup_yaml);
  write_file(folder / "ranks.csv", ranks_csv(replay));
  write_file(folder / "layers.csv", layers_csv(label_times(replay.graph, replay.run, waited)));
  write_links(replay.links, folder);
  write_task_trace(replay.graph, replay.run, waited, counters(replay.links), folder);
  if (replay.graph.size() <= kMostTasks) write_file(folder / "tasks.csv", tasks_csv(replay));
  if (replay.graph.ranks() <= kMostTrafficRanks)
    write_file(folder / "traffic.csv", traffic_csv(replay.traffic));
  write_file(folder / "summary.json", task_summary_json(replay));
}

}  // namespace overture::report
