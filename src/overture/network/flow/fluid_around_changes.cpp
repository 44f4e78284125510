// The part of the fluid that solves only around what has changed.
#include <algorithm>
#include <cmath>
#include <limits>

#include "overture/network/flow/fluid.h"

namespace overture::network::flow {

// Rates are max-min fair if each flow has a link that is full and on which nobody is faster (Bertsekas &
// Gallager, 6.5.2). So lanes for which this still holds keep their rates: from those that the change
// concerns, lanes are joined and solved until it holds for all others. Gives up, and has done nothing, when
// that is most lanes: then they are better solved at once.
bool Fluid::solve_around_changes(Time now) {
  constexpr int kMostRounds = 16;
  if (!steady_ || !relays_.empty() || filled_.size() < kManyLanes) return false;
  seen_.resize(lanes_.size());
  joined_at_.resize(lanes_.size());
  component_.clear();
  component_links_.clear();
  taken_.clear();
  for (const std::uint32_t link : changed_) {
    for (const User& user : users_now(link)) {
      const std::uint32_t bottleneck = lanes_[user.name.lane].bottleneck;
      if (bottleneck == kNoLink || bottleneck == link) join(user.name.lane, now);
    }
  }
  for (int round = 0; 2 * component_.size() <= filled_.size() && round < kMostRounds; ++round) {
    solve_joined();
    const std::size_t joined = component_.size();
    for (std::size_t i = 0; i < component_links_.size(); ++i) join_users(i, now);
    if (component_.size() > joined) continue;
    keep_rates();
    changed_.clear();
    return true;
  }
  leave_joined();
  return false;
}

void Fluid::join(LaneId id, Time now) {
  if (seen_[id] == solutions_ + 1) return;
  seen_[id] = solutions_ + 1;
  joined_at_[id] = static_cast<std::uint32_t>(component_.size());
  component_.push_back(id);
  const Lane& lane = lanes_[id];
  for (const Use& use : lane.needed) {
    const bool known = local_[use.link] != 0;
    const std::uint32_t place = visit(use.link, now);
    if (known) taken_[place] -= use.load * sharing(lane) * lane.rate;
  }
}

// The place of the link in component_links_. What the lanes take that have not joined is found out there.
std::uint32_t Fluid::visit(std::uint32_t link, Time now) {
  if (local_[link] == 0) {
    component_links_.push_back(link);
    local_[link] = static_cast<std::uint32_t>(component_links_.size());
    double taken = 0;
    for (const User& user : users_now(link)) {
      const Lane& lane = lanes_[user.name.lane];
      if (seen_[user.name.lane] != solutions_ + 1) taken += user.load * sharing(lane) * lane.rate;
    }
    taken_.push_back(taken);
    capacity_now(link, now);
  }
  return local_[link] - 1;
}

void Fluid::solve_joined() {
  demands_of_component();
  capacities_.clear();
  for (std::size_t i = 0; i < component_links_.size(); ++i)
    capacities_.push_back(std::max(0.0, known_[component_links_[i]].capacity - taken_[i]));
  max_min_.solve(capacities_, demands_, rates_);
}

// Users of the link for which the rates found so far leave nothing that keeps them where they are.
void Fluid::join_users(std::size_t i, Time now) {
  constexpr double kMore = 1 + 1e-9;
  const std::uint32_t link = component_links_[i];
  double used = taken_[i];
  double fastest = 0;
  double level = std::numeric_limits<double>::infinity();  // of those that this link stops
  const std::size_t solved = rates_.size();
  for (const User& user : users_[link]) {
    const LaneId id = user.name.lane;
    if (seen_[id] != solutions_ + 1) continue;
    const std::uint32_t at = joined_at_[id];
    if (at >= solved) return;  // there is another round in any case
    const Lane& lane = lanes_[id];
    used += user.load * sharing(lane) * rates_[at];
    fastest = std::max(fastest, rates_[at] / lane.weight);
    if (max_min_.bottleneck(at) == i) level = rates_[at] / lane.weight;
  }
  const bool full = used * kMore >= known_[link].capacity;
  for (const User& user : users_[link]) {
    const Lane& lane = lanes_[user.name.lane];
    const double rate = lane.rate / lane.weight;
    const bool stays = lane.bottleneck != link || (full && fastest <= rate * kMore);
    if (rate > level * kMore || !stays) join(user.name.lane, now);
  }
}

// Lanes whose rate differs in its last bits alone end when they would have ended.
void Fluid::keep_rates() {
  constexpr double kSame = 1e-12;
  for (std::size_t i = 0; i < component_.size(); ++i) {
    const double before = lanes_[component_[i]].rate;
    if (std::abs(rates_[i] - before) <= kSame * before) rates_[i] = before;
  }
}

void Fluid::leave_joined() {
  for (const LaneId id : component_) seen_[id] = 0;
  for (const std::uint32_t link : component_links_) local_[link] = 0;
}

}  // namespace overture::network::flow
