// Text in the format of gzip, in memory. The bytes depend on the text and on nothing else: no name, no time.
#pragma once

#include <string>
#include <string_view>

namespace overture {

// Needs a text below 4 GB.
std::string gzipped(std::string_view text);

}  // namespace overture
