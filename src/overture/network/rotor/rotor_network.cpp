#include "overture/network/rotor/rotor_network.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "overture/base/error.h"

namespace overture::network::rotor {

RotorNetwork::RotorNetwork(topology::Opera opera, const RotorConfig& config, sim::EventQueue& events,
                           std::optional<topology::OperaPaths> paths)
    : opera_(std::move(opera)), events_(events), paths_(std::move(paths)) {
  if (config.bulk_from <= Bytes{1}) {
    bulk_ = std::make_unique<BulkEngine>(opera_, config);
    return;
  }
  if (!paths_) paths_.emplace(opera_, 1);
  packets_ = std::make_unique<PacketEngine>(opera_, *paths_, config);
}

void RotorNetwork::send(const Message& message, Action delivered) {
  const int from = index(message.from);
  const int to = index(message.to);
  for (const int host : {from, to}) {
    if (host >= 0 && host < opera_.hosts()) continue;
    throw UserError(fmt::format("rank {} is no host of a network of {}", host, opera_.hosts()),
                    "use as many ranks as the network has hosts, or fewer");
  }
  if (from == to) return events_.after(Duration::zero(), delivered);
  const std::int64_t bytes = std::max<std::int64_t>(message.size.count(), 1);
  const std::int64_t now = events_.now().time_since_epoch().count();
  const std::uint32_t id = bulk_ ? bulk_->post(from, to, bytes) : packets_->post(from, to, bytes, now);
  if (id >= delivered_.size()) delivered_.resize(id + 1);
  delivered_[id] = delivered;
  arm();
}

// Keeps one event pending: for the next slice, or for the packets' next event.
void RotorNetwork::arm() {
  const Time now = events_.now();
  if (packets_) {
    const std::int64_t next = packets_->next_time();
    if (next == std::numeric_limits<std::int64_t>::max()) return;
    const Time when{Duration{next}};
    if (when >= armed_) return;
    armed_ = when;
    return events_.at(when, [this] { run_packets(); });
  }
  if (armed_ != Time::max() || bulk_->outstanding() == 0) return;
  const Duration slice = opera_.timing().slice();
  const Duration since = now.time_since_epoch();
  armed_ = Time{slice * std::max(last_slice_ + 1, (since + slice - Duration{1}) / slice)};
  // Once there, it queues behind what else happens at that time: messages of that moment join the slice.
  events_.at(armed_, [this] { events_.after(Duration::zero(), [this] { play_slice(); }); });
}

void RotorNetwork::play_slice() {
  last_slice_ = armed_.time_since_epoch() / opera_.timing().slice();
  armed_ = Time::max();
  bulk_->play(last_slice_);
  auto& finished = bulk_->finished();
  std::ranges::stable_sort(finished, {}, &Finished::when);
  for (const Finished& done : finished) events_.at(Time{Duration{done.when}}, delivered_[done.message]);
  finished.clear();
  arm();
}

void RotorNetwork::run_packets() {
  if (events_.now() != armed_) return;
  armed_ = Time::max();
  packets_->run(events_.now().time_since_epoch().count());
  done_.swap(packets_->finished());
  std::vector<Action> actions;
  for (const Finished& done : done_) actions.push_back(delivered_[done.message]);
  done_.clear();
  for (Action& action : actions) action();
  arm();
}

RotorStatistics RotorNetwork::statistics() const {
  return bulk_ ? bulk_->statistics() : packets_->statistics();
}

std::uint64_t RotorNetwork::digest() const { return bulk_ ? bulk_->digest() : packets_->digest(); }

}  // namespace overture::network::rotor
