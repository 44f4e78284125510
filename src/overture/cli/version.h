// What this build is.
#pragma once

#include "overture/base/version.h"  // IWYU pragma: export
