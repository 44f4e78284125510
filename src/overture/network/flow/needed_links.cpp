#include "overture/network/flow/needed_links.h"

#include <utility>

namespace overture::network::flow {

void NeededLinks::reset(std::uint32_t link_classes, Capacity capacity) {
  capacity_ = std::move(capacity);
  needed_.assign(link_classes, capacity_ == nullptr);
  for (Side& side : sides_) {
    side.share.clear();
    side.total.assign(link_classes, 0);
  }
}

bool NeededLinks::becomes_needed(const FlowClass& flows, const Use& use) {
  constexpr double kRounding = 1 + 1e-9;
  const double most = capacity_(use.link) * kRounding;
  bool fits = false;
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    const std::uint32_t host_link = i == 0 ? flows.first : flows.last;
    if (host_link == kNoLink || host_link == use.link) return true;
    add(sides_[i], use.link, host_link, use.load / use_of(flows.uses, host_link)->load);
    fits |= sides_[i].total[use.link] <= most;
  }
  return !fits;
}

void NeededLinks::add(Side& side, std::uint32_t link, std::uint32_t host_link, double share) {
  double& known = side.share[std::uint64_t{link} << 32 | host_link];
  if (share <= known) return;
  side.total[link] += (share - known) * capacity_(host_link);
  known = share;
}

}  // namespace overture::network::flow
