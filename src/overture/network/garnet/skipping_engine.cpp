#include "overture/network/garnet/skipping_engine.h"

#include <algorithm>
#include <utility>

namespace overture::network::garnet {

SkippingEngine::SkippingEngine(std::unique_ptr<GarnetFabric> fabric, const EngineSettings& settings,
                               Arrived arrived)
    : GarnetEngine(std::move(fabric), settings, std::move(arrived)),
      port_by_port_(settings.port_by_port),
      sleepy_(settings.sleepy),
      interface_marked_(static_cast<std::size_t>(fabric_->ranks()), -1),
      router_marked_(routers_.size(), -1) {}

void SkippingEngine::run(Cycle now) {
  wheel_.take(now, due_);
  soonest_ = now + 1;
  interfaces_.clear();
  active_routers_.clear();
  received_.clear();
  entered_.clear();
  interface_credits_.clear();
  sort_out(now);
  if (port_by_port_) std::sort(entered_.begin(), entered_.end());
  for (const int number : entered_) enter(channel(number), pop_flit(number));
  std::sort(interfaces_.begin(), interfaces_.end());
  std::sort(received_.begin(), received_.end());
  for (const int rank : interfaces_) inject_and_send(rank, now);
  for (const int number : received_) accept(number, pop_flit(number), now);
  for (const int number : interface_credits_) take_credit(number);
  for (const int rank : interfaces_) rest(rank, now);
  // Whoever lost, or has more to send, tries again. Where nobody could, a flit or a credit must come first.
  for (const int router : active_routers_)
    if (arbitrate(router, now)) schedule(now + 1, router_wakes, router);
}

// Routers take credits at once; interfaces take flits and credits only after they have sent.
void SkippingEngine::sort_out(Cycle now) {
  for (const std::uint32_t entry : due_) {
    const auto which = static_cast<int>(entry >> 2);
    switch (static_cast<Kind>(entry & 3)) {
      case interface_wakes: mark_interface(which, now); break;
      case router_wakes: mark_router(which, now); break;
      case flit_arrives:
        if (channel(which).to_rank) {
          mark_interface(channel(which).to, now);
          received_.push_back(which);
        } else {
          mark_router(channel(which).to, now);
          entered_.push_back(which);
        }
        break;
      case credit_arrives:
        if (channel(which).from_rank) {
          mark_interface(channel(which).from, now);
          interface_credits_.push_back(which);
        } else {
          mark_router(channel(which).from, now);
          take_credit(which);
        }
        break;
    }
  }
}

void SkippingEngine::mark_interface(int rank, Cycle now) {
  Cycle& marked = interface_marked_[static_cast<std::size_t>(rank)];
  if (std::exchange(marked, now) != now) interfaces_.push_back(rank);
}

void SkippingEngine::mark_router(int router, Cycle now) {
  Cycle& marked = router_marked_[static_cast<std::size_t>(router)];
  if (std::exchange(marked, now) != now) active_routers_.push_back(router);
}

void SkippingEngine::push_flit(int number, Flit flit, std::int32_t, Cycle now) {
  Channel& c = channel(number);
  flit.when = arrival(now, c.wire, c.data_free) + c.wire.pipeline;
  if (c.flits.empty()) schedule(flit.when, flit_arrives, number);
  c.flits.push(flit);
  if (!c.from_rank && !c.to_rank) {
    ++statistics_.hops;
    statistics_.parts += c.wire.parts;
  }
}

Flit SkippingEngine::pop_flit(int number) {
  Channel& c = channel(number);
  const Flit flit = c.flits.front();
  c.flits.pop();
  if (!c.flits.empty()) schedule(std::max(c.flits.front().when, soonest_), flit_arrives, number);
  return flit;
}

// The receiver of channel `number` has passed a flit on.
void SkippingEngine::push_credit(int number, Credit credit, Cycle now) {
  Channel& c = channel(number);
  credit.when = arrival(now, c.wire.back(), c.credit_free);
  if (c.returned.empty()) schedule(credit.when, credit_arrives, number);
  c.returned.push(credit);
}

void SkippingEngine::take_credit(int number) {
  Channel& c = channel(number);
  const Credit credit = c.returned.front();
  c.returned.pop();
  if (!c.returned.empty()) schedule(std::max(c.returned.front().when, soonest_), credit_arrives, number);
  take(c, credit);
}

// An interface that holds flits is awake in every cycle, whether it can send or not; that is when waiting
// packets get their virtual channels. One that holds none sleeps, even while packets wait and a virtual
// channel is idle: Garnet frees virtual channels after it has injected, and nobody wakes the interface for
// it. Cycles in which an awake one could do nothing are left out.
void SkippingEngine::rest(int rank, Cycle now) {
  bool awake = false;
  bool useful = false;
  for (int v = 0; v < fabric_->lanes(); ++v) {
    Lane& mine = lane(rank, v);
    const Channel& c = channel(fabric_->injection(rank, v));
    if (!mine.injected.empty()) {
      awake = true;
      useful = useful || c.credits[c.at(mine.injected.front())] > 0;
    }
    useful = useful || (!mine.waiting.empty() && c.lowest_idle(c.first_vc, vcs_) != kNone);
  }
  if (useful && (awake || !sleepy_)) schedule(now + 1, interface_wakes, rank);
}

}  // namespace overture::network::garnet
