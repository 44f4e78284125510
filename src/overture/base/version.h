// What this build is.
#pragma once

#include <string>

namespace overture {

// "overture 0.1.0 (g++ 12.2.0, Release)"
std::string version_text();

}  // namespace overture
