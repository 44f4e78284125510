// ASTRA-sim's command line accepts any unambiguous prefix of an option: --num-p 2. Ours does under `astra`.
#pragma once

#include <string>
#include <vector>

namespace overture::cli {

// Writes out prefixes when the command is `astra` or `import astra`; leaves everything else alone.
std::vector<std::string> expand_astra_prefixes(std::vector<std::string> arguments);

}  // namespace overture::cli
