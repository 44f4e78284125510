// An all-to-all with one partner after the other.
#include <bit>

#include "overture/system/algorithms.h"

namespace overture::system {
namespace {

void lay_out_partners(WindowPhase& phase, int) { phase.messages = phase.ranks - 1; }

// With a power of two of ranks two partners exchange with each other.
Peers partner_of_step(const WindowPhase& phase, std::int64_t k, int coordinate) {
  const int distance = static_cast<int>(k) + 1;
  if (!std::has_single_bit(static_cast<unsigned>(phase.ranks)))
    return {phase.direction * distance, -phase.direction * distance};
  const int offset = (coordinate ^ distance) - coordinate;
  return {offset, offset};
}

constexpr WindowAlgorithm kPartners{.lay_out = lay_out_partners, .peers = partner_of_step};

}  // namespace

constinit const AlgorithmFacts kPairwise{
    .word = "pairwise", .can_do = {CollectiveKind::all_to_all}, .window = &kPartners};

}  // namespace overture::system
