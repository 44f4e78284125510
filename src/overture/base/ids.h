// Ids as types: a rank cannot pass for a dimension.
#pragma once

#include <cstdint>

namespace overture {

// One NPU (GPU, TPU, ...) of the simulated machine, from 0.
enum class Rank : std::int32_t {};

constexpr std::int32_t index(Rank rank) { return static_cast<std::int32_t>(rank); }

}  // namespace overture
