#include "overture/data/bagpipe.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "overture/data/bagpipe_sequences.h"
#include "overture/data/json_cursor.h"
#include "overture/data/line_rows.h"

namespace overture::data {
namespace {

// For each table a number, or a list of them; `ends` stays empty if there are no lists.
template <class Number>
bool take_tables(JsonCursor& cursor, std::vector<Number>& numbers, std::vector<std::uint32_t>& ends) {
  bool ragged = false;
  const bool well_formed = cursor.take_list([&] {
    if (!take_number(cursor, numbers)) {
      ragged = true;
      if (!cursor.take_list([&] { return take_number(cursor, numbers); })) return false;
    }
    ends.push_back(static_cast<std::uint32_t>(numbers.size()));
    return true;
  });
  if (!ragged) ends.clear();
  return well_formed;
}

enum Field : unsigned { kLabel = 1, kDense = 2, kSparse = 4, kWeights = 8 };

struct FieldName {
  std::string_view key;
  Field field;
  const char* is;
};
constexpr FieldName kFields[] = {{"label", kLabel, "a number"},
                                 {"dense", kDense, "a list of numbers"},
                                 {"sparse", kSparse, "a list of whole numbers, or of lists of them"},
                                 {"weights", kWeights, "a list of numbers, or of lists of them"}};

bool take_field(JsonCursor& cursor, Field field, TextRow& row, std::vector<std::uint32_t>& weight_ends) {
  switch (field) {
    case kLabel: return cursor.take(row.label);
    case kDense: return cursor.take_list([&] { return take_number(cursor, row.dense); });
    case kSparse: return take_tables(cursor, row.ids, row.ends);
    case kWeights: return take_tables(cursor, row.weights, weight_ends);
  }
  return false;
}

// What is wrong with a line that needs these fields.
std::string parse_object(std::string_view line, TextRow& row, unsigned needed) {
  JsonCursor cursor(line);
  unsigned seen = 0;
  std::vector<std::uint32_t> weight_ends;
  if (!cursor.take('{')) return "not a JSON object";
  do {
    std::string_view key;
    if (!cursor.take_key(key)) return "a key in quotes and a colon are missing";
    const auto* const name = std::ranges::find(kFields, key, &FieldName::key);
    if (name == std::end(kFields)) return fmt::format("unknown key \"{}\"", key.substr(0, 40));
    if ((seen & name->field) != 0) return fmt::format("\"{}\" is a duplicate key", key);
    seen |= name->field;
    if (!take_field(cursor, name->field, row, weight_ends))
      return fmt::format("\"{}\" is not {}", key, name->is);
  } while (cursor.take(','));
  if (!cursor.take('}') || !cursor.at_end()) return "the JSON object does not end with the line";
  if ((seen & needed) != needed) return "\"label\", \"dense\" or \"sparse\" is missing";
  if ((seen & kWeights) != 0 && (row.weights.size() != row.ids.size() || weight_ends != row.ends))
    return "\"weights\" needs a number for every id of \"sparse\"";
  return {};
}

}  // namespace

std::string parse_bagpipe(std::string_view line, TextRow& row) {
  return parse_object(line, row, kLabel | kDense | kSparse);
}

std::string parse_unlabelled_bagpipe(std::string_view line, TextRow& row) {
  return parse_object(line, row, kDense | kSparse);
}

std::vector<std::filesystem::path> bagpipe_parts(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> parts;
  const auto part = [&](std::size_t n) { return folder / fmt::format("part_{}.txt", n); };
  while (std::filesystem::exists(part(parts.size()))) parts.push_back(part(parts.size()));
  std::size_t there = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("part_") && name.ends_with(".txt")) ++there;
  }
  if (parts.empty() || there != parts.size()) {
    throw UserError({.file = part(parts.size()).string()}, "is missing",
                    "a folder of parts holds part_0.txt, part_1.txt, ... without a gap");
  }
  return parts;
}

std::unique_ptr<RowSource> open_bagpipe(const std::filesystem::path& path, bool labels) {
  const auto parse_line = labels ? parse_bagpipe : parse_unlabelled_bagpipe;
  std::vector<std::filesystem::path> files{path};
  const bool folder = std::filesystem::is_directory(path);
  if (folder) files = bagpipe_parts(path);
  Shape shape;
  LineReader lines(open_bytes(files.front()), files.front().string());
  TextRow first;
  std::string_view line;
  while (lines.next(line)) {
    first.clear();
    if (is_bagpipe_sequence(line)) return open_bagpipe_sequences(path, std::move(files), line);
    if (line.empty() || !parse_line(line, first).empty()) continue;  // counted when it is read
    shape.dense_features = static_cast<std::int64_t>(first.dense.size());
    shape.weighted = !first.weights.empty();
    shape.multi_hot = shape.weighted || !first.ends.empty();
    shape.table_rows.resize(first.ends.empty() ? first.ids.size() : first.ends.size());
    break;
  }
  if (shape.table_rows.empty() && shape.dense_features == 0) {
    throw UserError({.file = files.front().string()}, "holds no sample",
                    "a line looks like {\"label\": 0.0, \"dense\": [1.5], \"sparse\": [7, 3]}");
  }
  const auto info = path / "emb_table_info.txt";
  if (folder && std::filesystem::exists(info)) {
    const std::size_t tables = shape.tables();
    shape.table_rows = read_table_info(info);
    if (shape.tables() != tables) {
      throw UserError({.file = info.string()},
                      fmt::format("has {} tables, the samples have {}", shape.tables(), tables));
    }
  }
  return std::make_unique<LineRows>(std::move(files), parse_line, std::move(shape));
}

std::vector<std::int64_t> read_table_info(const std::filesystem::path& path) {
  LineReader lines(open_bytes(path), path.string());
  std::vector<std::int64_t> rows;
  std::string_view line;
  while (lines.next(line)) {
    if (line.empty()) continue;
    JsonCursor cursor(line);
    std::int64_t number = 0;
    if (!cursor.take(number) || !cursor.at_end() || number < 1) {
      throw UserError({.file = path.string(), .line = static_cast<int>(lines.line_number())},
                      fmt::format("\"{}\" is not a number of rows", line.substr(0, 40)),
                      "the file has one whole number a line, one line for each table");
    }
    rows.push_back(number);
  }
  if (rows.empty()) throw UserError({.file = path.string()}, "names no tables");
  return rows;
}

std::string table_info_text(const std::vector<std::int64_t>& rows) {
  std::string text;
  for (const std::int64_t n : rows) text += fmt::format("{}\n", n);
  return text;
}

}  // namespace overture::data
