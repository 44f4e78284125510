#include "overture/network/garnet/credit_network.h"

#include <algorithm>
#include <utility>

#include "overture/base/hash.h"
#include "overture/network/named_links.h"

namespace overture::network::garnet {
namespace {

std::int64_t divide_up(Bytes a, Bytes b) { return (a.count() + b.count() - 1) / b.count(); }

}  // namespace

CreditNetwork::CreditNetwork(topology::Topology topology, const CreditNetworkConfig& config,
                             sim::EventQueue& events)
    : Network(topology.graph.hosts(), events),
      topology_(std::move(topology)),
      config_(config),
      timing_(topology_.graph, config.flit, config.router_delay) {
  auto fabric = std::make_unique<GraphFabric>(
      topology_, timing_,
      GraphFabric::Settings{.channels = config.channels, .buffer_flits = config.buffer_flits});
  fabric_ = fabric.get();
  const EngineSettings settings{
      .flits_per_packet = static_cast<int>(divide_up(config.payload + config.header, config.flit)),
      .flit_bytes = config.flit.count(),
      .cycle = timing_.cycle,
      .sleepy = false};
  engine_ = std::make_unique<SkippingEngine>(std::move(fabric), settings,
                                             [this](std::int32_t train) { arrived(train); });
}

// A pair keeps its way unless every packet has one of its own.
topology::Pick CreditNetwork::pick(const Message& message) {
  if (config_.paths == topology::PathRule::by_destination) return topology::Pick::by_destination();
  const bool spray = config_.paths == topology::PathRule::spray;
  return topology::Pick::by_hash(
      topology::flow_hash(config_.seed, index(message.from), index(message.to), spray ? ++drawn_ : 0));
}

void CreditNetwork::carry(const Message& message, Action delivered) {
  const std::int64_t cycle = timing_.cycle.count();
  const std::int64_t now = events().now().time_since_epoch().count();
  engine_->stand_at(std::max((now + cycle - 1) / cycle, ran_ + 1));
  const Bytes size = at_least_one(message.size);
  const std::int64_t packets = divide_up(size, config_.payload);
  const Bytes last = size - config_.payload * (packets - 1) + config_.header;
  const auto last_flits = static_cast<std::int32_t>(divide_up(last, config_.flit));
  const std::uint32_t number =
      messages_.keep({.missing = packets, .size = message.size, .delivered = delivered});
  if (config_.paths == topology::PathRule::spray) {
    for (std::int64_t p = 1; p < packets; ++p) depart(number, message, {.packets = 1});
    depart(number, message, {.packets = 1, .last_flits = last_flits});
  } else {
    depart(number, message, {.packets = packets, .last_flits = last_flits});
  }
  arm();
}

void CreditNetwork::depart(std::uint32_t number, const Message& message, const PacketCount& count) {
  const auto id = static_cast<std::int32_t>(trains_.keep({.message = number, .missing = count.packets}));
  const int from = index(message.from);
  const int to = index(message.to);
  const int lane = fabric_->choose_way(id, from, to, pick(message));
  engine_->send(id, from, to, lane, count);
}

void CreditNetwork::arrived(std::int32_t id) {
  const auto place = static_cast<std::uint32_t>(id);
  Train& train = trains_[place];
  digest_ =
      digest_step(digest_ ^ static_cast<std::uint64_t>(running_) ^ (std::uint64_t{train.message} << 32));
  const std::uint32_t number = train.message;
  if (--train.missing == 0) trains_.give_back(place);
  Carried& message = messages_[number];
  if (--message.missing > 0) return;
  delivered_ += message.size;
  done_.push_back(message.delivered);
  messages_.give_back(number);
}

void CreditNetwork::arm() {
  const Cycle next = engine_->next();
  if (next == kNone) return;
  const Time when = std::max(start_of(next), events().now());
  if (when >= armed_) return;
  armed_ = when;
  // Everything else that is due then comes first, also what was asked for after this.
  events().at(when, [this] {
    if (events().now() == armed_) events().after(Duration::zero(), [this] { wake(); });
  });
}

// Runs the cycle that is due and those after it in which nobody else has anything to do, up to a delivery; or
// so many that whoever may end the run is asked now and then, however long a message is.
void CreditNetwork::wake() {
  constexpr std::int64_t kMostMoves = 256;  // of flits
  if (events().now() != armed_) return;
  armed_ = Time::max();
  const Time horizon = events().pending() == 0 ? Time::max() : events().next_time();
  const auto moved = [this] { return statistics().hops + statistics().flits; };
  const std::int64_t enough = moved() + kMostMoves;
  for (Cycle next = engine_->next(); next != kNone; next = engine_->next()) {
    const Time when = start_of(next);
    if (when > events().now() && (when >= horizon || moved() >= enough)) break;
    running_ = next;
    engine_->run(next);
    ran_ = next;
    if (done_.empty()) continue;
    if (when <= events().now()) return deliver();
    return events().at(when, [this] { deliver(); });
  }
  arm();
}

void CreditNetwork::deliver() {
  delivering_.clear();
  std::swap(delivering_, done_);
  for (Action& action : delivering_) action();
  arm();
}

void CreditNetwork::watch(const MonitorConfig& config) {
  require_sound(config);
  const std::size_t links = topology_.graph.links().size();
  load_ = LinkLoad(static_cast<int>(links), config.interval, bounded(config, links).samples);
  std::vector<std::int32_t> numbers;
  for (std::size_t c = 0; c < engine_->channels().size(); ++c)
    numbers.push_back(fabric_->link_of(static_cast<int>(c)));
  engine_->watch(load_, std::move(numbers));
  watched_ = true;
}

NetworkRecord CreditNetwork::record() {
  NetworkRecord record = named_links(topology_.graph, NetworkRecord::Detail::load);
  if (watched_) load_.put_into(record);
  const GarnetStatistics& counted = statistics();
  record.delivered = delivered_;
  record.counters = {{"data_packets", static_cast<std::uint64_t>(counted.packets)},
                     {"flits", static_cast<std::uint64_t>(counted.flits)},
                     {"flit_hops", static_cast<std::uint64_t>(counted.hops)}};
  record.digest = digest_;
  return record;
}

}  // namespace overture::network::garnet
