#include "overture/base/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace overture {
namespace {

std::string message(const Where& where, std::string_view what, std::string_view hint) {
  std::string text = where.text();
  if (!text.empty()) text += ": ";
  text += what;
  if (!hint.empty()) text += fmt::format("\n  {}", hint);
  return text;
}

// Levenshtein distance, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string Where::text() const {
  std::string text = file;
  if (line > 0) text += fmt::format("{}{}", text.empty() ? "line " : ":", line);
  if (!key.empty()) text += fmt::format("{}{}", text.empty() ? "" : ": ", key);
  return text;
}

UserError::UserError(const Where& where, std::string_view what, std::string_view hint)
    : std::runtime_error(message(where, what, hint)) {}

std::string suggest(std::string_view word, const std::vector<std::string>& known) {
  if (known.empty()) return {};
  const auto nearest = std::min_element(known.begin(), known.end(), [&](const auto& a, const auto& b) {
    return edit_distance(word, a) < edit_distance(word, b);
  });
  const std::string list = fmt::format("known: {}", fmt::join(known, ", "));
  const std::size_t limit = std::max<std::size_t>(2, nearest->size() / 3);
  if (edit_distance(word, *nearest) > limit) return list;
  return fmt::format("did you mean \"{}\"? {}", *nearest, list);
}

}  // namespace overture
