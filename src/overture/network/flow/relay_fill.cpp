#include "overture/network/flow/relay_fill.h"

#include <algorithm>
#include <limits>

namespace overture::network::flow {
namespace {

// A link with less than this share of its capacity left is full.
constexpr double kFull = 1e-9;

double left(const RelayLink& link, double used) {
  const double rest = link.capacity - used;
  return rest > kFull * link.capacity ? rest : 0;
}

}  // namespace

void RelayFill::solve(std::span<const RelayLink> links, std::span<const Relays> relays,
                      std::span<const RelayedFlows> flows, double most_each, std::vector<double>& rates) {
  prepare(links, relays, flows);
  rates.assign(flows.size(), 0);
  // Each round closes relays or stops flows, so it ends.
  while (rising_flows_ > 0) {
    while (close_relays(links, relays) || stop_flows(links, flows, rates)) {
    }
    if (rising_flows_ <= 0 || usable_hosts_ <= 0) break;
    const double rest = (most_each - passed_each_) * usable_hosts_;
    const double step = std::min(next_stop(links), rest);
    raise(links, step);
    if (step == rest) break;
  }
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (rising_[i]) rates[i] = level_;
  }
  second_.assign(links.size(), 0);
  for (std::size_t i = 0; i < links.size(); ++i) {
    second_[i] = links[i].role == LinkRole::out ? states_[i].passed : states_[i].taken;
  }
}

void RelayFill::prepare(std::span<const RelayLink> links, std::span<const Relays> relays,
                        std::span<const RelayedFlows> flows) {
  states_.assign(links.size(), {});
  rising_.assign(flows.size(), true);
  open_.assign(relays.size(), true);
  level_ = rising_flows_ = usable_hosts_ = passed_each_ = 0;
  for (const RelayedFlows& each : flows) {
    rising_flows_ += each.flows * each.count;
    for (const Use& use : each.uses) {
      const LinkRole role = links[use.link].role;
      if (role != LinkRole::in && role != LinkRole::out) continue;
      states_[use.link].own += use.load * each.count;
      ++states_[use.link].rising;
    }
  }
  for (const Relays& each : relays) {
    usable_hosts_ += each.hosts;
    for (const auto& side : {each.out, each.in}) {
      for (const std::uint32_t link : side) states_[link].hosts += each.hosts;
    }
  }
}

// How far the level can rise until some link is full.
double RelayFill::next_stop(std::span<const RelayLink> links) const {
  double step = std::numeric_limits<double>::infinity();
  const double each_relay = rising_flows_ / usable_hosts_;
  const auto stop_at = [&](double rest, double speed) {
    if (speed > 0) step = std::min(step, rest / speed);
  };
  for (std::size_t i = 0; i < links.size(); ++i) {
    const State& state = states_[i];
    const double passing = state.hosts / links[i].count * each_relay;
    const double all = left(links[i], links[i].direct + state.taken + state.passed);
    if (links[i].role == LinkRole::out) {
      if (state.own > 0) stop_at(all, state.own + passing);
      stop_at(left(links[i], state.passed), passing);
    } else if (links[i].role == LinkRole::in) {
      if (state.hosts > 0) stop_at(all, state.own + passing);
      stop_at(left(links[i], state.taken), state.own);
    }
  }
  return step;
}

void RelayFill::raise(std::span<const RelayLink> links, double step) {
  const double each_relay = step * rising_flows_ / usable_hosts_;
  for (std::size_t i = 0; i < links.size(); ++i) {
    states_[i].taken += step * states_[i].own;
    states_[i].passed += each_relay * states_[i].hosts / links[i].count;
  }
  level_ += step;
  passed_each_ += step / usable_hosts_;
}

// A relay accepts only what its NIC can still receive, and what it could pass on if it sent nothing else.
bool RelayFill::close_relays(std::span<const RelayLink> links, std::span<const Relays> relays) {
  const auto full = [&](std::uint32_t link) {
    const State& state = states_[link];
    const bool sends = links[link].role == LinkRole::out;
    return left(links[link], sends ? state.passed : links[link].direct + state.taken + state.passed) <= 0;
  };
  bool any = false;
  for (std::size_t i = 0; i < relays.size(); ++i) {
    if (!open_[i]) continue;
    if (!std::ranges::any_of(relays[i].in, full) && !std::ranges::any_of(relays[i].out, full)) continue;
    open_[i] = false;
    any = true;
    usable_hosts_ -= relays[i].hosts;
    for (const auto& side : {relays[i].out, relays[i].in}) {
      for (const std::uint32_t link : side) states_[link].hosts -= relays[i].hosts;
    }
  }
  return any;
}

// A sender stops when its NIC is full with all that it sends; a receiver, when it is full with second hops.
bool RelayFill::stop_flows(std::span<const RelayLink> links, std::span<const RelayedFlows> flows,
                           std::vector<double>& rates) {
  const auto full = [&](const Use& use) {
    const State& state = states_[use.link];
    const RelayLink& link = links[use.link];
    if (link.role == LinkRole::out) return left(link, link.direct + state.taken + state.passed) <= 0;
    return link.role == LinkRole::in && left(link, state.taken) <= 0;
  };
  bool any = false;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (!rising_[i] || !std::ranges::any_of(flows[i].uses, full)) continue;
    rising_[i] = false;
    any = true;
    rates[i] = level_;
    rising_flows_ -= flows[i].flows * flows[i].count;
    for (const Use& use : flows[i].uses) {
      const LinkRole role = links[use.link].role;
      if (role != LinkRole::in && role != LinkRole::out) continue;
      State& state = states_[use.link];
      state.own = --state.rising == 0 ? 0 : state.own - use.load * flows[i].count;
    }
  }
  return any;
}

}  // namespace overture::network::flow
