#include "overture/network/garnet/garnet_network.h"

#include <algorithm>

#include <fmt/format.h>

#include "overture/base/check.h"

namespace overture::network::garnet {
namespace {

Time start_of(Cycle cycle) { return Time{kCycle * cycle}; }

}  // namespace

GarnetNetwork::GarnetNetwork(const GarnetConfig& config, sim::EventQueue& events)
    : Network(config.ranks(), events),
      config_(config),
      engine_(make_engine(config, [this](std::int32_t message) {
        Action complete = streams_.arrived(static_cast<std::uint32_t>(message));
        if (complete) complete();
      })) {}

void GarnetNetwork::carry(const Message& message, Action delivered) {
  stand_at_present();
  delivered_ += message.size;
  const std::int64_t packets = std::max<std::int64_t>(1, config_.packets(message.size));
  const std::uint32_t number = streams_.add(
      {.from = index(message.from), .to = index(message.to), .vnet = message.lane, .tag = message.stream},
      packets, delivered);
  engine_->send(static_cast<std::int32_t>(number), index(message.from), index(message.to), message.lane,
                {.packets = packets});
  arm();
}

// The dimension that a ring goes along; switches connect packages.
std::size_t GarnetNetwork::tier_of(const Channel& channel) const {
  const int ranks = config_.ranks();
  if (channel.from >= ranks || channel.to >= ranks) return 1;
  const int package = config_.size[0];
  if (channel.from / package == channel.to / package) return 0;
  const int row = package * config_.size[1];
  return channel.from / row == channel.to / row ? 1 : 2;
}

void GarnetNetwork::watch(const MonitorConfig& config) {
  require_sound(config);
  const int ranks = config_.ranks();
  const auto name = [&](int router) {
    return router < ranks ? fmt::format("h{}", router) : fmt::format("s{}", router - ranks);
  };
  std::vector<std::int32_t> numbers;
  for (const Channel& c : engine_->channels()) {
    const bool between = !c.from_rank && !c.to_rank;
    numbers.push_back(between ? static_cast<std::int32_t>(links_.size()) : kNone);
    if (!between) continue;
    const auto bits = static_cast<std::int64_t>(std::min(c.wire.width, config_.flit_width));
    links_.push_back(
        {.from = name(c.from),
         .to = name(c.to),
         .tier = tier_of(c),
         .rate = Bandwidth::bits_per_second(bits * (Duration::period::den / Duration{kCycle}.count())),
         .total = {}});
  }
  if (links_.empty()) return;
  load_ = LinkLoad(static_cast<int>(links_.size()), config.interval, bounded(config, links_.size()).samples);
  engine_->watch(load_, std::move(numbers));
}

NetworkRecord GarnetNetwork::record() {
  NetworkRecord record{.detail = NetworkRecord::Detail::load, .links = links_, .delivered = delivered_};
  record.tiers = {"inside packages", config_.wiring == Wiring::switches ? "to switches" : "rows", "columns"};
  if (!links_.empty()) load_.put_into(record);
  const GarnetStatistics& counted = statistics();
  record.counters = {{"packets", static_cast<std::uint64_t>(counted.packets)},
                     {"flits", static_cast<std::uint64_t>(counted.flits)}};
  return record;
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
