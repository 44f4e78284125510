#include "overture/base/version.h"

#include <fmt/format.h>

namespace overture {

std::string version_text() {
  return fmt::format("overture {} ({}, {} build)", OVERTURE_VERSION, OVERTURE_COMPILER, OVERTURE_BUILD_TYPE);
}

}  // namespace overture
