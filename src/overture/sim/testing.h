// For the tests of this folder: counts what the whole test program allocates.
#pragma once

#include <cstdint>

namespace overture::sim {

// How often operator new has been called so far.
std::uint64_t allocations();

}  // namespace overture::sim
