// How much memory there is, and how much of it the process may take. What needs more is refused before it
// begins, where its need can be told; where it cannot, an allocation fails with std::bad_alloc instead of
// taking the machine along.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "overture/base/units.h"

namespace overture {

// What programs can still get without swapping: of the machine, or of the control group that this process is
// in (a container, a job of Slurm), where that is less. Nothing where the system does not say. Tests have a
// `system` of their own.
std::optional<Bytes> free_memory(const std::filesystem::path& system = "/");

// From now on the process gets no more than this. Whoever has set a smaller limit before us keeps it.
void limit_memory(Bytes most);
// Everything, without a limit.
Bytes memory_limit();

// Throws UserError when `needed` is more than the limit; `what` is the subject of its sentence, "a graph of 5
// links".
void require_memory(Bytes needed, std::string_view what);

}  // namespace overture
