// Files of other tools, each a command of `overture import`.
#pragma once

#include "overture/cli/command.h"

namespace overture::cli {

void add_import_htsim_log(Command& import);

}  // namespace overture::cli
