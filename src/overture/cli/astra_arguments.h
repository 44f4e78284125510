// ASTRA-sim's command line accepts any unambiguous prefix of an option: --num-p 2. Ours does under `astra`.
#pragma once

#include <string>
#include <vector>

namespace overture::cli {

inline constexpr const char* kAstraProgram = "AnalyticalAstra";

// Called as AnalyticalAstra, the name of ASTRA-sim's program, the program is `overture astra`.
std::vector<std::string> as_called(std::vector<std::string> arguments);

// Writes out prefixes when the command is `astra` or `import astra`; leaves everything else alone.
std::vector<std::string> expand_astra_prefixes(std::vector<std::string> arguments);

}  // namespace overture::cli
