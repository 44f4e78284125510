// The page without its data, as web/ builds it; part of the program, so that users need no Node.
#pragma once

#include <string_view>

namespace overture::report {

std::string_view page_template();

}  // namespace overture::report
