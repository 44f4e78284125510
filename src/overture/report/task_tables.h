// What a run of a task graph leaves beside what every run does: where the time went for every rank and every
// kind of task, and each task's start and end.
#pragma once

#include <filesystem>
#include <string>

#include "overture/network/faults.h"
#include "overture/report/links_record.h"
#include "overture/simulation/timeline.h"

namespace overture::report {

// What the iteration waited for, and what would help most, in a sentence.
std::string task_why(const workload::TaskGraph& graph, const simulation::Timeline& run);

// ranks.csv, layers.csv, trace.json.gz, and tasks.csv of a graph small enough to look at. Returns how many
// events the trace had to leave out. Throws UserError.
std::size_t write_task_tables(const workload::TaskGraph& graph, const simulation::Timeline& run,
                              const LinksRecord& links, const network::Faults& faults,
                              const std::filesystem::path& folder);

}  // namespace overture::report
