#include "overture/setup/visitors.h"

#include <algorithm>

#include <fmt/format.h>

namespace overture::setup {

std::string join_keys(std::string_view path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

Reader::Reader(const Value* map, std::string file, std::string path)
    : map_(map), file_(std::move(file)), path_(std::move(path)) {}

Where Reader::where(std::string_view key) const {
  const Value* value = map_ == nullptr ? nullptr : map_->find(key);
  return {.file = file_,
          .line = value != nullptr  ? value->line
                  : map_ != nullptr ? map_->line
                                    : 0,
          .key = join(key)};
}

const Value* Reader::find(std::string_view key, Value::Kind kind, std::string_view what) {
  known_.emplace_back(key);
  const Value* value = map_ == nullptr ? nullptr : map_->find(key);
  if (value != nullptr && value->kind != kind) fail(*value, key, fmt::format("must be {}", what));
  return value;
}

std::optional<std::vector<std::string>> Reader::find_words(std::string_view key) {
  known_.emplace_back(key);
  const Value* value = map_ == nullptr ? nullptr : map_->find(key);
  if (value == nullptr) return std::nullopt;
  if (value->kind == Value::Kind::scalar) return std::vector{value->text};
  std::vector<std::string> words;
  if (value->kind != Value::Kind::list) fail(*value, key, "must be a list of words");
  for (const Value& item : value->items) {
    if (item.kind != Value::Kind::scalar) fail(item, key, "must be a list of words");
    words.push_back(item.text);
  }
  return words;
}

void Reader::integers(std::string_view key, std::vector<int>& values, std::string_view) {
  const auto found = find_words(key);
  if (!found) return;
  values.clear();
  for (const std::string& word : *found) {
    const Result<bool> result = read(word, values.emplace_back());
    if (!result) fail(*map_->find(key), key, result.error());
  }
}

const Value* Reader::item(const Value& value, std::string_view key, std::size_t i) const {
  if (value.kind != Value::Kind::map) fail(value, fmt::format("{}.{}", key, i), "must be a map");
  return &value;
}

void Reader::fail(const Value& at, std::string_view key, std::string_view what) const {
  // A converter may add what would work on a second line.
  const std::size_t line_end = what.find('\n');
  const std::string_view hint = line_end == std::string::npos ? "" : what.substr(line_end + 1);
  throw UserError({.file = file_, .line = at.line, .key = join(key)}, what.substr(0, line_end), hint);
}

void Reader::missing(std::string_view key, std::string_view help) const {
  throw UserError({.file = file_, .line = map_ == nullptr ? 0 : map_->line, .key = join(key)}, "is missing",
                  help);
}

void Reader::finish() const {
  if (map_ == nullptr) return;
  for (const auto& [key, value] : map_->keys) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    throw UserError({.file = file_, .line = value.line, .key = join(key)}, "unknown key",
                    suggest(key, known_));
  }
}

void Writer::words(std::string_view key, const std::vector<std::string>& words) {
  if (words.empty()) return;
  Value list{.kind = Value::Kind::list};
  for (const std::string& word : words) list.items.push_back(Value::scalar(word));
  map_.at(key) = std::move(list);
}

void Writer::prune(Value& value, const Value& defaults) {
  std::erase_if(value.keys, [&](auto& entry) {
    auto& [key, item] = entry;
    const Value* initial = defaults.find(key);
    if (initial == nullptr || initial->kind != item.kind || item.line == kRequired) return false;
    if (item.kind == Value::Kind::scalar) return item.text == initial->text;
    if (item.kind != Value::Kind::map) return false;
    prune(item, *initial);
    return item.keys.empty();
  });
}

}  // namespace overture::setup
