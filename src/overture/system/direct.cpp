// Everybody sends to everybody without a stop on the way: the nearest first, or, naively, the first rank
// first.
#include <algorithm>

#include "overture/system/algorithms.h"

namespace overture::system {
namespace {

using enum CollectiveKind;

void lay_out_direct(WindowPhase& phase, int window) {
  const int peers = phase.ranks - 1;
  phase.messages = phase.kind == all_reduce ? 2 * std::int64_t{peers} : peers;
  phase.middle = phase.kind == all_reduce ? peers : 0;
  phase.window = window == 0 ? peers : std::min(window, peers);
  phase.own_packets = phase.window;
  phase.period = 2 * phase.own_packets;
}

// In a group that ASTRA-sim 2 knows by name all but the first packets of a phase are reduced alike.
void lay_out_nearest_first(WindowPhase& phase, int window) {
  lay_out_direct(phase, window);
  phase.named_period = phase.own_packets * phase.ranks;
}

Peers by_distance(const WindowPhase& phase, std::int64_t k, int) {
  const int distance = static_cast<int>(k % (phase.ranks - 1)) + 1;
  return {phase.direction * distance, -phase.direction * distance};
}

// The k-th of the others, counted from the first rank.
int kth_other(const WindowPhase& phase, std::int64_t k, int coordinate) {
  const int other = static_cast<int>(k % (phase.ranks - 1));
  return other < coordinate ? other : other + 1;
}

Peers in_order(const WindowPhase& phase, std::int64_t k, int coordinate) {
  const int offset = kth_other(phase, k, coordinate) - coordinate;
  return {offset, offset};
}

// The receiver counts its peers from the first rank, too.
std::int64_t number_in_order(const WindowPhase& phase, std::int64_t k, int coordinate) {
  const int to = kth_other(phase, k, coordinate);
  const std::int64_t round = k / (phase.ranks - 1);
  return round * (phase.ranks - 1) + (coordinate < to ? coordinate : coordinate - 1);
}

constexpr WindowAlgorithm kNearestFirst{.lay_out = lay_out_nearest_first, .peers = by_distance};
constexpr WindowAlgorithm kFirstRankFirst{
    .lay_out = lay_out_direct, .peers = in_order, .number_at_receiver = number_in_order};

}  // namespace

constinit const AlgorithmFacts kDirect{.word = "direct",
                                       .can_do = {all_reduce, all_to_all, all_gather, reduce_scatter},
                                       .parameter = "window",
                                       .window = &kNearestFirst};

constinit const AlgorithmFacts kNaiveDirect{.word = "naive_direct",
                                            .can_do = {all_reduce, all_to_all, all_gather, reduce_scatter},
                                            .parameter = "window",
                                            .window = &kFirstRankFirst};

}  // namespace overture::system
