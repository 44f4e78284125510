// What --help shows, in at most 80 columns.
#pragma once

#include <string>

#include "overture/cli/command.h"

namespace overture::cli {

// `path` is how the command is called, such as "overture generate dataset".
std::string help_text(const CommandText& command, const std::string& path);

}  // namespace overture::cli
