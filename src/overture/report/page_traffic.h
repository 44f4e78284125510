// Who sent how much to whom, summed from a list of flows into a matrix that a page can draw.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace overture::report {

// Hosts beyond this are drawn in groups of equal size.
constexpr int kTrafficCells = 128;

// From CSV text with columns src or from, dst or to, bytes, and perhaps kind:
// {"hosts":1024,"group":8,"kinds":[{"name":"all-to-all","bytes":[row by row]}]}.
// Nothing when the columns are not there or no host is a number.
std::optional<std::string> pack_traffic(std::string_view csv);

}  // namespace overture::report
