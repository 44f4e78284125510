// UserError: the input is wrong and the user can mend it. Thrown while loading, caught only in main,
// which prints it and exits with 2. It says where, what, and what would work.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace overture {

// A place in something the user wrote: a file, a line of it, a key. Parts that make no sense stay empty.
struct Where {
  std::string file;
  int line = 0;  // from 1; 0 means the whole file
  std::string key;

  std::string text() const;
};

class UserError : public std::runtime_error {
 public:
  UserError(const Where& where, std::string_view what, std::string_view hint = {});
  explicit UserError(std::string_view what, std::string_view hint = {}) : UserError(Where{}, what, hint) {}
};

// The same error, and where it came about, unless its thrower knew: then it stays as it is.
UserError at(const Where& where, const UserError& error);

// `did you mean "fat_tree"? known: fat_tree, opera, torus`: the hint for an unknown word.
std::string suggest(std::string_view word, const std::vector<std::string>& known);

}  // namespace overture
