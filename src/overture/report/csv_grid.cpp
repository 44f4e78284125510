#include "overture/report/csv_grid.h"

#include <algorithm>

namespace overture::report {

namespace {

// A spreadsheet takes such a cell for a formula, and runs it. "-3.5", "+12.5 %" and "-" are none.
bool looks_like_formula(const std::string& text) {
  if (text.empty() || std::string_view("=+-@\t\r").find(text[0]) == std::string_view::npos) return false;
  if (text == "-") return false;
  const bool number =
      (text[0] == '+' || text[0] == '-') && text.size() > 1 && text[1] >= '0' && text[1] <= '9';
  return !number ||
         text.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ. %", 1) !=
             std::string::npos;
}

}  // namespace

std::string csv_cell(const std::string& text) {
  const bool formula = looks_like_formula(text);
  if (!formula && text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string cell = formula ? "\"'" : "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + '"';
}

CsvGrid CsvGrid::parse(std::string_view text) {
  CsvGrid grid(0, 0);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    auto& row = grid.rows_.emplace_back();
    for (;;) {
      const std::size_t comma = line.find(',');
      row.emplace_back(line.substr(0, comma));
      if (comma == std::string_view::npos) break;
      line.remove_prefix(comma + 1);
    }
  }
  return grid;
}

void CsvGrid::insert(std::size_t row, std::size_t column, const std::string& text) {
  rows_.resize(std::max(rows_.size(), row + 1));
  auto& cells = rows_[row];
  cells.resize(std::max(cells.size(), column + 1));
  cells[column].insert(0, text);
}

std::string CsvGrid::text() const {
  std::string out;
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) out += ',';
      out += row[c];
    }
    out += '\n';
  }
  return out;
}

}  // namespace overture::report
