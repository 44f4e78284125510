// How single values are written in a setup: numbers with units, words for enumerators. One place per type
// serves reading, writing and explaining.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "overture/base/dollars.h"
#include "overture/base/result.h"
#include "overture/base/unit_fields.h"
#include "overture/base/units.h"
#include "overture/base/words.h"
#include "overture/system/config.h"

namespace overture::setup {

// text -> value; the error says what would work. value -> text that reads back the same. What kind of thing
// it is.
Result<bool> read(const std::string& text, Duration& value);
Result<bool> read(const std::string& text, Bytes& value);
Result<bool> read(const std::string& text, Bandwidth& value);
Result<bool> read(const std::string& text, Dollars& value);
Result<bool> read(const std::string& text, int& value);
Result<bool> read(const std::string& text, std::uint64_t& value);
Result<bool> read(const std::string& text, double& value);
Result<bool> read(const std::string& text, bool& value);
Result<bool> read(const std::string& text, std::string& value);
Result<bool> read(const std::string& text, NanosecondsField value);
Result<bool> read(const std::string& text, LinkRateField value);
Result<bool> read(const std::string& text, MemoryRateField value);
Result<bool> read(const std::string& text, SizesField value);

// "13-512-256", as dlrm writes layers; commas do, too. Nothing if it is another text.
std::optional<std::vector<std::int64_t>> parse_sizes(const std::string& text, std::int64_t most);

// What a user can write for the kind of collective.
std::string explain_algorithms(system::CollectiveKind kind);

std::string write(Duration value);
std::string write(Bytes value);
std::string write(Bandwidth value);
std::string write(Dollars value);
std::string write(int value);
std::string write(std::uint64_t value);
std::string write(double value);
std::string write(bool value);
std::string write(const std::string& value);
std::string write(NanosecondsField value);
std::string write(LinkRateField value);
std::string write(MemoryRateField value);
std::string write(SizesField value);

inline std::string describe_type(Duration) { return "time"; }
inline std::string describe_type(Bytes) { return "size"; }
inline std::string describe_type(Bandwidth) { return "rate"; }
inline std::string describe_type(Dollars) { return "price"; }
inline std::string describe_type(std::uint64_t) { return "whole number"; }
inline std::string describe_type(int) { return "whole number"; }
inline std::string describe_type(double) { return "number"; }
inline std::string describe_type(bool) { return "true or false"; }
inline std::string describe_type(const std::string&) { return "text"; }
inline std::string describe_type(NanosecondsField) { return "time"; }
inline std::string describe_type(LinkRateField) { return "rate"; }
inline std::string describe_type(MemoryRateField) { return "rate"; }
inline std::string describe_type(SizesField) { return "sizes"; }

// The words of an enumeration, as the user types them, stand beside it (base/words.h).
std::string unknown_word(const std::string& text, const std::vector<std::string>& known);

template <class E>
concept Enumeration = std::is_enum_v<E>;

template <Enumeration E>
Result<bool> read(const std::string& text, E& value) {
  std::vector<std::string> known;
  for (const auto& [candidate, word] : kWords<E>) {
    if (word == text) {
      value = candidate;
      return true;
    }
    known.emplace_back(word);
  }
  return Error{unknown_word(text, known)};
}

template <Enumeration E>
std::string write(E value) {
  return std::string(word_of(value));
}

template <Enumeration E>
std::string describe_type(E) {
  std::string text;
  for (const auto& [candidate, word] : kWords<E>) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

// A value that may be left out; without one there is no default to write.
template <class T>
Result<bool> read(const std::string& text, std::optional<T>& value) {
  T given{};
  Result<bool> result = read(text, given);
  if (result) value = given;
  return result;
}
template <class T>
std::string write(const std::optional<T>& value) {
  return value ? write(*value) : "";
}
template <class T>
std::string describe_type(const std::optional<T>&) {
  return describe_type(T{});
}

// One algorithm per dimension, or a single flat_... over all ranks.
Result<bool> read(const std::vector<std::string>& words, system::Implementation& value);
std::vector<std::string> write(const system::Implementation& value);

// Sizes in a row.
Result<bool> read(const std::vector<std::string>& words, std::vector<Bytes>& value);
std::vector<std::string> write(const std::vector<Bytes>& value);

// Words that mean what they say.
inline Result<bool> read(const std::vector<std::string>& words, std::vector<std::string>& value) {
  value = words;
  return true;
}
inline std::vector<std::string> write(const std::vector<std::string>& value) { return value; }

}  // namespace overture::setup
