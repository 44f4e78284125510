#include "overture/data/bagpipe_sequences.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "overture/data/bagpipe.h"
#include "overture/data/json_cursor.h"
#include "overture/data/line_rows.h"

namespace overture::data {
namespace {

// The four lists of a line, as the "tables" of a row.
enum List : std::size_t { kUser, kBefore, kTaken, kNotTaken, kLists };

bool take_items(JsonCursor& cursor, std::vector<std::int64_t>& items) {
  return cursor.take_list([&] {
    double item = 0;  // Bagpipe writes some of them as 7.0
    if (!cursor.take(item) || item != std::floor(item) || std::abs(item) > 1e15) return false;
    items.push_back(static_cast<std::int64_t>(item));
    return true;
  });
}

bool take_user_and_items(JsonCursor& cursor, std::vector<std::int64_t>* lists) {
  std::size_t list = kUser;
  const bool well_formed =
      cursor.take_list([&] { return list <= kBefore && take_items(cursor, lists[list++]); });
  return well_formed && list == kBefore + 1 && lists[kUser].size() == 1 && !lists[kBefore].empty();
}

std::string parse_sequence(std::string_view line, TextRow& row) {
  JsonCursor cursor(line);
  std::vector<std::int64_t> lists[kLists];
  bool user = false;
  if (!cursor.take('{')) return "not a JSON object";
  do {
    std::string_view key;
    if (!cursor.take_key(key)) return "a key in quotes and a colon are missing";
    if (key == "sparse") {
      user = take_user_and_items(cursor, lists);
      if (!user) return "\"sparse\" is not a list of a user and a list of the items before";
    } else if (key == "label" || key == "dense") {
      if (!take_items(cursor, lists[key == "label" ? kTaken : kNotTaken]))
        return fmt::format("\"{}\" is not a list of items", key);
    } else {
      return fmt::format("unknown key \"{}\"", key.substr(0, 40));
    }
  } while (cursor.take(','));
  if (!cursor.take('}') || !cursor.at_end()) return "the JSON object does not end with the line";
  if (!user) return "\"sparse\" is missing";
  if (lists[kTaken].empty()) return "\"label\" names no item";
  for (const auto& list : lists) {
    row.ids.insert(row.ids.end(), list.begin(), list.end());
    row.ends.push_back(static_cast<std::uint32_t>(row.ids.size()));
  }
  return {};
}

// Every line is several samples.
class SequenceRows final : public RowSource {
 public:
  SequenceRows(std::vector<std::filesystem::path> files, Shape shape)
      : shape_(std::move(shape)),
        lines_(std::move(files), parse_sequence,
               {.table_rows = std::vector<std::int64_t>(kLists), .multi_hot = true}) {}

  const Shape& shape() const override { return shape_; }
  const std::string& why() const override { return why_.empty() ? lines_.why() : why_; }
  Where where() const override { return lines_.where(); }
  Position position() const override { return lines_.position(); }

  Outcome next(TextRow& row) override {
    if (next_ == line_.ids.size()) {
      why_.clear();
      const Outcome outcome = lines_.next(line_);
      next_ = line_.ids.size();
      if (outcome != Outcome::row) return outcome;
      if (line_.ends[kBefore] != shape_.tables() - 1) {
        why_ = fmt::format("{} items before; the first line has {}", line_.ends[kBefore] - 1,
                           shape_.tables() - 2);
        return Outcome::bad;
      }
      next_ = line_.ends[kBefore];
    }
    row.clear();
    row.label = next_ < line_.ends[kTaken] ? 1.0f : 0.0f;
    row.ids.assign(line_.ids.begin(), line_.ids.begin() + line_.ends[kBefore]);
    row.ids.push_back(line_.ids[next_++]);
    return Outcome::row;
  }

 private:
  Shape shape_;
  LineRows lines_;
  TextRow line_;
  std::size_t next_ = 0;  // of the line's ids: the item to decide on
  std::string why_;
};

}  // namespace

bool is_bagpipe_sequence(std::string_view line) {
  TextRow row;
  return parse_sequence(line, row).empty();
}

std::vector<std::int64_t> sequence_table_rows(const std::vector<std::int64_t>& users_and_items,
                                              std::size_t tables) {
  std::vector<std::int64_t> rows(tables, users_and_items[1]);
  rows.front() = users_and_items[0];
  return rows;
}

std::unique_ptr<RowSource> open_bagpipe_sequences(const std::filesystem::path& path,
                                                  std::vector<std::filesystem::path> files,
                                                  std::string_view first_line) {
  TextRow first;
  parse_sequence(first_line, first);
  Shape shape{.table_rows = std::vector<std::int64_t>(first.ends[kBefore] + std::size_t{1})};
  const auto info = path / "emb_table_info.txt";
  if (std::filesystem::is_directory(path) && std::filesystem::exists(info)) {
    const std::vector<std::int64_t> rows = read_table_info(info);
    if (rows.size() != 2)
      throw UserError({.file = info.string()},
                      fmt::format("has {} tables; sequences have two, users and items", rows.size()));
    shape.table_rows = sequence_table_rows(rows, shape.tables());
  }
  return std::make_unique<SequenceRows>(std::move(files), std::move(shape));
}

}  // namespace overture::data
