// check(): what must hold if our own code is right. On in every build; never used on user input.
#pragma once

#include <string_view>

namespace overture {

// Prints where and what, then aborts.
[[noreturn]] void check_failed(std::string_view what, const char* file, int line);

// The builtins are std::source_location by hand: clang 14 has no such header.
inline void check(bool condition, std::string_view what, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
  if (!condition) [[unlikely]] {
    check_failed(what, file, line);
  }
}

}  // namespace overture
