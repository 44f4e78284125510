// Bruck's all-to-all (Bruck et al., 1997): log n messages, in which every byte goes several steps.
#include <algorithm>
#include <bit>

#include "overture/system/algorithms.h"

namespace overture::system {
namespace {

void lay_out_doublings(WindowPhase& phase, int) {
  phase.messages = std::bit_width(static_cast<unsigned>(phase.ranks - 1));
}

Peers doubled_distance(const WindowPhase& phase, std::int64_t k, int) {
  const int distance = 1 << k;
  return {phase.direction * distance, -phase.direction * distance};
}

// Message k carries everything whose way still has a step of 2^k in it.
Bytes blocks_on_their_way(const WindowPhase& phase, std::int64_t k) {
  const std::int64_t step = std::int64_t{1} << k;
  const std::int64_t whole = phase.ranks / (2 * step);
  const std::int64_t blocks = whole * step + std::max<std::int64_t>(0, phase.ranks % (2 * step) - step);
  return phase.data / phase.ranks * blocks;
}

constexpr WindowAlgorithm kDoublings{
    .lay_out = lay_out_doublings, .peers = doubled_distance, .size = blocks_on_their_way};

}  // namespace

constinit const AlgorithmFacts kBruck{
    .word = "bruck", .can_do = {CollectiveKind::all_to_all}, .window = &kDoublings};

}  // namespace overture::system
