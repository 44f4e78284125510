#include "overture/compute/csv.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace overture::compute {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // what spreadsheets put in front

std::vector<std::string> cells(std::string_view line) {
  std::vector<std::string> cells;
  for (std::size_t start = 0; start <= line.size();) {
    const std::size_t comma = std::min(line.find(',', start), line.size());
    cells.emplace_back(trimmed(line.substr(start, comma - start)));
    start = comma + 1;
  }
  while (!cells.empty() && cells.back().empty()) cells.pop_back();
  return cells;
}

}  // namespace

Where CsvTable::where(const CsvRow& row, std::string_view column) const {
  return {.file = file, .line = row.line, .key = std::string(column)};
}

CsvTable parse_csv(std::string_view text, std::string file, std::string_view header) {
  CsvTable table{.file = std::move(file)};
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  int line = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    CsvRow row{.line = ++line, .cells = cells(text.substr(0, end))};
    text.remove_prefix(std::min(end + 1, text.size()));
    if (row.cells.empty()) continue;
    if (table.header.cells.empty()) {
      table.header = std::move(row);
    } else {
      table.rows.push_back(std::move(row));
    }
  }
  if (table.header.cells.empty()) {
    throw UserError({.file = table.file}, "is empty", fmt::format("the first line is {}", header));
  }
  return table;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::int64_t whole_number(std::string_view text, const Where& where, std::int64_t least, std::int64_t most) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc::invalid_argument || stop != end) {
    throw UserError(where, fmt::format("\"{}\" is not a whole number", text));
  }
  if (error != std::errc{} || number < least || number > most) {
    throw UserError(where, fmt::format("{} is out of range", text),
                    fmt::format("from {} to {}", least, most));
  }
  return number;
}

}  // namespace overture::compute
