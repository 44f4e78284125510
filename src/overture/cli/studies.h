// The studies, each a command of `overture study`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "overture/cli/command.h"

namespace overture::cli {

void add_astra_tutorial(Command& study);
void add_failures(Command& study);
void add_cache_networks(Command& study);
void add_hoti_dlrm(Command& study);
void add_opera_dlrm(Command& study);

// "16,128" as its words; empty ones are left out.
std::vector<std::string> words_of(std::string_view list);

}  // namespace overture::cli
