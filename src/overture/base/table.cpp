#include "overture/base/table.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "overture/base/check.h"
#include "overture/base/printable.h"

namespace overture {
namespace {

bool looks_numeric(const std::string& cell) {
  return cell.empty() || (cell[0] >= '0' && cell[0] <= '9') || cell[0] == '-' || cell[0] == '+';
}

// Takes from the widest column until all fit, but leaves every column a few letters.
void narrow(std::vector<std::size_t>& width, std::size_t most) {
  constexpr std::size_t kLeast = 8;
  const std::size_t gaps = width.empty() ? 0 : 2 * (width.size() - 1);
  while (std::accumulate(width.begin(), width.end(), gaps) > most) {
    const auto widest = std::ranges::max_element(width);
    if (widest == width.end() || *widest <= kLeast) return;
    --*widest;
  }
}

// In the middle, where names that belong together are most alike.
std::string cut(const std::string& cell, std::size_t width) {
  if (cell.size() <= width) return cell;
  const std::size_t front = (width - 2) / 2;
  return cell.substr(0, front) + ".." + cell.substr(cell.size() - (width - 2 - front));
}

}  // namespace

Table::Table(std::vector<std::string> header) : header_(std::move(header)) {}

void Table::add(std::vector<std::string> row) {
  check(row.size() == header_.size(), "a row has a cell for every column");
  for (std::string& cell : row) cell = printable(cell);
  rows_.push_back(std::move(row));
}

std::string Table::text(std::size_t most) const {
  std::string out;
  std::vector<std::size_t> width(header_.size());
  std::vector<bool> right(header_.size());
  for (std::size_t c = 0; c < header_.size(); ++c) {
    width[c] = header_[c].size();
    for (const auto& row : rows_) width[c] = std::max(width[c], row[c].size());
    right[c] =
        std::all_of(rows_.begin(), rows_.end(), [c](const auto& row) { return looks_numeric(row[c]); });
  }
  if (most > 0) narrow(width, most);
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string cell = cut(cells[c], width[c]);
      text += c == 0 ? "" : "  ";
      text += right[c] ? fmt::format("{:>{}}", cell, width[c]) : fmt::format("{:<{}}", cell, width[c]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  out += line(header_);
  std::vector<std::string> rule;
  for (const std::size_t w : width) rule.emplace_back(w, '-');
  out += line(rule);
  for (const auto& row : rows_) out += line(row);
  return out;
}

}  // namespace overture
