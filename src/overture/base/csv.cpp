#include "overture/base/csv.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace overture {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // what spreadsheets put in front

// The next record without blanks around its cells and without empty cells at its end.
CsvRow take_row(std::string_view& text, const Where& where) {
  const std::string_view before = text;
  CsvRow row{.line = where.line, .cells = take_csv_record(text)};
  const std::string_view taken = before.substr(0, before.size() - text.size());
  if (std::ranges::count(taken, '"') % 2 != 0) throw UserError(where, "a quote is not closed");
  for (std::string& cell : row.cells) cell = std::string(trimmed(cell));
  while (!row.cells.empty() && row.cells.back().empty()) row.cells.pop_back();
  return row;
}

}  // namespace

std::vector<std::string> take_csv_record(std::string_view& text) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      cells.back() += c;
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (quoted || (c != ',' && c != '\n')) {
      if (quoted || c != '\r') cells.back() += c;
    } else if (c == ',') {
      cells.emplace_back();
    } else {
      ++i;
      break;
    }
  }
  text.remove_prefix(i);
  return cells;
}

Where CsvTable::where(const CsvRow& row, std::string_view column) const {
  return {.file = file, .line = row.line, .key = std::string(column)};
}

CsvTable parse_csv(std::string_view text, std::string file, std::string_view header) {
  CsvTable table{.file = std::move(file)};
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  for (int line = 1; !text.empty();) {
    const std::string_view before = text;
    CsvRow row = take_row(text, {.file = table.file, .line = line});
    line += static_cast<int>(std::ranges::count(before.substr(0, before.size() - text.size()), '\n'));
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

}  // namespace overture
