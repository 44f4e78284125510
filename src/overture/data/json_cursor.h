// JsonCursor: reads the few things that a line of Bagpipe's JSON may hold: keys, numbers, and lists of them.
#pragma once

#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <vector>

namespace overture::data {

// Every function leaves the cursor where it stands when what it wants is not there.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool take(char c) {
    skip_spaces();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  template <class Number>
  bool take(Number& number) {
    skip_spaces();
    const auto [after, error] = std::from_chars(at_, end_, number);
    if (error != std::errc{}) return false;
    at_ = after;
    return true;
  }

  bool take_key(std::string_view& key) {
    if (!take('"')) return false;
    const char* start = at_;
    while (at_ != end_ && *at_ != '"') ++at_;
    key = {start, static_cast<std::size_t>(at_ - start)};
    return take('"') && take(':');
  }

  template <class Element>
  bool take_list(Element element) {
    if (!take('[')) return false;
    if (take(']')) return true;
    do {
      if (!element()) return false;
    } while (take(','));
    return take(']');
  }

  bool at_end() {
    skip_spaces();
    return at_ == end_;
  }

 private:
  void skip_spaces() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
  }

  const char* at_;
  const char* end_;
};

template <class Number>
bool take_number(JsonCursor& cursor, std::vector<Number>& numbers) {
  Number number{};
  if (!cursor.take(number)) return false;
  numbers.push_back(number);
  return true;
}

}  // namespace overture::data
