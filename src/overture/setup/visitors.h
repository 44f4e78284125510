// Three ways to go over the same description of a setup (schema.h): read it from a tree of values, write it
// to one, or explain it. A struct is described once, in one function template, and all three follow.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "overture/base/error.h"
#include "overture/setup/convert.h"
#include "overture/setup/value.h"

namespace overture::setup {

// "network.dimensions" of "network" and "dimensions"; a path may be empty.
std::string join_keys(std::string_view path, std::string_view key);

// Fills structs from a map. A key that is absent leaves the default; one that nobody asked for is an error.
class Reader {
 public:
  // `map` may be null: then everything keeps its default. `path` is the dotted key of the map itself.
  Reader(const Value* map, std::string file, std::string path);

  template <class T>
  void field(std::string_view key, T&& value, std::string_view) {
    const Value* found = find(key, Value::Kind::scalar, "a single value");
    if (found == nullptr) return;
    const Result<bool> result = read(found->text, value);
    if (!result) fail(*found, key, result.error());
  }
  template <class T>
  void required(std::string_view key, T&& value, std::string_view help) {
    if (map_ == nullptr || map_->find(key) == nullptr) missing(key, help);
    field(key, std::forward<T>(value), help);
  }
  // A list of words, or a single one.
  template <class T>
  void words(std::string_view key, T& value, std::string_view) {
    const std::optional<std::vector<std::string>> found = find_words(key);
    if (!found) return;
    const Result<bool> result = read(*found, value);
    if (!result) fail(*map_->find(key), key, result.error());
  }
  void integers(std::string_view key, std::vector<int>& values, std::string_view);
  // Where the defaults of the fields that follow come from, for those who ask; see Explainer.
  void from(std::string_view) const {}
  // A map inside the map.
  template <class Describe>
  void group(std::string_view key, std::string_view, Describe describe) {
    Reader inner(find(key, Value::Kind::map, "a map"), file_, join(key));
    describe(inner);
    inner.finish();
  }
  template <class T, class Describe>
  void optional_group(std::string_view key, std::optional<T>& value, std::string_view help,
                      Describe describe) {
    if (map_ == nullptr || map_->find(key) == nullptr) {
      known_.emplace_back(key);
      return;
    }
    value.emplace();
    group(key, help, [&](Reader& inner) { describe(inner, *value); });
  }
  template <class T, class Describe>
  void list(std::string_view key, std::vector<T>& values, std::string_view, Describe describe) {
    const Value* found = find(key, Value::Kind::list, "a list");
    if (found == nullptr) return;
    values.clear();
    for (std::size_t i = 0; i < found->items.size(); ++i) {
      Reader inner(item(found->items[i], key, i), file_, join(key) + "." + std::to_string(i));
      describe(inner, values.emplace_back());
      inner.finish();
    }
  }
  // Throws for a key that no field asked for.
  void finish() const;
  Where where(std::string_view key) const;

 private:
  const Value* find(std::string_view key, Value::Kind kind, std::string_view what);
  std::optional<std::vector<std::string>> find_words(std::string_view key);
  const Value* item(const Value& value, std::string_view key, std::size_t i) const;
  [[noreturn]] void fail(const Value& at, std::string_view key, std::string_view what) const;
  [[noreturn]] void missing(std::string_view key, std::string_view help) const;
  std::string join(std::string_view key) const { return join_keys(path_, key); }

  const Value* map_;
  std::string file_;
  std::string path_;
  std::vector<std::string> known_;
};

// Makes the map that Reader would read, without what has its default anyway.
class Writer {
 public:
  explicit Writer(Value& map) : map_(map) { map_.kind = Value::Kind::map; }

  template <class T>
  void field(std::string_view key, T&& value, std::string_view) {
    map_.at(key) = Value::scalar(write(value));
  }
  template <class T>
  void required(std::string_view key, T&& value, std::string_view help) {
    field(key, std::forward<T>(value), help);
    map_.at(key).line = kRequired;
  }
  template <class T>
  void words(std::string_view key, T& value, std::string_view) {
    words(key, write(value));
  }
  void integers(std::string_view key, const std::vector<int>& values, std::string_view) {
    std::vector<std::string> texts;
    for (const int value : values) texts.push_back(write(value));
    words(key, texts);
  }
  void from(std::string_view) const {}
  template <class Describe>
  void group(std::string_view key, std::string_view, Describe describe) {
    Writer inner(map_.at(key));
    describe(inner);
  }
  template <class T, class Describe>
  void optional_group(std::string_view key, std::optional<T>& value, std::string_view, Describe describe) {
    if (value) map_.at(key) = without_defaults(*value, describe);
  }
  template <class T, class Describe>
  void list(std::string_view key, std::vector<T>& values, std::string_view, Describe describe) {
    if (values.empty()) return;
    Value result{.kind = Value::Kind::list};
    for (T& value : values) result.items.push_back(without_defaults(value, describe));
    map_.at(key) = std::move(result);
  }

  // `value` as `describe(writer, value)` writes it, less what a new T would give.
  template <class T, class Describe>
  static Value without_defaults(T& value, Describe describe) {
    Value written;
    Writer writer(written);
    describe(writer, value);
    T initial{};
    Value defaults;
    Writer default_writer(defaults);
    describe(default_writer, initial);
    prune(written, defaults);
    return written;
  }

 private:
  static constexpr int kRequired = -1;  // in Value::line: stays even where it equals the default
  static void prune(Value& value, const Value& defaults);
  void words(std::string_view key, const std::vector<std::string>& words);

  Value& map_;
};

struct Explanation {
  std::string key;      // "network.dimensions[].size"
  std::string type;     // "time", "lifo, fifo"
  std::string initial;  // the default; empty when there is none
  std::string help;
  bool required = false;
  std::string source;  // where the default comes from; empty where there is none
};

// Collects what there is to say about every key.
class Explainer {
 public:
  Explainer(std::vector<Explanation>& out, std::string path, std::string source = {})
      : out_(out), path_(std::move(path)), source_(std::move(source)) {}

  // Holds until the next one in this map, also for the maps inside.
  void from(std::string_view source) { source_ = source; }

  template <class T>
  void field(std::string_view key, T&& value, std::string_view help) {
    add({.key = join(key), .type = describe_type(value), .initial = write(value), .help = std::string(help)});
  }
  template <class T>
  void required(std::string_view key, T&& value, std::string_view help) {
    add({.key = join(key), .type = describe_type(value), .help = std::string(help), .required = true});
  }
  template <class T>
  void words(std::string_view key, T&, std::string_view help) {
    add({.key = join(key), .type = "list of words", .help = std::string(help)});
  }
  void integers(std::string_view key, std::vector<int>&, std::string_view help) {
    add({.key = join(key), .type = "list of whole numbers", .help = std::string(help)});
  }
  template <class Describe>
  void group(std::string_view key, std::string_view help, Describe describe) {
    add({.key = join(key), .type = "map", .help = std::string(help)});
    Explainer inner(out_, join(key), source_);
    describe(inner);
  }
  template <class T, class Describe>
  void optional_group(std::string_view key, std::optional<T>&, std::string_view help, Describe describe) {
    T initial{};
    group(key, help, [&](Explainer& inner) { describe(inner, initial); });
  }
  template <class T, class Describe>
  void list(std::string_view key, std::vector<T>&, std::string_view help, Describe describe) {
    T initial{};
    add({.key = join(key), .type = "list of maps", .help = std::string(help)});
    Explainer inner(out_, join(key) + "[]", source_);
    describe(inner, initial);
  }

 private:
  std::string join(std::string_view key) const { return join_keys(path_, key); }
  void add(Explanation explanation) {
    if (!explanation.initial.empty()) explanation.source = source_;
    out_.push_back(std::move(explanation));
  }

  std::vector<Explanation>& out_;
  std::string path_;
  std::string source_;
};

}  // namespace overture::setup
