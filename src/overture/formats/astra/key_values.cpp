#include "overture/formats/astra/key_values.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "overture/base/error.h"
#include "overture/base/text.h"

namespace overture::formats {

std::vector<KeyValues::Token> KeyValues::tokens_of(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\r\f\v";
  std::vector<Token> tokens;
  int line = 1;
  for (std::size_t i = 0; i < text.size();) {
    if (kSpace.find(text[i]) != std::string_view::npos) {
      if (text[i++] == '\n') ++line;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(kSpace, i), text.size());
    tokens.push_back({std::string(text.substr(i, end - i)), line});
    i = end;
  }
  return tokens;
}

KeyValues::KeyValues(std::string_view text, const std::string& file, const std::vector<std::string>& known,
                     Again again)
    : file_(file) {
  const std::vector<Token> tokens = tokens_of(text);
  for (std::size_t i = 0; i < tokens.size(); i += 2) {
    const Token& token = tokens[i];
    const bool colon = token.text.back() == ':';
    const std::string key = colon ? token.text.substr(0, token.text.size() - 1) : token.text;
    if (!colon || std::find(known.begin(), known.end(), key) == known.end()) {
      throw UserError({.file = file, .line = token.line}, fmt::format("unknown key \"{}\"", token.text),
                      suggest(key, known));
    }
    if (i + 1 == tokens.size())
      throw UserError({.file = file, .line = token.line, .key = key}, "has no value");
    const bool added = values_.insert_or_assign(key, tokens[i + 1]).second;
    if (!added && again == Again::is_an_error)
      throw UserError({.file = file, .line = token.line, .key = key}, "is a duplicate key");
  }
}

void KeyValues::fail(const std::string& key, const std::string& what, const std::string& hint) const {
  const auto found = values_.find(key);
  throw UserError({.file = file_, .line = found == values_.end() ? 0 : found->second.line, .key = key}, what,
                  hint);
}

const std::string& KeyValues::word(const std::string& key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) fail(key, "is missing");
  return found->second.text;
}

double KeyValues::number(const std::string& key, double least, double most) const {
  const std::string& text = word(key);
  const auto value = parse_number<double>(text);
  if (!value || !std::isfinite(*value)) fail(key, fmt::format("\"{}\" is not a number", text));
  if (*value < least || *value > most)
    fail(key, fmt::format("{} is out of range", text), fmt::format("use {} to {}", least, most));
  return *value;
}

int KeyValues::integer(const std::string& key, int least, int most) const {
  const double value = number(key, least, most);
  if (value != std::trunc(value)) fail(key, fmt::format("{} is not a whole number", word(key)));
  return static_cast<int>(value);
}

}  // namespace overture::formats
