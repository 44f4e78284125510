#include "overture/network/rotor/rotor_network.h"

#include <algorithm>
#include <limits>

namespace overture::network::rotor {

RotorNetwork::RotorNetwork(topology::Opera opera, const RotorConfig& config, sim::EventQueue& events,
                           std::optional<topology::OperaPaths> paths, const Faults& faults)
    : Network(opera.hosts(), events),
      opera_(std::move(opera)),
      rate_(config.rate),
      paths_(std::move(paths)),
      faults_(faults.touch_network() ? std::make_unique<RotorFaults>(faults, opera_) : nullptr),
      lost_(faults_.get(), opera_) {
  if (config.bulk_from <= Bytes{1}) {
    bulk_ = std::make_unique<BulkEngine>(opera_, config);
    if (faults_) bulk_->set_faults(*faults_);
    return;
  }
  if (!paths_) paths_.emplace(opera_, 1);
  packets_ = std::make_unique<PacketEngine>(opera_, *paths_, config);
  if (faults_) packets_->set_faults(*faults_);
}

void RotorNetwork::carry(const Message& message, Action delivered) {
  const int from = index(message.from);
  const int to = index(message.to);
  const std::int64_t bytes = at_least_one(message.size).count();
  const std::int64_t now = events().now().time_since_epoch().count();
  const std::uint32_t id = bulk_ ? bulk_->post(from, to, bytes) : packets_->post(from, to, bytes, now);
  if (id >= delivered_.size()) delivered_.resize(id + 1);
  delivered_[id] = delivered;
  lost_.posted(id, from, to, packets_ != nullptr && packets_->is_low_latency(bytes));
  arm();
}

// What no path is left for is sent again and again, in vain.
bool RotorNetwork::waits_for_something() {
  const std::uint64_t outstanding = bulk_ ? bulk_->outstanding() : packets_->outstanding();
  return outstanding > lost_.count(events().now().time_since_epoch().count());
}

// Keeps one event pending: for the next slice, or for the packets' next event.
void RotorNetwork::arm() {
  const Time now = events().now();
  if (packets_) {
    const std::int64_t next = packets_->next_time();
    if (next == std::numeric_limits<std::int64_t>::max()) return;
    if (faults_ && !waits_for_something()) return;
    const Time when{Duration{next}};
    if (when >= armed_) return;
    armed_ = when;
    return events().at(when, [this] { run_packets(); });
  }
  if (armed_ != Time::max() || !waits_for_something()) return;
  const Duration slice = opera_.timing().slice();
  const Duration since = now.time_since_epoch();
  armed_ = Time{slice * std::max(last_slice_ + 1, (since + slice - Duration{1}) / slice)};
  // Once there, it queues behind what else happens at that time: messages of that moment join the slice.
  events().at(armed_, [this] { events().after(Duration::zero(), [this] { play_slice(); }); });
}

void RotorNetwork::play_slice() {
  last_slice_ = armed_.time_since_epoch() / opera_.timing().slice();
  armed_ = Time::max();
  bulk_->play(last_slice_);
  auto& finished = bulk_->finished();
  std::ranges::stable_sort(finished, {}, &Finished::when);
  for (const Finished& done : finished) {
    lost_.delivered(done.message);
    events().at(Time{Duration{done.when}}, delivered_[done.message]);
  }
  finished.clear();
  arm();
}

void RotorNetwork::run_packets() {
  if (events().now() != armed_) return;
  armed_ = Time::max();
  packets_->run(events().now().time_since_epoch().count());
  done_.swap(packets_->finished());
  std::vector<Action> actions;
  for (const Finished& done : done_) {
    lost_.delivered(done.message);
    actions.push_back(delivered_[done.message]);
  }
  done_.clear();
  for (Action& action : actions) action();
  arm();
}

RotorStatistics RotorNetwork::statistics() const {
  return bulk_ ? bulk_->statistics() : packets_->statistics();
}

void RotorNetwork::watch(const MonitorConfig& config) {
  require_sound(config);
  const int links = LinkNumbers(opera_).count();
  const int bins = bounded(config, static_cast<std::size_t>(links)).samples;
  load_.emplace(links, opera_.timing().slice(), bins);
  bulk_ ? bulk_->watch(*load_) : packets_->watch(*load_);
}

NetworkRecord RotorNetwork::record() {
  NetworkRecord record;
  if (load_) {
    record = named_links(opera_, rate_);
    load_->put_into(record);
  }
  const RotorStatistics counts = statistics();
  record.delivered = counts.delivered;
  record.counters = counters(counts);
  record.digest = digest();
  if (faults_) add_counters(*faults_, record);
  record.undelivered = lost_.tell(events().now().time_since_epoch().count());
  return record;
}

std::uint64_t RotorNetwork::digest() const { return bulk_ ? bulk_->digest() : packets_->digest(); }

}  // namespace overture::network::rotor
