// append_format(text, "{} of {}", a, b): what fmt::format_to() would write at the end of a string. That one
// compiles fmt's machinery into each file that calls it; this one uses the library's.
#pragma once

#include <string>

#include <fmt/format.h>

namespace overture {

template <class... Args>
void append_format(std::string& text, fmt::format_string<Args...> format, Args&&... args) {
  text += fmt::vformat(format, fmt::make_format_args(args...));
}

}  // namespace overture
