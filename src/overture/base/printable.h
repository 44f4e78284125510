// Text of the user's on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace overture {

// Control characters, which could move the cursor or change colours, as \\x1b; all else as it is.
std::string printable(std::string_view text);

}  // namespace overture
