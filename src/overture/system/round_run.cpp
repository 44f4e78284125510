#include "overture/system/round_run.h"

#include <fmt/format.h>

namespace overture::system {

RoundRun::RoundRun(PhaseContext& context, const Phase& phase, std::function<void()> finished)
    : PhaseRun(context, phase, std::move(finished)),
      rounds_(make_rounds(phase.algorithm.kind, phase.input, phase.dimension.size, context.rounds)),
      groups_(context.groups_of(phase)) {}

void RoundRun::start() { next_round(); }

void RoundRun::next_round() {
  if (round_ == rounds_.count) return all_finished();
  if (context().endpoint_delay > Duration{}) {
    clock().after(context().endpoint_delay, [this] { exchange(); });
  } else {
    exchange();
  }
}

void RoundRun::exchange() {
  missing_ = groups_.size();
  for (const network::GroupId group : groups_)
    context().network.exchange(rounds_.pattern(round_), group, rounds_.each, phase_.name,
                               [this] { exchanged(); });
}

void RoundRun::exchanged() {
  if (--missing_ > 0) return;
  ++round_;
  if (context().endpoint_delay > Duration{}) {
    clock().after(context().endpoint_delay, [this] { next_round(); });
  } else {
    next_round();
  }
}

std::string RoundRun::stuck() const {
  return fmt::format("round {} of {} has not ended", round_ + 1, rounds_.count);
}

}  // namespace overture::system
