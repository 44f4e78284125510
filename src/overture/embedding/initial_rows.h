// What a row is before training: uniform in +-sqrt(1/rows of its table), as DLRM starts, each number from a
// counter (seed, table, id, column), so that any row can be made anywhere, in any order, by any server.
#pragma once

#include <cstdint>

#include "overture/base/hash.h"
#include "overture/embedding/optimizer.h"

namespace overture::embedding {

// Well-mixed 64 bits (Steele et al., SplitMix, 2014).
constexpr std::uint64_t mixed(std::uint64_t x) { return split_mix(x + kGoldenStep); }

// In [-1, 1), from the upper 24 bits: every value is exact.
constexpr float signed_unit(std::uint64_t bits) {
  return static_cast<float>(static_cast<std::int32_t>(bits >> 40) - (1 << 23)) * 0x1.0p-23f;
}

struct InitialRows {
  std::uint64_t seed = 0;

  // Fills the row's numbers, and zeros its state.
  void fill(std::int64_t table, std::int64_t id, float bound, const RowLayout& layout, float* row) const {
    const std::uint64_t key = mixed(mixed(seed ^ mixed(static_cast<std::uint64_t>(table))) ^
                                    static_cast<std::uint64_t>(id) * 0xd1342543de82ef95u);
    for (std::int32_t c = 0; c < layout.dim; ++c) {
      row[c] = bound * signed_unit(mixed(key + static_cast<std::uint64_t>(c) * 0x9e3779b97f4a7c15u));
    }
    for (std::int32_t c = layout.dim; c < layout.stride; ++c) row[c] = 0;
  }
};

}  // namespace overture::embedding
