#include "overture/cli/version.h"

#include <fmt/format.h>

namespace overture::cli {

std::string version_text() {
  return fmt::format("overture {} ({}, {} build)", OVERTURE_VERSION, OVERTURE_COMPILER, OVERTURE_BUILD_TYPE);
}

}  // namespace overture::cli
