// The page that lists all runs, as web/ builds it.
#pragma once

#include <string_view>

namespace overture::serve {

std::string_view runs_page();

}  // namespace overture::serve
