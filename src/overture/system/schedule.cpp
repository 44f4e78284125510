#include "overture/system/schedule.h"

#include "overture/base/check.h"

namespace overture::system {

Schedule::Schedule(CollectiveKind kind, Algorithm algorithm, int ranks, Bytes data, int direction)
    : algorithm_(algorithm.kind->window),
      phase_{.kind = kind, .ranks = ranks, .data = data, .direction = direction} {
  check(ranks >= 2, "a phase has at least two ranks");
  check(algorithm_ != nullptr, "only some algorithms keep a window of messages");
  check(algorithm.kind->can_do.has(kind), "the algorithm can do the collective");
  algorithm_->lay_out(phase_, algorithm.window);
}

void Schedule::in_named_group() {
  if (phase_.named_period > 0) phase_.period = phase_.named_period;
}

Exchange Schedule::exchange(std::int64_t k, int coordinate) const {
  const Peers peers = algorithm_->peers(phase_, k, coordinate);
  return {peers.to, peers.from, size(k)};
}

Preparation Schedule::preparation(std::int64_t k) const {
  const std::int64_t position = k % phase_.period;
  if (position < phase_.own_packets) return {.own_data = true, .reduce = false, .send_back = false};
  const bool first_half = k / phase_.period % 2 == 0;
  const bool reduce = phase_.kind == CollectiveKind::reduce_scatter ||
                      (phase_.kind == CollectiveKind::all_reduce && first_half);
  return {.own_data = false, .reduce = reduce, .send_back = phase_.period - position > phase_.own_packets};
}

Bytes output_size(CollectiveKind kind, AlgorithmKind algorithm, int ranks, Bytes data) {
  // The tree ignores what it is asked for and does a whole all-reduce (ASTRA-sim 1.0, quirk 7).
  if (algorithm == kDoubleBinaryTree) return data;
  if (kind == CollectiveKind::reduce_scatter) return data / ranks;
  if (kind == CollectiveKind::all_gather) return data * ranks;
  return data;
}

Duration reduction_time(Bytes size) {
  constexpr std::int64_t kBytesPerNs = 500'000;
  return Nanoseconds{3 * (size.count() / kBytesPerNs)};
}

}  // namespace overture::system
