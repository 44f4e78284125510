// MSCCL's XML as a collective's algorithm: thread blocks of GPUs whose sends and receives meet, as steps of
// chunks. Chunks that pass through scratch memory are followed to where they are reduced or copied to.
#pragma once

#include <string>
#include <string_view>

#include "overture/system/steps.h"

namespace overture::formats {

// Throws UserError, naming the line, for what is no such file, and for one that does not do the collective.
system::Steps parse_msccl(system::CollectiveKind kind, std::string_view text, const std::string& file);

}  // namespace overture::formats
