// Partners 1, 2, 4, ... apart exchange halves of what is left; the same backwards on the way out.
#include <bit>

#include "overture/base/check.h"
#include "overture/system/algorithms.h"

namespace overture::system {
namespace {

using enum CollectiveKind;

int log2_ranks(const WindowPhase& phase) { return std::countr_zero(static_cast<unsigned>(phase.ranks)); }

void lay_out_halves(WindowPhase& phase, int) {
  check(std::has_single_bit(static_cast<unsigned>(phase.ranks)),
        "halving-doubling has a power of two of ranks");
  phase.period = log2_ranks(phase);
  phase.messages = phase.kind == all_reduce ? 2 * phase.period : phase.period;
}

int distance(const WindowPhase& phase, int step) {
  if (phase.kind == all_gather) return phase.ranks >> (step + 1);
  const int inwards = log2_ranks(phase);
  return step < inwards ? 1 << step : phase.ranks >> (step - inwards + 1);
}

Peers partner(const WindowPhase& phase, std::int64_t k, int coordinate) {
  const int away = distance(phase, static_cast<int>(k));
  const int offset = (coordinate & away) == 0 ? away : -away;
  return {offset, offset};
}

// Half of what is left each time. The way out starts from twice the half of the last piece, so an odd byte is
// lost there as in the original.
Bytes half(const WindowPhase& phase, std::int64_t k) {
  const auto step = static_cast<int>(k);
  const int inwards = log2_ranks(phase);
  if (phase.kind == all_gather) return phase.data * (std::int64_t{1} << step);
  if (phase.kind == reduce_scatter || step < inwards) return Bytes{phase.data.count() >> (step + 1)};
  return Bytes{phase.data.count() >> (inwards + 1)} * (std::int64_t{1} << (step - inwards + 1));
}

constexpr WindowAlgorithm kHalves{.lay_out = lay_out_halves, .peers = partner, .size = half};

}  // namespace

constinit const AlgorithmFacts kHalvingDoubling{.word = "halving_doubling",
                                                .can_do = {all_reduce, all_gather, reduce_scatter},
                                                .power_of_two = true,
                                                .window = &kHalves};

}  // namespace overture::system
