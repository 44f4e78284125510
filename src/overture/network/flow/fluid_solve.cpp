// The part of Fluid that finds new rates: which lanes and links a change reaches, and what max-min fairness
// gives them.
#include <algorithm>
#include <span>
#include <utility>

#include "overture/network/flow/fluid.h"

namespace overture::network::flow {
namespace {

// If many lanes, and more than half of all, were one component, all are solved without looking for a while.
constexpr int kSolutionsWithoutSearch = 15;

}  // namespace

// The lanes and links on which a change on `changed_` can be felt. A lane with a link that is shut stands
// still and, once it does, passes nothing on, so that with rotors only the circuits that are open are looked
// at.
void Fluid::find_component(Time now) {
  component_.clear();
  component_links_.clear();
  seen_.resize(lanes_.size());
  const auto visit = [&](std::uint32_t link) {
    if (local_[link] != 0) return;
    component_links_.push_back(link);
    local_[link] = static_cast<std::uint32_t>(component_links_.size());
  };
  for (const std::uint32_t link : changed_) visit(link);
  changed_.clear();
  // What is relayed goes everywhere.
  for (const Relays& each : relays_) {
    for (const auto& side : {each.out, each.in}) std::ranges::for_each(side, visit);
  }
  for (std::size_t i = 0; i < component_links_.size(); ++i) {
    for (const User& user : users_now(component_links_[i])) {
      const Name& name = user.name;
      if (seen_[name.lane] == solutions_ + 1) continue;
      seen_[name.lane] = solutions_ + 1;
      const Lane& lane = lanes_[name.lane];
      if (!steady_ && stands_still(lane, now)) {
        if (lane.rate > 0) std::ranges::for_each(lane.needed, visit, &Use::link);
        set_rate(name.lane, 0, now);
        continue;
      }
      component_.push_back(name.lane);
      for (const Use& use : lane.needed) visit(use.link);
    }
  }
}

// Those that are still there.
const std::vector<Fluid::User>& Fluid::users_now(std::uint32_t link) {
  std::vector<User>& users = users_[link];
  std::erase_if(users, [&](const User& user) { return !in_use(user.name); });
  return users;
}

bool Fluid::stands_still(const Lane& lane, Time now) {
  return std::ranges::any_of(lane.needed, [&](const Use& use) { return capacity_now(use.link, now) <= 0; });
}

// Asked for once in a solution.
double Fluid::capacity_now(std::uint32_t link, Time now) {
  Known& known = known_[link];
  if (known.solution != solutions_ + 1)
    known = {.solution = solutions_ + 1, .capacity = capacity_(link, now)};
  return known.capacity;
}

void Fluid::set_relays(std::vector<RelayLink> links, std::vector<Relays> relays, double most_each) {
  relay_links_ = std::move(links);
  relays_ = std::move(relays);
  most_each_ = most_each;
}

void Fluid::solve(Time now) {
  if (nothing_changed()) return note_first_ends();
  const bool all = unsearched_ > 0;
  if (all) {
    take_all(now);
    max_min_.solve(capacities_, demands_, rates_);
  } else if (!solve_around_changes(now)) {
    find_component(now);
    add_demands(now);
    max_min_.solve(capacities_, demands_, rates_);
    if (!relays_.empty()) add_relayed();
  }
  for (const std::uint32_t link : component_links_) local_[link] = 0;
  for (std::size_t i = 0; i < component_.size(); ++i) {
    const std::uint32_t full = max_min_.bottleneck(i);
    lanes_[component_[i]].bottleneck = all ? full : component_links_[full];
    set_rate(component_[i], rates_[i], now);
  }
  note_ends();
  ++solutions_;
  solved_lanes_ += component_.size();
}

bool Fluid::nothing_changed() {
  for (const LaneId lane : emptied_) settle(lane);
  emptied_.clear();
  std::erase(changed_, kNoLink);
  return changed_.empty();
}

// More than the component, where looking for it would cost more than solving the rest again.
void Fluid::take_all(Time now) {
  changed_.clear();
  component_links_.clear();
  component_ = filled_;
  demands_.clear();
  for (const LaneId id : component_) {
    const Lane& lane = lanes_[id];
    demands_.push_back({.uses = lane.needed, .weight = lane.weight, .count = sharing(lane)});
  }
  capacities_.clear();
  for (std::uint32_t link = 0; link < users_.size(); ++link) capacities_.push_back(capacity_now(link, now));
}

void Fluid::add_demands(Time now) {
  demands_of_component();
  capacities_.clear();
  for (const std::uint32_t link : component_links_) capacities_.push_back(capacity_now(link, now));
}

void Fluid::demands_of_component() {
  uses_.clear();
  demands_.clear();
  std::size_t total = 0;
  for (const LaneId id : component_) total += lanes_[id].needed.size();
  uses_.reserve(total);  // demands point into it
  for (const LaneId id : component_) {
    const Lane& lane = lanes_[id];
    const std::size_t first = uses_.size();
    for (const Use& use : lane.needed) uses_.push_back({.link = local_[use.link] - 1, .load = use.load});
    demands_.push_back(
        {.uses = std::span(uses_).subspan(first), .weight = lane.weight, .count = sharing(lane)});
  }
}

// After a solution for all lanes only the first ends matter: everything is solved again then.
void Fluid::note_ends() {
  if (unsearched_ == 0) {
    const bool almost_all = component_.size() >= kManyLanes && 2 * component_.size() > filled_.size();
    unsearched_ = steady_ && almost_all ? kSolutionsWithoutSearch : 0;
    return;
  }
  first_ends_known_ = false;
  if (--unsearched_ == 0) return note_all_ends();
  note_first_ends();
}

void Fluid::note_first_ends() {
  if (unsearched_ == 0 || first_ends_known_) return;
  first_ends_known_ = true;
  Time first = Time::max();
  for (const LaneId id : filled_) first = std::min(first, lanes_[id].end);
  if (first == Time::max()) return;
  for (const LaneId id : filled_) {
    if (lanes_[id].end == first) due_.push({first, {id, lanes_[id].number}});
  }
}

// Second hops push direct traffic aside, which leaves room at its receivers, where more can be relayed. Done
// to the end, a ring would be up to 18 % too fast; RotorLB gets about as far as two rounds do (the numbers
// are in docs/reference/flow-backend.md).
void Fluid::add_relayed() {
  constexpr int kRounds = 2;
  component_relay_links_.clear();
  for (std::size_t i = 0; i < component_links_.size(); ++i) {
    component_relay_links_.push_back(relay_links_[component_links_[i]]);
    component_relay_links_.back().capacity = capacities_[i];
  }
  component_relays_ = relays_;
  for (Relays& each : component_relays_) {
    for (auto* side : {&each.out, &each.in}) {
      for (std::uint32_t& link : *side) link = local_[link] - 1;
    }
  }
  relayed_.clear();
  relayed_demands_.clear();
  for (std::size_t i = 0; i < component_.size(); ++i) {
    const auto on_circuit = [&](const Use& use) {
      return component_relay_links_[use.link].role == LinkRole::circuit;
    };
    if (std::ranges::none_of(demands_[i].uses, on_circuit)) continue;
    const Lane& lane = lanes_[component_[i]];
    const auto flows = static_cast<double>(lane.flows->classes()[lane.flow_class].flows);
    relayed_.push_back({.uses = demands_[i].uses, .flows = flows, .count = demands_[i].count});
    relayed_demands_.push_back(i);
  }
  for (int round = 0; round < kRounds; ++round) {
    for (RelayLink& link : component_relay_links_) link.direct = 0;
    for (std::size_t i = 0; i < demands_.size(); ++i) {
      for (const Use& use : demands_[i].uses) {
        component_relay_links_[use.link].direct += use.load * demands_[i].count * rates_[i];
      }
    }
    fill_.solve(component_relay_links_, component_relays_, relayed_, most_each_, relayed_rates_);
    left_ = capacities_;
    for (std::size_t i = 0; i < left_.size(); ++i) left_[i] -= fill_.second_hops()[i];
    max_min_.solve(left_, demands_, rates_);
  }
  for (std::size_t i = 0; i < relayed_.size(); ++i) {
    double& rate = rates_[relayed_demands_[i]];
    lanes_[component_[relayed_demands_[i]]].relayed = relayed_rates_[i] > rate;
    rate += relayed_rates_[i];
  }
}

}  // namespace overture::network::flow
