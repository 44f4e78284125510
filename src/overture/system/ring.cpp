// Everybody hands on to the next one along the dimension what came from the one before.
#include <algorithm>

#include "overture/system/algorithms.h"

namespace overture::system {
namespace {

using enum CollectiveKind;

// An all-to-all on a ring hands everything to the neighbour: N - 1 pieces, then N - 2, and so on. Pieces of
// one message follow each other round the ring, each on its own.
void lay_out_ring(WindowPhase& phase, int pieces) {
  phase.pieces = phase.window = std::max(1, pieces);
  const std::int64_t peers = phase.ranks - 1;
  const std::int64_t messages = phase.kind == all_reduce   ? 2 * peers
                                : phase.kind == all_to_all ? peers * phase.ranks / 2
                                                           : peers;
  phase.messages = messages * phase.pieces;
  phase.own_packets = phase.pieces;
  phase.period = std::int64_t{phase.ranks} * phase.pieces;
}

Peers neighbours(const WindowPhase& phase, std::int64_t, int) { return {phase.direction, -phase.direction}; }

constexpr WindowAlgorithm kWindow{.lay_out = lay_out_ring, .peers = neighbours};

}  // namespace

constinit const AlgorithmFacts kRing{.word = "ring",
                                     .can_do = {all_reduce, all_to_all, all_gather, reduce_scatter},
                                     .parameter = "pieces",
                                     .window = &kWindow};

}  // namespace overture::system
