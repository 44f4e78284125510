// The subcommands, one file each.
#pragma once

#include "overture/cli/command.h"

namespace overture::cli {

void add_astra(Command& root);

}  // namespace overture::cli
