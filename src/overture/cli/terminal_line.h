// A line that a program wrote to a terminal, as text: what a reader of the terminal would see in the end.
#pragma once

#include <string>
#include <string_view>

namespace overture::cli {

// What was written over by a carriage return is left out, and so are commands to the terminal (colours,
// "erase this line") and other control characters but tabs.
std::string terminal_line(std::string_view written);

}  // namespace overture::cli
