// Small things to do with text for people.
#pragma once

#include <string>
#include <string_view>

namespace overture {

// Breaks `text` at spaces so that no line is longer than `width`, its own indent included; lines after the
// first start with `indent` spaces, which the first is assumed to have already.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace overture
