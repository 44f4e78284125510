// A setup as a tree of text: maps, lists and scalars, each with the line it stands on. The only place that
// knows YAML is value.cpp; everything that gives meaning to keys works on this.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace overture::setup {

struct Value {
  enum class Kind : std::uint8_t { null, scalar, list, map };
  struct Entry;  // a pair would do, but clang 14 cannot take one of an incomplete type

  Kind kind = Kind::null;
  std::string text;          // of a scalar
  std::vector<Value> items;  // of a list
  std::vector<Entry> keys;   // of a map, in the order written
  int line = 0;              // from 1; 0 when it comes from the command line

  static Value scalar(std::string text);
  const Value* find(std::string_view key) const;
  // The value of `key`, added if need be.
  Value& at(std::string_view key);
};

struct Value::Entry {
  std::string key;
  Value value;
};

inline Value Value::scalar(std::string text) { return {.kind = Kind::scalar, .text = std::move(text)}; }

// Throws UserError with file and line when the text is not YAML, has a key twice, or is not a map.
Value parse_yaml(std::string_view text, const std::string& file);

// For a value of the command line or of another file, whose lines would mislead in messages about this one.
void forget_lines(Value& value);

// Sets what "network.dimensions.0.size=8" names; the value is YAML, and ~ takes the key out. Throws UserError
// when the path leads nowhere.
void override_value(Value& root, const std::string& assignment);

// YAML that parse_yaml reads back. Short maps and lists stand on one line.
std::string to_yaml(const Value& value);

}  // namespace overture::setup
