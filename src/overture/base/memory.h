// How much memory the process may take. What needs more is refused before it begins, where its need can be
// told; where it cannot, an allocation fails with std::bad_alloc instead of taking the machine along.
#pragma once

#include <string_view>

#include "overture/base/units.h"

namespace overture {

// From now on the process gets no more than this. Whoever has set a smaller limit before us keeps it.
void limit_memory(Bytes most);
// Everything, without a limit.
Bytes memory_limit();

// Throws UserError when `needed` is more than the limit; `what` is the subject of its sentence, "a graph of 5
// links".
void require_memory(Bytes needed, std::string_view what);

}  // namespace overture
