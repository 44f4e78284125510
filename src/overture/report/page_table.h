// Tables as the page of a report wants them: columns instead of rows, numbers as they stand in the file, text
// as an index into its words. It knows nothing of what a table means.
#pragma once

#include <string>
#include <string_view>

namespace overture::report {

// A page stays small enough to mail: of longer tables, every n-th row is kept, and "rows" tells how many
// there were.
constexpr std::size_t kPageRows = 50'000;

// {"rows":2,"columns":[{"name":"from","words":["h0"],"codes":[0,0]},{"name":"bytes","numbers":[1,2]}]}.
// The first row names the columns; a short row leaves its last cells empty.
std::string pack_csv(std::string_view text, std::size_t max_rows = kPageRows);

// The same for one JSON object a line: its keys are the columns, nested ones joined by a dot. A line that is
// no object, such as the half one that a crash leaves, is skipped.
std::string pack_json_lines(std::string_view text, std::size_t max_rows = kPageRows);

}  // namespace overture::report
