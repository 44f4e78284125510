#include "overture/network/flow/max_min.h"

#include <algorithm>
#include <functional>

namespace overture::network::flow {
namespace {

constexpr double kRising = -1;
// Levels closer than this are one, lest flows that are alike get rates that differ in the last bit and end
// at different times.
constexpr double kSame = 1e-10;

}  // namespace

void MaxMin::solve(std::span<const double> capacity, std::span<const Demand> demands,
                   std::vector<double>& rates) {
  prepare(capacity, demands);
  rates.assign(demands.size(), kRising);
  heap_.clear();
  for (std::uint32_t link = 0; link < links_.size(); ++link) {
    if (links_[link].rising > 0) heap_.push_back({.level = links_[link].level(), .link = link});
  }
  std::ranges::make_heap(heap_, std::greater<>());
  double level = 0;
  while (!heap_.empty()) {
    const Candidate lowest = heap_.front();
    const Link& link = links_[lowest.link];
    if (link.rising == 0) {
      take_first();
      continue;
    }
    // A link's level only rises while flows elsewhere stop, so the lowest is right once it is up to date.
    const double now = link.level();
    if (now > lowest.level * (1 + kSame)) {
      sink({.level = now, .link = lowest.link});
      continue;
    }
    if (now > level * (1 + kSame)) level = now;
    take_first();
    fill(lowest.link, level, demands, rates);
  }
}

void MaxMin::take_first() {
  const Candidate last = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) sink(last);
}

// Puts it where the first of the heap was, and down to where it belongs: most levels rise by little, and then
// this is far cheaper than to take the first out and to add it again.
void MaxMin::sink(Candidate candidate) {
  std::size_t hole = 0;
  while (2 * hole + 1 < heap_.size()) {
    const std::size_t left = 2 * hole + 1;
    const std::size_t right = std::min(left + 1, heap_.size() - 1);
    const std::size_t child = left + static_cast<std::size_t>(heap_[left] > heap_[right]);
    if (!(candidate > heap_[child])) break;
    heap_[hole] = heap_[child];
    hole = child;
  }
  heap_[hole] = candidate;
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
    const double rate = rates[user] * demand.count;
    const double weight = demand.weight * demand.count;
    for (const Use& use : demand.uses) {
      Link& link = links_[use.link];
      link.left -= use.load * rate;
      link.weight -= use.load * weight;
      --link.rising;
    }
  }
}

}  // namespace overture::network::flow
