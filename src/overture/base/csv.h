// Comma-separated text (RFC 4180: quotes, line breaks inside them, CRLF): a record at a time, or as a table
// with a header line; and the whole numbers in it. What the columns mean is up to the reader that asks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "overture/base/error.h"

namespace overture {

struct CsvRow {
  int line = 0;  // from 1
  std::vector<std::string> cells;
};

struct CsvTable {
  std::string file;
  CsvRow header;
  std::vector<CsvRow> rows;

  Where where(const CsvRow& row, std::string_view column = {}) const;
};

// The cells of the first record of `text`, which then starts behind it. Needs `text` not empty.
std::vector<std::string> take_csv_record(std::string_view& text);

// Cells are trimmed; blank lines and empty cells at the end of a line are skipped. `header` is what a first
// line could be, for the UserError when there is none. A quote that nobody closes is a UserError, too.
CsvTable parse_csv(std::string_view text, std::string file, std::string_view header);

// Without the blanks (and the carriage return) around it.
std::string_view trimmed(std::string_view text);

// `text` as a whole number within the limits, or UserError at `where`.
std::int64_t whole_number(std::string_view text, const Where& where, std::int64_t least, std::int64_t most);

}  // namespace overture
