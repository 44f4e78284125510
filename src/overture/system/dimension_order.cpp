#include "overture/system/dimension_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace overture::system {
namespace {

constexpr double kMegabyte = 1 << 20;

}  // namespace

DimensionOrder::DimensionOrder(InterOrder policy, std::vector<Dimension> dimensions)
    : policy_(policy), dimensions_(std::move(dimensions)) {
  for (int d = 0; d < static_cast<int>(dimensions_.size()); ++d) loads_.push_back({d});
}

void DimensionOrder::collective_created(Time now) {
  if (now <= last_created_) return;
  last_created_ = now;
  for (std::size_t d = 0; d < loads_.size(); ++d) loads_[d] = {static_cast<int>(d)};
}

ChunkOrder DimensionOrder::next(CollectiveKind kind, Bytes left, Bytes nominal, const DimensionMask& mask) {
  const bool greedy = policy_ == InterOrder::themis || policy_ == InterOrder::themis_flex;
  if (greedy && kind != CollectiveKind::all_to_all) return themis(kind, left, nominal, mask);
  ChunkOrder order{.dimensions = std::vector<int>(dimensions_.size()), .size = std::min(left, nominal)};
  std::iota(order.dimensions.begin(), order.dimensions.end(), 0);
  if (kind == CollectiveKind::all_gather) std::reverse(order.dimensions.begin(), order.dimensions.end());
  if (policy_ == InterOrder::round_robin) {
    std::rotate(order.dimensions.begin(), order.dimensions.begin() + static_cast<std::ptrdiff_t>(rotation_),
                order.dimensions.end());
    rotation_ = (rotation_ + 1) % dimensions_.size();
  }
  return order;
}

bool DimensionOrder::used(int dimension, const DimensionMask& mask) const {
  const auto d = static_cast<std::size_t>(dimension);
  return mask[d] && dimensions_[d].size > 1;
}

double DimensionOrder::relative_bandwidth(int dimension) const {
  return dimensions_[static_cast<std::size_t>(dimension)].gib_per_s / dimensions_[0].gib_per_s;
}

// Themis (Rashidi et al., ISCA 2022), as ASTRA-sim 1.0 computes it: the chunk goes first where the load is
// least, unless the loads are so even that the plain order does as well.
ChunkOrder DimensionOrder::themis(CollectiveKind kind, Bytes left, Bytes nominal, const DimensionMask& mask) {
  const bool gather = kind == CollectiveKind::all_gather;
  std::stable_sort(loads_.begin(), loads_.end(),
                   [](const Load& a, const Load& b) { return a.megabytes < b.megabytes; });
  if (gather) std::reverse(loads_.begin(), loads_.end());
  const auto first =
      std::find_if(loads_.begin(), loads_.end(), [&](const Load& l) { return used(l.dimension, mask); });
  auto chunk = static_cast<std::uint64_t>(nominal.count());
  ChunkOrder order{.dimensions = {}, .size = std::min(left, nominal)};
  if (first != loads_.end()) {
    const std::uint64_t gap = balancing_bytes(gather, static_cast<std::size_t>(first - loads_.begin()), mask);
    const bool flexible = policy_ == InterOrder::themis_flex;
    const std::uint64_t threshold = flexible ? chunk : chunk / 16;
    if (gap < threshold) {
      if (flexible) chunk = static_cast<std::uint64_t>(order.size.count());
      order.dimensions = ascending_with_load(gather, chunk, mask);
      return order;
    }
    if (flexible) {
      chunk = gap;
      order.size = std::min(left, Bytes{static_cast<std::int64_t>(gap)});
    }
  }
  for (Load& load : loads_) {
    order.dimensions.push_back(load.dimension);
    if (used(load.dimension, mask)) chunk = add_load(load, load.dimension, gather, chunk);
  }
  return order;
}

// How many bytes would level the gap between the first usable dimension and the last of the order.
std::uint64_t DimensionOrder::balancing_bytes(bool gather, std::size_t first,
                                              const DimensionMask& mask) const {
  if (!gather) {
    const Load& load = loads_[first];
    const double gap = std::fabs(loads_.back().megabytes - load.megabytes);
    const double size = dimensions_[static_cast<std::size_t>(load.dimension)].size;
    return static_cast<std::uint64_t>(gap * relative_bandwidth(load.dimension) / ((size - 1) / size) *
                                      kMegabyte);
  }
  std::size_t last = loads_.size() - 1;
  while (!used(loads_[last].dimension, mask)) --last;
  const double gap = std::fabs(loads_[last].megabytes - loads_[first].megabytes);
  const double size = dimensions_[static_cast<std::size_t>(loads_[last].dimension)].size;
  auto bytes =
      static_cast<std::uint64_t>(gap * relative_bandwidth(loads_[last].dimension) / (size - 1) * kMegabyte);
  for (std::size_t i = last; i-- > first;) {
    if (used(loads_[i].dimension, mask)) {
      bytes /= static_cast<std::uint64_t>(dimensions_[static_cast<std::size_t>(loads_[i].dimension)].size);
    }
  }
  return bytes;
}

std::uint64_t DimensionOrder::add_load(Load& load, int dimension, bool gather, std::uint64_t chunk) const {
  const int size = dimensions_[static_cast<std::size_t>(dimension)].size;
  const double megabytes = static_cast<double>(chunk) / kMegabyte;
  const double sent = gather ? megabytes * (size - 1) : megabytes * (static_cast<double>(size - 1) / size);
  load.megabytes += sent / relative_bandwidth(dimension);
  return gather ? chunk * static_cast<std::uint64_t>(size) : chunk / static_cast<std::uint64_t>(size);
}

// The original keeps the loads of an all-gather in descending order here but adds to them by position, so the
// load of one dimension lands on its mirror image; its schedules depend on it.
std::vector<int> DimensionOrder::ascending_with_load(bool gather, std::uint64_t chunk,
                                                     const DimensionMask& mask) {
  std::sort(loads_.begin(), loads_.end(),
            [](const Load& a, const Load& b) { return a.dimension < b.dimension; });
  if (gather) std::reverse(loads_.begin(), loads_.end());
  std::vector<int> order(loads_.size());
  std::iota(order.begin(), order.end(), 0);
  for (const int d : order) {
    if (used(d, mask)) chunk = add_load(loads_[static_cast<std::size_t>(d)], d, gather, chunk);
  }
  return order;
}

}  // namespace overture::system
