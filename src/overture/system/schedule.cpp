#include "overture/system/schedule.h"

#include <algorithm>
#include <bit>

#include "overture/base/check.h"

namespace overture::system {

Schedule::Schedule(CollectiveKind kind, Algorithm algorithm, int ranks, Bytes data, int direction)
    : kind_(kind), algorithm_(algorithm.kind), ranks_(ranks), direction_(direction), data_(data) {
  check(ranks >= 2, "a phase has at least two ranks");
  switch (algorithm.kind) {
    case AlgorithmKind::ring: set_ring(std::max(1, algorithm.window)); break;
    case AlgorithmKind::direct:
    case AlgorithmKind::naive_direct: set_direct(algorithm.window); break;
    case AlgorithmKind::halving_doubling: set_halving_doubling(); break;
    case AlgorithmKind::pairwise:
      check(kind == CollectiveKind::all_to_all, "pairwise does only all-to-all");
      messages_ = ranks - 1;
      break;
    case AlgorithmKind::bruck:
      check(kind == CollectiveKind::all_to_all, "Bruck's algorithm does only all-to-all");
      messages_ = std::bit_width(static_cast<unsigned>(ranks - 1));
      break;
    default: check(false, "this algorithm is not a window schedule"); break;
  }
}

// An all-to-all on a ring hands everything to the neighbour: N - 1 pieces, then N - 2, and so on. Pieces of
// one message follow each other round the ring, each on its own.
void Schedule::set_ring(int pieces) {
  const std::int64_t peers = ranks_ - 1;
  messages_ = kind_ == CollectiveKind::all_reduce   ? 2 * peers
              : kind_ == CollectiveKind::all_to_all ? peers * ranks_ / 2
                                                    : peers;
  messages_ *= pieces;
  pieces_ = window_ = pieces;
  own_packets_ = pieces;
  period_ = std::int64_t{ranks_} * pieces;
}

void Schedule::set_direct(int window) {
  const std::int64_t peers = ranks_ - 1;
  messages_ = kind_ == CollectiveKind::all_reduce ? 2 * peers : peers;
  middle_ = kind_ == CollectiveKind::all_reduce ? peers : 0;
  window_ = window == 0 ? ranks_ - 1 : std::min(window, ranks_ - 1);
  own_packets_ = window_;
  period_ = 2 * own_packets_;
}

void Schedule::in_named_group() {
  if (algorithm_ == AlgorithmKind::direct) period_ = own_packets_ + std::int64_t{ranks_ - 1} * own_packets_;
}

void Schedule::set_halving_doubling() {
  check(std::has_single_bit(static_cast<unsigned>(ranks_)), "halving-doubling has a power of two of ranks");
  check(kind_ != CollectiveKind::all_to_all, "halving-doubling does not do all-to-all");
  log2_ranks_ = std::countr_zero(static_cast<unsigned>(ranks_));
  messages_ = kind_ == CollectiveKind::all_reduce ? 2 * log2_ranks_ : log2_ranks_;
  period_ = log2_ranks_;
}

Exchange Schedule::exchange(std::int64_t k, int coordinate) const {
  switch (algorithm_) {
    case AlgorithmKind::ring: return {direction_, -direction_, size(k)};
    case AlgorithmKind::direct: {
      const int distance = static_cast<int>(k % (ranks_ - 1)) + 1;
      return {direction_ * distance, -direction_ * distance, size(k)};
    }
    case AlgorithmKind::naive_direct: {
      const int offset = naive_peer(k, coordinate) - coordinate;
      return {offset, offset, size(k)};
    }
    case AlgorithmKind::bruck: {
      const int distance = 1 << k;
      return {direction_ * distance, -direction_ * distance, size(k)};
    }
    case AlgorithmKind::pairwise: {
      const int distance = static_cast<int>(k) + 1;
      // With a power of two of ranks two partners exchange with each other.
      if (!std::has_single_bit(static_cast<unsigned>(ranks_)))
        return {direction_ * distance, -direction_ * distance, size(k)};
      const int offset = (coordinate ^ distance) - coordinate;
      return {offset, offset, size(k)};
    }
    default: {
      const int distance = halving_doubling_distance(k);
      const int offset = (coordinate & distance) == 0 ? distance : -distance;
      return {offset, offset, size(k)};
    }
  }
}

// The k-th of the others, counted from the first rank.
int Schedule::naive_peer(std::int64_t k, int coordinate) const {
  const int other = static_cast<int>(k % (ranks_ - 1));
  return other < coordinate ? other : other + 1;
}

std::int64_t Schedule::number_at_receiver(std::int64_t k, int coordinate) const {
  if (algorithm_ != AlgorithmKind::naive_direct) return k;
  const int to = naive_peer(k, coordinate);
  const std::int64_t round = k / (ranks_ - 1);
  return round * (ranks_ - 1) + (coordinate < to ? coordinate : coordinate - 1);
}

Bytes Schedule::size(std::int64_t k) const {
  if (algorithm_ == AlgorithmKind::halving_doubling) return halving_doubling_size(k);
  if (algorithm_ == AlgorithmKind::bruck) return bruck_size(k);
  return (kind_ == CollectiveKind::all_gather ? data_ : data_ / ranks_) / pieces_;
}

// Message k carries everything whose way still has a step of 2^k in it (Bruck et al., 1997).
Bytes Schedule::bruck_size(std::int64_t k) const {
  const std::int64_t step = std::int64_t{1} << k;
  const std::int64_t whole = ranks_ / (2 * step);
  const std::int64_t blocks = whole * step + std::max<std::int64_t>(0, ranks_ % (2 * step) - step);
  return data_ / ranks_ * blocks;
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
