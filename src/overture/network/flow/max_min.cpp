#include "overture/network/flow/max_min.h"

#include <limits>

namespace overture::network::flow {
namespace {

constexpr double kRising = -1;
constexpr double kNever = std::numeric_limits<double>::infinity();
// Levels closer than this are one, lest flows that are alike get rates that differ in the last bit and end
// at different times.
constexpr double kSame = 1e-10;

}  // namespace

void MaxMin::solve(std::span<const double> capacity, std::span<const Demand> demands,
                   std::vector<double>& rates) {
  prepare(capacity, demands);
  rates.assign(demands.size(), kRising);
  bottlenecks_.assign(demands.size(), 0);
  if (links_.empty()) return;
  levels_.reset(links_.size());
  for (std::uint32_t link = 0; link < links_.size(); ++link) {
    if (links_[link].rising > 0) levels_.set(link, links_[link].level());
  }
  levels_.build();
  // A link's level only rises while flows elsewhere stop.
  double level = 0;
  while (levels_.least() < kNever) {
    const auto lowest = static_cast<std::uint32_t>(levels_.place());
    const double now = links_[lowest].level();
    if (now > level * (1 + kSame)) level = now;
    levels_.raise(lowest, kNever);
    fill(lowest, level, demands, rates);
  }
}

void MaxMin::prepare(std::span<const double> capacity, std::span<const Demand> demands) {
  links_.assign(capacity.size(), {});
  std::size_t uses = 0;
  for (const Demand& demand : demands) {
    uses += demand.uses.size();
    const double weight = demand.weight * demand.count;
    for (const Use& use : demand.uses) {
      links_[use.link].weight += use.load * weight;
      ++links_[use.link].rising;
    }
  }
  std::uint32_t first = 0;
  for (std::uint32_t link = 0; link < links_.size(); ++link) {
    links_[link].left = capacity[link];
    links_[link].first = first;
    first += links_[link].rising;
  }
  users_.resize(uses);
  for (std::uint32_t i = 0; i < demands.size(); ++i) {
    for (const Use& use : demands[i].uses) users_[links_[use.link].first++] = i;
  }
  for (Link& link : links_) link.first -= link.rising;
}

void MaxMin::fill(std::uint32_t full, double level, std::span<const Demand> demands,
                  std::vector<double>& rates) {
  const std::uint32_t first = links_[full].first;
  const std::uint32_t end =
      full + 1 < links_.size() ? links_[full + 1].first : static_cast<std::uint32_t>(users_.size());
  for (std::uint32_t i = first; i < end; ++i) {
    const std::uint32_t user = users_[i];
    if (rates[user] != kRising) continue;
    const Demand& demand = demands[user];
    rates[user] = demand.weight * level;
    bottlenecks_[user] = full;
    const double rate = rates[user] * demand.count;
    const double weight = demand.weight * demand.count;
    for (const Use& use : demand.uses) {
      Link& link = links_[use.link];
      link.left -= use.load * rate;
      link.weight -= use.load * weight;
      --link.rising;
      if (use.link == full) continue;
      const double before = levels_[use.link];
      const double now = link.rising == 0 ? kNever : link.level();
      if (now > before * (1 + kSame)) levels_.raise(use.link, now);
    }
  }
}

}  // namespace overture::network::flow
