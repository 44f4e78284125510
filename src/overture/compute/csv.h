// Comma-separated text with a header line, and the whole numbers in it. Knows no quotes; what the columns
// mean is up to the reader that asks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "overture/base/error.h"

namespace overture::compute {

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

// Cells are trimmed; blank lines and empty cells at the end of a line are skipped. `header` is what a first
// line could be, for the UserError when there is none.
CsvTable parse_csv(std::string_view text, std::string file, std::string_view header);

// Without the blanks (and the carriage return) around it.
std::string_view trimmed(std::string_view text);

// `text` as a whole number within the limits, or UserError at `where`.
std::int64_t whole_number(std::string_view text, const Where& where, std::int64_t least, std::int64_t most);

}  // namespace overture::compute
