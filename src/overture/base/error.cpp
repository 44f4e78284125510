#include "overture/base/error.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace overture {
namespace {

// Words of the user's are quoted in messages, and may be anything: on one line, and not all of a binary file.
std::string on_one_line(std::string text) {
  constexpr std::size_t kMost = 400;
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  return text;
}

std::string message(const Where& where, std::string_view what, std::string_view hint) {
  std::string text = on_one_line(where.text());
  if (!text.empty()) text += ": ";
  text += on_one_line(std::string(what));
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

UserError at(const Where& where, const UserError& error) {
  const std::string_view text = error.what();
  const std::string place = on_one_line(where.text());
  const bool known = text.starts_with(place) && text.size() > place.size() &&
                     (text[place.size()] == ':' || text[place.size()] == '.');
  if (known) return error;
  const std::size_t line_end = text.find('\n');
  if (line_end == std::string_view::npos) return {where, text};
  const std::size_t hint = text.find_first_not_of(" \n", line_end);
  return {where, text.substr(0, line_end), hint == std::string_view::npos ? "" : text.substr(hint)};
}

std::string suggest(std::string_view word, const std::vector<std::string>& known) {
  if (known.empty()) return {};
  constexpr std::size_t kListLimit = 24;  // longer lists hide the one that matters
  const std::string list = known.size() > kListLimit ? "" : fmt::format("known: {}", fmt::join(known, ", "));
  constexpr std::size_t kLongestWord = 100;
  if (word.size() > kLongestWord) return list;  // nobody's spelling mistake, and slow to compare
  const auto nearest = std::min_element(known.begin(), known.end(), [&](const auto& a, const auto& b) {
    return edit_distance(word, a) < edit_distance(word, b);
  });
  const std::size_t limit = std::max<std::size_t>(2, nearest->size() / 3);
  if (edit_distance(word, *nearest) > limit) return list;
  return fmt::format("did you mean \"{}\"?{}{}", *nearest, list.empty() ? "" : " ", list);
}

}  // namespace overture
