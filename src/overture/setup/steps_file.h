// A collective's algorithm in a file, to try one without compiling: MSCCL's XML, or CSV:
// step,from,to,chunk,action, where the action is reduce or copy. Steps are played in ascending order; see
// system/steps.h.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "overture/system/steps.h"

namespace overture::setup {

// Throws UserError, naming the line, for a file that cannot be read, and naming the step for one that does
// not do the collective.
std::shared_ptr<const system::Steps> read_steps(system::CollectiveKind kind,
                                                const std::filesystem::path& file);
system::Steps parse_steps(system::CollectiveKind kind, std::string_view text, const std::string& file);

}  // namespace overture::setup
