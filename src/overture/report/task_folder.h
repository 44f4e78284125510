// What the replay of a task graph leaves: where the time went for every rank, every task's start and end, and
// who sent how much to whom.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "overture/report/links_record.h"
#include "overture/simulation/timeline.h"
#include "overture/simulation/traffic.h"

namespace overture::report {

struct TaskReplay {
  std::string name;
  std::string setup_yaml;
  std::string version;
  std::uint64_t seed = 1;
  const workload::TaskGraph& graph;
  const simulation::Timeline& run;
  const simulation::TrafficCounter& traffic;
  const LinksRecord& links;  // none: the network was not watched
};

// What the iteration waited for, and what would help most, in a sentence.
std::string task_why(const TaskReplay& replay);

std::string task_summary_json(const TaskReplay& replay);

// Makes the folder if need be; writes summary.json, setup.yaml, ranks.csv, layers.csv, trace.json.gz,
// links.csv and links_over_time.csv if the network was watched, and traffic.csv and tasks.csv only of graphs
// small enough to look at. Throws UserError.
void write_task_folder(const TaskReplay& replay, const std::filesystem::path& folder);

}  // namespace overture::report
