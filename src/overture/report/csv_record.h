// Reads CSV a record at a time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace overture::report {

// The cells of the first record of `text` (RFC 4180: quotes, line breaks inside them, CRLF), which then
// starts behind it. Needs `text` not empty.
std::vector<std::string> take_csv_record(std::string_view& text);

}  // namespace overture::report
