// ASTRA-sim's command line accepts any unambiguous prefix of an option: --num-p 2. Ours does under `astra`.
#pragma once

#include <string>
#include <vector>

namespace overture::cli {

inline constexpr const char* kAstraProgram = "AnalyticalAstra";
// Those of ASTRA-sim 2.
inline constexpr const char* kAstra2Unaware = "AstraSim_Analytical_Congestion_Unaware";
inline constexpr const char* kAstra2Aware = "AstraSim_Analytical_Congestion_Aware";

// Called by the name of a program of ASTRA-sim, the program is `overture astra` or `overture astra2`.
std::vector<std::string> as_called(std::vector<std::string> arguments);

// Writes out prefixes when the command is `astra` or `import astra`; leaves everything else alone.
std::vector<std::string> expand_astra_prefixes(std::vector<std::string> arguments);

}  // namespace overture::cli
