// What a summary says of faults, for every network alike: parts that fail, packets lost, paths changed, and
// messages that no path was left for.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "overture/base/json.h"
#include "overture/network/record.h"

namespace overture::report {

// Lines of a table; none where nothing fails.
std::vector<std::pair<std::string, std::string>> fault_lines(const network::NetworkRecord& record);

// The same as "faults", and up to 100 messages as "undelivered"; nothing where nothing fails.
void add_faults(const network::NetworkRecord& record, Json& summary);

// Who did not get what, and why; for a note. Empty if all arrived.
std::string undelivered_note(const network::NetworkRecord& record);

}  // namespace overture::report
