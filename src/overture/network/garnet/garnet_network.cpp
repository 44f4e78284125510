#include "overture/network/garnet/garnet_network.h"

#include <algorithm>

#include "overture/base/check.h"

namespace overture::network::garnet {
namespace {

Time start_of(Cycle cycle) { return Time{kCycle * cycle}; }

}  // namespace

GarnetNetwork::GarnetNetwork(const GarnetConfig& config, sim::EventQueue& events)
    : Network(config.ranks(), events),
      config_(config),
      engine_(make_engine(config, [this](std::int32_t message) {
        Action complete = streams_.arrived(message);
        if (complete) complete();
      })) {}

void GarnetNetwork::carry(const Message& message, Action delivered) {
  stand_at_present();
  const std::int64_t packets = std::max<std::int64_t>(1, config_.packets(message.size));
  const std::int32_t number = streams_.add(
      {.from = index(message.from), .to = index(message.to), .vnet = message.lane, .tag = message.stream},
      packets, delivered);
  engine_->send(number, index(message.from), index(message.to), message.lane, packets);
  arm();
}

void GarnetNetwork::rank_acts(Rank rank) {
  stand_at_present();
  engine_->wake(index(rank));
  arm();
}

void GarnetNetwork::stand_at_present() {
  const Duration now = events().now().time_since_epoch();
  const Cycle cycle = (now.count() + Duration{kCycle}.count() - 1) / Duration{kCycle}.count();
  engine_->stand_at(std::max(cycle, done_ + 1));
}

void GarnetNetwork::arm() {
  const Cycle next = engine_->next();
  if (next == kNone || (armed_ != kNone && armed_ <= next)) return;
  armed_ = next;
  // Everything else that is due in the cycle comes first, also what was asked for after this.
  events().at(start_of(next), [this, next] {
    if (armed_ == next) events().after(Duration::zero(), [this, next] { run(next); });
  });
}

void GarnetNetwork::run(Cycle cycle) {
  if (armed_ != cycle) return;
  check(engine_->next() == cycle, "the engine runs in the cycle it asked for");
  done_ = cycle;
  engine_->run(cycle);
  armed_ = kNone;
  arm();
}

}  // namespace overture::network::garnet
