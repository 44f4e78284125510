// The form of ASTRA-sim 1.0's system files and of its Garnet backend's network files: `key: value`, separated
// by blanks, in any order. Which keys there are and what they mean is the readers' business.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace overture::formats {

class KeyValues {
 public:
  // What a key that comes again does: it counts, or it is an error.
  enum class Again { counts, is_an_error };

  // All throw UserError, with the line if there is one. `file` is for messages only.
  KeyValues(std::string_view text, const std::string& file, const std::vector<std::string>& known,
            Again again);

  bool has(const std::string& key) const { return values_.contains(key); }
  // Of a key that must be there.
  const std::string& word(const std::string& key) const;
  double number(const std::string& key, double least, double most) const;
  int integer(const std::string& key, int least, int most) const;

  [[noreturn]] void fail(const std::string& key, const std::string& what, const std::string& hint = {}) const;

 private:
  struct Token {
    std::string text;
    int line;
  };
  static std::vector<Token> tokens_of(std::string_view text);

  std::string file_;
  std::map<std::string, Token> values_;
};

}  // namespace overture::formats
