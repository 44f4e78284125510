#include "overture/network/rotor/rotor_lb.h"

#include <algorithm>

namespace overture::network::rotor {

RotorLb::RotorLb(const topology::Opera& opera, const RotorConfig& config, BulkQueues& queues)
    : opera_(opera),
      queues_(queues),
      defects_(config.defects),
      hosts_per_tor_(opera.hosts_per_tor()),
      most_(packets_per_slot(opera, config)),
      share_(RandomStreams(config.seed).make("rotor_lb")),
      plans_(static_cast<std::size_t>(opera.hosts())),
      room_(static_cast<std::size_t>(opera.hosts())),
      granted_(static_cast<std::size_t>(opera.hosts())) {}

void RotorLb::plan(int slice) {
  for (HostPlan& plan : plans_) {
    plan.allocations.clear();
    plan.offers.clear();
    plan.can_send = plan.can_receive = most_;
  }
  for (int host = 0; faults_ != nullptr && host < opera_.hosts(); ++host) {
    if (!faults_->is_host_known_up(host)) plan_of(host).can_send = plan_of(host).can_receive = 0;
  }
  const int rotor = opera_.fresh_rotor(slice);
  const auto each_pair = [&](auto&& visit) {
    for (int from = 0; from < opera_.tors(); ++from) {
      if (!idle(from)) visit(from, opera_.peer(slice, from, rotor));
    }
  };
  each_pair([&](int from, int to) {
    if (from != to && open(from, to)) {
      second_hops(from, to);
      direct(from, to);
    }
  });
  // A ToR switches its own rack's traffic without a circuit, with what the hosts have left; all of it where
  // the rotor shows the ToR itself.
  if (!defects_.intra_rack_out_and_back)
    each_pair([&](int from, int) {
      if (open(from, from)) direct(from, from);
    });
  borrow();
  each_pair([&](int from, int to) {
    if (from != to && open(from, to)) offer(from, to);
  });
  each_pair([&](int from, int to) {
    if (from != to && open(from, to)) accept(from, to);
  });
  give_back();
}

bool RotorLb::idle(int tor) const {
  for (int host = first_host(tor); host < first_host(tor + 1); ++host) {
    if (!queues_.empty(host)) return false;
  }
  return true;
}

void RotorLb::allocate(int host, const Allocation& allocation) {
  plan_of(host).allocations.push_back(allocation);
  plan_of(host).can_send -= allocation.packets;
  plan_of(allocation.via).can_receive -= allocation.packets;
}

// What is allocated no longer counts as waiting while offers are made and accepted.
void RotorLb::borrow() {
  for (int host = 0; host < opera_.hosts(); ++host) {
    for (const Allocation& a : plan_of(host).allocations) count(a.kind, host, a.to) -= a.packets;
  }
}

void RotorLb::give_back() {
  for (int host = 0; host < opera_.hosts(); ++host) {
    for (const Allocation& a : plan_of(host).allocations) {
      if (a.via == a.to) {
        count(a.kind, host, a.to) += a.packets;
      } else if (!defects_.offers_not_reduced) {
        count(Waiting::relayed, a.via, a.to) -= a.packets;  // was accepted, and counted as if it were there
      }
    }
  }
}

void RotorLb::second_hops(int from, int to) {
  const int most = std::max(most_ / hosts_per_tor_, 1);
  for (int host = first_host(from); host < first_host(from + 1); ++host) {
    const auto waiting = queues_.counts(Waiting::relayed, host);
    for (int destination = first_host(to); destination < first_host(to + 1); ++destination) {
      const int possible = std::min(plan_of(host).can_send, plan_of(destination).can_receive);
      const int packets = std::min({waiting[static_cast<std::size_t>(destination)], most, possible});
      if (packets == 0) continue;
      allocate(host, {.kind = Waiting::relayed, .to = destination, .via = destination, .packets = packets});
    }
  }
}

void RotorLb::direct(int from, int to) {
  demand_.clear();
  rows_.clear();
  columns_.clear();
  int any = 0;
  for (int host = first_host(from); host < first_host(from + 1); ++host) {
    rows_.push_back(plan_of(host).can_send);
    const auto waiting = queues_.counts(Waiting::own, host);
    for (int destination = first_host(to); destination < first_host(to + 1); ++destination) {
      demand_.push_back(waiting[static_cast<std::size_t>(destination)]);
      any |= demand_.back();
    }
  }
  if (any == 0) return;
  for (int host = first_host(to); host < first_host(to + 1); ++host) {
    columns_.push_back(plan_of(host).can_receive);
  }
  const auto granted = share_.matrix(demand_, rows_, columns_);
  for (int row = 0; row < hosts_per_tor_; ++row) {
    for (int column = 0; column < hosts_per_tor_; ++column) {
      const int packets = granted[static_cast<std::size_t>(row * hosts_per_tor_ + column)];
      if (packets == 0) continue;
      const int destination = first_host(to) + column;
      allocate(first_host(from) + row,
               {.kind = Waiting::own, .to = destination, .via = destination, .packets = packets});
    }
  }
}

// Each host offers what it still has for other racks, as much as it can still send.
void RotorLb::offer(int from, int to) {
  for (int host = first_host(from); host < first_host(from + 1); ++host) {
    const HostPlan& plan = plan_of(host);
    if (plan.can_send <= 0) continue;
    const int also_excluded = defects_.intra_rack_out_and_back ? to : from;
    const auto destinations = static_cast<int>(queues_.destinations(host).size());
    if (destinations > plan.can_send + 2 * hosts_per_tor_) {
      offer_some(host, to, also_excluded);
    } else {
      offer_all(host, to, also_excluded);
    }
  }
}

void RotorLb::offer_all(int host, int excluded, int also_excluded) {
  HostPlan& plan = plan_of(host);
  const auto waiting = queues_.counts(Waiting::own, host);
  demand_.clear();
  for (const int to : queues_.destinations(host)) {
    const int tor = opera_.tor_of(to);
    const int packets = waiting[static_cast<std::size_t>(to)];
    if (tor == excluded || tor == also_excluded || packets == 0) continue;
    plan.offers.push_back({.to = to, .packets = packets});
  }
  std::ranges::sort(plan.offers, {}, &Offer::to);
  for (const Offer& offer : plan.offers) demand_.push_back(offer.packets);
  share_.take(demand_, plan.can_send);
  for (std::size_t i = 0; i < demand_.size(); ++i) plan.offers[i].packets -= demand_[i];
  std::erase_if(plan.offers, [](const Offer& offer) { return offer.packets == 0; });
}

// With more destinations than packets to send, an equal share is less than a packet, and all that can be sent
// is dealt out at random: drawn without looking at every destination.
void RotorLb::offer_some(int host, int excluded, int also_excluded) {
  HostPlan& plan = plan_of(host);
  const auto& destinations = queues_.destinations(host);
  const auto waiting = queues_.counts(Waiting::own, host);
  touched_.clear();
  for (int left = plan.can_send; left > 0;) {
    const int to = destinations[share_.random().below(destinations.size())];
    const int tor = opera_.tor_of(to);
    int& granted = granted_[static_cast<std::size_t>(to)];
    if (tor == excluded || tor == also_excluded || granted == waiting[static_cast<std::size_t>(to)]) continue;
    if (granted++ == 0) touched_.push_back(to);
    --left;
  }
  std::ranges::sort(touched_);
  for (const int to : touched_) {
    plan.offers.push_back({.to = to, .packets = granted_[static_cast<std::size_t>(to)]});
    granted_[static_cast<std::size_t>(to)] = 0;
  }
}

// In the original, every receiver sees the whole offer. Else each sees its share of what is left, so that no
// relay gets more than it can pass on in a slot while others idle, and then what nobody took.
void RotorLb::accept(int from, int to) {
  if (defects_.offers_not_reduced) {
    for (int host = first_host(to); host < first_host(to + 1); ++host) accept_at(host, from, 1);
    return;
  }
  for (int i = 0; i < hosts_per_tor_; ++i) accept_at(first_host(to) + i, from, hosts_per_tor_ - i);
  for (int i = 0; i < hosts_per_tor_; ++i) accept_at(first_host(to) + i, from, 1);
}

// Is the way on known to work?
bool RotorLb::can_relay(int host, int to) const {
  if (faults_ == nullptr) return true;
  return faults_->is_host_known_up(to) && faults_->open(opera_.tor_of(host), opera_.tor_of(to));
}

// `host` takes from the offers of rack `from`, of which it is one of `sharing`, what it can receive and, for
// each final destination, has room for.
void RotorLb::accept_at(int host, int from, int sharing) {
  HostPlan& receiver = plan_of(host);
  if (receiver.can_receive <= 0) return;
  const int most = 2 * most_ / hosts_per_tor_;
  const auto own = queues_.counts(Waiting::own, host);
  const auto relayed = queues_.counts(Waiting::relayed, host);
  elements_.clear();
  for (int sender = first_host(from); sender < first_host(from + 1); ++sender) {
    for (const Offer& offer : plan_of(sender).offers) {
      const auto to = static_cast<std::size_t>(offer.to);
      room_[to] = can_relay(host, offer.to) ? std::max(0, most - own[to] - relayed[to]) : 0;
      elements_.push_back({.column = offer.to, .demand = (offer.packets + sharing - 1) / sharing});
    }
  }
  if (elements_.empty()) return;
  share_.shared(elements_, receiver.can_receive, room_);
  std::size_t next = 0;
  for (int sender = first_host(from); sender < first_host(from + 1); ++sender) {
    HostPlan& plan = plan_of(sender);
    for (Offer& offer : plan.offers) {
      const int packets = elements_[next++].granted;
      if (packets == 0) continue;
      plan.allocations.push_back({.kind = Waiting::own, .to = offer.to, .via = host, .packets = packets});
      if (defects_.offers_not_reduced) continue;
      offer.packets -= packets;
      receiver.can_receive -= packets;
      count(Waiting::relayed, host, offer.to) += packets;  // leaves less room; until give_back()
    }
    if (!defects_.offers_not_reduced) {
      std::erase_if(plan.offers, [](const Offer& offer) { return offer.packets == 0; });
    }
  }
}

}  // namespace overture::network::rotor
