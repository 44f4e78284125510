#include "overture/system/schedule.h"

#include <algorithm>
#include <bit>

#include "overture/base/check.h"

namespace overture::system {

Schedule::Schedule(CollectiveKind kind, Algorithm algorithm, int ranks, Bytes data, int direction)
    : kind_(kind), algorithm_(algorithm.kind), ranks_(ranks), direction_(direction), data_(data) {
  check(ranks >= 2, "a phase has at least two ranks");
  const std::int64_t peers = ranks - 1;
  switch (algorithm.kind) {
    case AlgorithmKind::ring:
      // An all-to-all on a ring hands everything to the neighbour: N - 1 pieces, then N - 2, and so on.
      messages_ = kind == CollectiveKind::all_reduce   ? 2 * peers
                  : kind == CollectiveKind::all_to_all ? peers * ranks / 2
                                                       : peers;
      period_ = ranks;
      break;
    case AlgorithmKind::direct:
      messages_ = kind == CollectiveKind::all_reduce ? 2 * peers : peers;
      middle_ = kind == CollectiveKind::all_reduce ? peers : 0;
      window_ = algorithm.window == 0 ? ranks - 1 : std::min(algorithm.window, ranks - 1);
      own_packets_ = window_;
      period_ = 2 * own_packets_;
      break;
    case AlgorithmKind::halving_doubling:
      check(std::has_single_bit(static_cast<unsigned>(ranks)),
            "halving-doubling has a power of two of ranks");
      check(kind != CollectiveKind::all_to_all, "halving-doubling does not do all-to-all");
      log2_ranks_ = std::countr_zero(static_cast<unsigned>(ranks));
      messages_ = kind == CollectiveKind::all_reduce ? 2 * log2_ranks_ : log2_ranks_;
      period_ = log2_ranks_;
      break;
    case AlgorithmKind::double_binary_tree: check(false, "a tree is not a window schedule"); break;
  }
}

Exchange Schedule::exchange(std::int64_t k, int coordinate) const {
  switch (algorithm_) {
    case AlgorithmKind::ring: return {direction_, -direction_, size(k)};
    case AlgorithmKind::direct: {
      const int distance = static_cast<int>(k % (ranks_ - 1)) + 1;
      return {direction_ * distance, -direction_ * distance, size(k)};
    }
    default: {
      const int distance = halving_doubling_distance(k);
      const int offset = (coordinate & distance) == 0 ? distance : -distance;
      return {offset, offset, size(k)};
    }
  }
}

Bytes Schedule::size(std::int64_t k) const {
  if (algorithm_ == AlgorithmKind::halving_doubling) return halving_doubling_size(k);
  return kind_ == CollectiveKind::all_gather ? data_ : data_ / ranks_;
}

// Partners 1, 2, 4, ... apart on the way in; the same backwards on the way out.
int Schedule::halving_doubling_distance(std::int64_t k) const {
  const auto step = static_cast<int>(k);
  if (kind_ == CollectiveKind::all_gather) return ranks_ >> (step + 1);
  if (step < log2_ranks_) return 1 << step;
  return ranks_ >> (step - log2_ranks_ + 1);
}

// Half of what is left each time. The way out starts from twice the half of the last piece, so an odd byte is
// lost there as in the original.
Bytes Schedule::halving_doubling_size(std::int64_t k) const {
  const auto step = static_cast<int>(k);
  if (kind_ == CollectiveKind::all_gather) return data_ * (std::int64_t{1} << step);
  if (kind_ == CollectiveKind::reduce_scatter || step < log2_ranks_)
    return Bytes{data_.count() >> (step + 1)};
  return Bytes{data_.count() >> (log2_ranks_ + 1)} * (std::int64_t{1} << (step - log2_ranks_ + 1));
}

Preparation Schedule::preparation(std::int64_t k) const {
  const std::int64_t position = k % period_;
  if (position < own_packets_) return {.own_data = true, .reduce = false, .send_back = false};
  const bool first_half = k / period_ % 2 == 0;
  const bool reduce =
      kind_ == CollectiveKind::reduce_scatter || (kind_ == CollectiveKind::all_reduce && first_half);
  return {.own_data = false, .reduce = reduce, .send_back = period_ - position > own_packets_};
}

Bytes output_size(CollectiveKind kind, AlgorithmKind algorithm, int ranks, Bytes data) {
  // The tree ignores what it is asked for and does a whole all-reduce (ASTRA-sim 1.0, quirk 7).
  if (algorithm == AlgorithmKind::double_binary_tree) return data;
  if (kind == CollectiveKind::reduce_scatter) return data / ranks;
  if (kind == CollectiveKind::all_gather) return data * ranks;
  return data;
}

Duration reduction_time(Bytes size) {
  constexpr std::int64_t kBytesPerNs = 500'000;
  return Nanoseconds{3 * (size.count() / kBytesPerNs)};
}

}  // namespace overture::system
