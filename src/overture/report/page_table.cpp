#include "overture/report/page_table.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "overture/base/csv.h"
#include "overture/base/json.h"
#include "overture/base/text.h"
#include "overture/report/page_text.h"

namespace overture::report {
namespace {

using Cells = std::vector<std::string>;

struct Column {
  std::string name;
  Cells cells;
};

struct Columns {
  std::size_t rows = 0;  // in the file
  std::size_t kept = 0;
  std::vector<Column> columns;
};

std::size_t stride(std::size_t rows, std::size_t max_rows) {
  return max_rows == 0 ? 1 : std::max<std::size_t>(1, (rows + max_rows - 1) / max_rows);
}

std::size_t lines(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
}

// What stands for "no number here" in the files of this field.
bool is_gap(std::string_view cell) {
  return cell.empty() || cell == "-" || cell == "nan" || cell == "-nan" || cell == "inf" || cell == "-inf";
}

// The cell as a JSON number, or nothing.
std::string number(std::string_view cell) {
  const auto value = parse_number<double>(cell);
  if (!value || !std::isfinite(*value)) return {};
  const std::string_view digits = cell.substr(cell.front() == '-' ? 1 : 0);
  const bool plain = digits.front() != '.' && digits.back() != '.' &&
                     (digits.front() != '0' || digits.size() == 1 || digits[1] == '.') &&
                     digits.find("e.") == std::string_view::npos &&
                     digits.find(".e") == std::string_view::npos;
  return plain ? std::string(cell) : fmt::format("{}", *value);
}

// Empty unless every cell is a number or a gap, and one at least a number.
std::string numbers(const Cells& cells) {
  std::string out;
  bool any = false;
  for (const std::string& cell : cells) {
    const std::string value = is_gap(cell) ? "null" : number(cell);
    if (value.empty()) return {};
    any = any || value != "null";
    out += out.empty() ? "" : ",";
    out += value;
  }
  return any ? out : std::string{};
}

std::string words(const Cells& cells) {
  std::unordered_map<std::string_view, std::size_t> known;
  std::string list;
  std::string codes;
  for (const std::string& cell : cells) {
    const auto [place, is_new] = known.try_emplace(cell, known.size());
    if (is_new) list += (list.empty() ? "" : ",") + json_text(cell);
    codes += fmt::format("{}{}", codes.empty() ? "" : ",", place->second);
  }
  return fmt::format(R"("words":[{}],"codes":[{}])", list, codes);
}

std::string packed(const Columns& table) {
  std::string out = fmt::format(R"({{"rows":{},"columns":[)", table.rows);
  const char* separator = "";
  for (const Column& column : table.columns) {
    const std::string values = numbers(column.cells);
    out += fmt::format(R"({}{{"name":{},{}}})", separator, json_text(column.name),
                       values.empty() ? words(column.cells) : fmt::format(R"("numbers":[{}])", values));
    separator = ",";
  }
  return out + "]}";
}

// Numbers and text at the leaves of `value`, each under the keys that lead to it.
void flatten(const Json& value, const std::string& path,
             std::vector<std::pair<std::string, std::string>>& out) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      flatten(member, path.empty() ? key : path + "." + key, out);
    }
  } else if (value.is_string()) {
    out.emplace_back(path, value.get<std::string>());
  } else if (!value.is_array() && !value.is_null()) {
    out.emplace_back(path, write_json(value));
  }
}

}  // namespace

std::string pack_csv(std::string_view text, std::size_t max_rows) {
  Columns table;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  for (std::string& name : take_csv_record(text)) table.columns.push_back({std::move(name), {}});
  const std::size_t step = stride(lines(text), max_rows);
  while (!text.empty()) {
    Cells cells = take_csv_record(text);
    if (cells.size() == 1 && cells[0].empty()) continue;
    if (table.rows++ % step != 0) continue;
    cells.resize(table.columns.size());
    for (std::size_t c = 0; c < cells.size(); ++c) table.columns[c].cells.push_back(std::move(cells[c]));
  }
  return packed(table);
}

std::string pack_json_lines(std::string_view text, std::size_t max_rows) {
  Columns table;
  std::unordered_map<std::string, std::size_t> place;
  const std::size_t step = stride(lines(text), max_rows);
  std::size_t usual = 0;  // names in a line; one with more, such as an evaluation now and then, is kept
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const auto object = parse_json(line);
    if (!object.is_object()) continue;
    if (table.rows == 0) usual = object.size();
    if (table.rows++ % step != 0 && object.size() <= usual) continue;
    std::vector<std::pair<std::string, std::string>> cells;
    flatten(object, "", cells);
    for (auto& [name, cell] : cells) {
      const auto [where, is_new] = place.try_emplace(name, table.columns.size());
      if (is_new) table.columns.push_back({name, {}});
      table.columns[where->second].cells.resize(table.kept);
      table.columns[where->second].cells.push_back(std::move(cell));
    }
    ++table.kept;
  }
  for (Column& column : table.columns) column.cells.resize(table.kept);
  return packed(table);
}

}  // namespace overture::report
