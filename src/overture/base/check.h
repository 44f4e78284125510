// check(): what must hold if our own code is right. On in every build; never used on user input.
#pragma once

#include <source_location>
#include <string_view>

namespace overture {

// Prints where and what, then aborts.
[[noreturn]] void check_failed(std::string_view what, const std::source_location& where);

inline void check(bool condition, std::string_view what,
                  const std::source_location& where = std::source_location::current()) {
  if (!condition) [[unlikely]] {
    check_failed(what, where);
  }
}

}  // namespace overture
