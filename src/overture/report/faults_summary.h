// What a summary says of faults, for every network alike: parts that fail, packets lost, paths changed, and
// messages that no path was left for; and when which part fails, for the timeline.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "overture/base/json.h"
#include "overture/network/faults.h"
#include "overture/network/record.h"
#include "overture/report/links_record.h"
#include "overture/report/trace.h"

namespace overture::report {

// Lines of a table; none where nothing fails.
std::vector<std::pair<std::string, std::string>> fault_lines(const network::NetworkRecord& record);

// The same as "faults", and up to 100 messages as "undelivered"; nothing where nothing fails.
void add_faults(const network::NetworkRecord& record, Json& summary);

// Who did not get what, and why; for a note. Empty if all arrived.
std::string undelivered_note(const network::NetworkRecord& record);

// The parts that fail, as the setup names them, and from when until when of a run that ends at `end`:
// faults.csv in `folder`. No file where nothing fails.
void write_fault_times(const network::Faults& faults, Duration end, const std::filesystem::path& folder);
// The curves of a timeline: for each such part 1 while it fails, otherwise 0; and those of the links.
std::vector<TraceCounter> curves(const LinksRecord& links, const network::Faults& faults, Duration end);

}  // namespace overture::report
